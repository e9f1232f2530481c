/**
 * Checks every answer that a test gets against the API's definition: the endpoint names the status,
 * and the body matches the schema of that status and has no other fields.
 */
import { Result, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../adapters/http/index.ts"

export interface Route {
  readonly method: string
  readonly path: string
  readonly group: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly matches: (path: string) => boolean
  /** The schemas of its answers, by status. */
  readonly schemas: (status: number) => ReadonlyArray<Schema.Top>
}

/** The routes of the definition. */
export const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      const pattern = new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}/?$`)
      found.push({
        method: endpoint.method,
        path: endpoint.path,
        group: group.identifier,
        endpoint,
        matches: (path) => pattern.test(path),
        schemas: (status) => [...(successes.get(status) ?? []), ...(errors.get(status) ?? [])]
      })
    }
  })
  return found
})()

const parametersOf = ({ path }: Route): number => path.split(":").length

/** The route that a request reaches. */
export const routeOf = (method: string, url: string): Route | undefined => {
  const path = url.split("?")[0] ?? url
  const candidates = routes.filter((route) => route.method === method && route.matches(path))
  return candidates.toSorted((a, b) => parametersOf(a) - parametersOf(b))[0]
}

/** What is wrong with an answer; undefined where nothing is. */
export const mismatch = (method: string, url: string, status: number, body: unknown): string | undefined => {
  const route = routeOf(method, url)
  if (route === undefined || body === undefined) return undefined
  const { endpoint } = route
  const schemas = route.schemas(status)
  if (schemas.length === 0) return `${method} ${endpoint.path} does not describe ${status}: ${JSON.stringify(body)}`
  const problems = schemas.map((schema) => {
    const result = Schema.decodeUnknownResult(Schema.toEncoded(schema), { onExcessProperty: "error", errors: "all" })(
      body
    )
    return Result.isFailure(result) ? String(result.failure) : undefined
  })
  return problems.includes(undefined) ? undefined : `${method} ${endpoint.path} ${status}: ${problems.join("\n")}`
}
