/**
 * Calls of a running server by the typed client. A failure is one sentence: no server answers, it
 * refuses the credential, or it refuses the request.
 *
 * The organization that a command of the management API is about, or that an operator calls `/v3`
 * for. If `--org` does not name it, the server is asked: if it has one only, it is that one.
 */
import { Effect, identity, Schema, SchemaIssue, Option } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { ApiError, Client } from "../../client/index.ts"
import { type CommandFailed, impossible, misused, sentence } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Connection from "./Connection.ts"

const noRoute = {
  admin: (url: string) =>
    `The server at ${url} has no management API: it was started without SIMPLAN_ADMIN_TOKEN, or with ` +
    `SIMPLAN_ADMIN_PORT, whose address --url or SIMPLAN_ADMIN_URL names.`,
  telco: (url: string) => `The server at ${url} has no telco API: it was started without SIMPLAN_TELCO_TOKEN.`,
  v3: (url: string) => `The server at ${url} has no /v3 there: --url or SIMPLAN_URL names the address for customers.`
} as const satisfies Record<Connection.Connection["api"], (url: string) => string>

const refused = (connection: Connection.Connection, { code, message, status }: ApiError): CommandFailed => {
  const { api, from, ofOperator, url } = connection
  if (code === "") return impossible(`What answers at ${url} is not simplan: it says ${status}.`)
  if (ofOperator !== undefined && (code === "route_not_found" || code === "method_not_allowed"))
    return impossible(`The server at ${url} has this for API keys alone, or no management API: give a key with --key.`)
  if (code === "route_not_found") return impossible(noRoute[api](url))
  return impossible(
    status === 401
      ? `The server at ${url} refuses the ${api === "v3" ? "API key" : "token"} from ${from}.`
      : `The server refuses (${status} ${code}): ${sentence(message)}`
  )
}

const unreachable = ({ url }: Connection.Connection, { reason }: HttpClientError.HttpClientError): CommandFailed =>
  impossible(
    reason._tag === "TransportError"
      ? `No server answers at ${url}: start one with \`npm start\`, or name its address with --url or SIMPLAN_URL.`
      : `The server at ${url} broke off its answer.`
  )

const unknownAnswer = ({ url }: Connection.Connection): CommandFailed =>
  impossible(`The server at ${url} gave an answer that this version of simplan does not know.`)

const problemsOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** A request that the definition of the API refuses, before it is sent. */
export const malformed = ({ issue }: Schema.SchemaError): CommandFailed =>
  misused(
    sentence(
      problemsOf(issue)
        .issues.map(({ message, path = [] }) => `${path.map(String).join(".")} ${message}`.trim())
        .join("; ")
    )
  )

/** The failure of a call. `isSent` tells whether the request has left. */
const failureOf = (connection: Connection.Connection, error: unknown, isSent: boolean): CommandFailed => {
  if (error instanceof ApiError) return refused(connection, error)
  if (HttpClientError.isHttpClientError(error)) return unreachable(connection, error)
  return Schema.isSchemaError(error) && !isSent ? malformed(error) : unknownAnswer(connection)
}

/** The query of a call that can be tried out. */
export const trying = (dryRun: boolean) => (dryRun ? { dry_run: "true" as const } : {})

const RETRIES = 1

const options = ({ api, secret, url }: Connection.Connection) => ({
  url,
  retries: RETRIES,
  ...(api === "admin" ? { adminToken: secret } : api === "telco" ? { telcoToken: secret } : { key: secret })
})

/** The request of `/v3` as an operator sends it for an organization (rule W14). */
const asOperator = (id: string) => (request: HttpClientRequest.HttpClientRequest) =>
  HttpClientRequest.setUrl(
    request,
    request.url.replace(/^\/v3\//, `/admin/v1/organizations/${encodeURIComponent(id)}/`)
  )

/**
 * Calls the server with the client. `through` may read answers in a way of its own, before the
 * client decodes them.
 */
export const call = <A>(
  connection: Connection.Connection,
  use: (client: Client.Client) => Effect.Effect<A, unknown>,
  through: (client: HttpClient.HttpClient) => HttpClient.HttpClient = identity
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    let isSent = false
    const { ofOperator, ...own } = connection
    const toOwn =
      ofOperator === undefined
        ? identity<HttpClientRequest.HttpClientRequest>
        : asOperator(Option.isSome(ofOperator) ? ofOperator.value : yield* onlyOrganization(own))
    const watched = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) => {
      isSent = true
      return toOwn(request)
    })
    const client = yield* Effect.provideService(
      Client.make(options(connection)),
      HttpClient.HttpClient,
      through(watched)
    )
    const reasoned = Effect.provideService(use(client), Client.AuditReason, connection.reason).pipe(
      // A redirect is an answer of something else: it makes a POST a GET, and loses the key.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
    )
    return yield* Effect.mapError(reasoned, (error) => failureOf(connection, error, isSent))
  })

/**
 * Repeats a request that does a part of the work, until nothing is left; the next part is asked for
 * with `after`. Returns how many were done, which the failure of a later part says too.
 */
export const inParts = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  wereDone: string,
  part: (
    client: Client.Client,
    after: { readonly after?: string }
  ) => Effect.Effect<{ readonly done: number; readonly next: string | null }, unknown>
) {
  let sum = 0
  let after: string | null = null
  do {
    const cursor: { readonly after?: string } = after === null ? {} : { after }
    const before = sum
    const { done, next } = yield* Effect.mapError(
      call(connection, (client) => part(client, cursor)),
      (error) => (before === 0 ? error : impossible(`${error.message} ${before} ${wereDone} before.`))
    )
    sum += done
    after = next
  } while (after !== null)
  return sum
})

export interface Given extends Connection.Given {
  readonly org: Option.Option<string>
}

/** How many organizations are named if one has to be chosen. */
const SOME = 5

const onlyOrganization: (
  connection: Connection.Connection
) => Effect.Effect<string, CommandFailed, HttpClient.HttpClient> = Effect.fnUntraced(function* (connection) {
  const { data, next_page } = yield* call(connection, (client) => client.organizations.list({ query: {} }))
  const [first, ...others] = data
  if (first === undefined)
    return yield* misused("There is no organization yet: make one with `simplan org create NAME`.")
  if (others.length > 0) {
    const some = data.slice(0, SOME).map((one) => `${one.organization_id} (${Output.text(one.name)})`)
    const count = next_page === null ? String(data.length) : `more than ${data.length}`
    const rest = data.length > SOME ? " and others (`simplan org list`)" : ""
    return yield* misused(`There are ${count} organizations, so name one with --org: ${some.join(", ")}${rest}.`)
  }
  return first.organization_id
})

/**
 * The connection to the management API, and the id of the organization: the one that `--org` names,
 * or the only one.
 */
export const openOrganization = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.openAdmin(given)
  return { connection, id: Option.isSome(given.org) ? given.org.value : yield* onlyOrganization(connection) }
})
