/**
 * A NUL, which PostgreSQL keeps in no text, in each query parameter and each part of a path of
 * `/v3` and `/admin/v1`: it is refused as input, and never by the storage.
 */
import { Redacted } from "effect"
import * as Postgres from "simplan/postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as World from "../World.ts"

interface Parameter {
  readonly name: string
  readonly in: string
}

let world: World.World
let tenant: World.Tenant

beforeAll(async () => {
  const database = await Databases.create()
  world = await World.start({
    storage: Postgres.layer({ url: Redacted.make(database.url), maxConnections: 4 })
  })
  tenant = await World.tenant(world)
})

afterAll(() => world.close())

/** The routes under a prefix, each with its parameters. */
const routes = async (prefix: string) => {
  const { paths } = (await world.fetch("GET", "/openapi.json")).body
  const found: Array<{ method: string; path: string; parameters: ReadonlyArray<Parameter> }> = []
  for (const path of Object.keys(paths).filter((one) => one.startsWith(prefix))) {
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      const parameters = paths[path][method]?.parameters
      if (parameters !== undefined) found.push({ method: method.toUpperCase(), path, parameters })
    }
  }
  return found
}

const NUL = "a%00b"

it.each(["/v3", "/admin/v1"])("in each parameter of %s is no failure of the storage", async (prefix) => {
  const headers = prefix === "/v3" ? { "x-api-key": tenant.key } : { authorization: `Bearer ${World.ADMIN_TOKEN}` }
  const failed: Array<string> = []
  let asked = 0
  for (const { method, parameters, path } of await routes(prefix)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
    const filled = (nul: string) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) =>
        name === nul ? NUL : name === "id" ? tenant.organizationId : World.iccid(1)
      )
    const targets = [
      ...names.map(filled),
      ...parameters.filter((one) => one.in === "query").map(({ name }) => `${filled("")}?${name}=${NUL}`)
    ]
    for (const target of targets) {
      const { status } = await world.fetch(method, target, { headers, ...(method !== "GET" && { body: {} }) })
      if (status < 400 || status >= 500) failed.push(`${status} ${method} ${target}`)
      asked += 1
    }
  }
  expect(failed).toEqual([])
  expect(asked).toBeGreaterThan(20)
})
