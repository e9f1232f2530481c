/**
 * No request makes the service fail: every answer is one of the definition.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Definition from "./Definition.ts"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

let world: World.World
let stock: Inventory.Stock

beforeAll(async () => {
  world = await World.start()
  stock = await Inventory.stock(world, 1, 200)
})

afterAll(() => world.close())

const fields = [
  "plan_id",
  "metadata",
  "iccid",
  "active_period",
  "start",
  "end",
  "from",
  "message",
  "coverage_id",
  "data_MBs",
  "name",
  "period_days",
  "recurring",
  "throttling",
  "nb_occurrence",
  "recurring_periodicity_type",
  "throttling_threshold1_perc",
  "region_name",
  "label",
  "iso2_list",
  "apply",
  "__proto__",
  "constructor",
  "events",
  "sims"
]

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\0", "\ud800", "\udfff", "a", "é", "😀", '"', "\\") }),
  fc.constantFrom(
    "Green",
    "FR",
    "0",
    "2026-01-11T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "0000-01-01T00:00:00Z",
    World.iccid(1)
  )
)

const anyLeaf = fc.oneof(
  anyText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, 1, 2 ** 31 - 1, 2 ** 53, -1, 1e308)
)

const anyBody = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, anyLeaf, fc.array(tie("value"), { maxLength: 4 }), tie("record")),
  record: fc.dictionary(fc.oneof(fc.constantFrom(...fields), anyText), tie("value"), { maxKeys: 8 })
}))

const encoded = fc.oneof(
  anyText.map((text) => encodeURIComponent(text.replace(/\p{Surrogate}|^\.+$/gu, "?"))),
  fc.constantFrom("%00", "%zz", "%", "%ED%A0%80", "%2F", "a b".replace(" ", "+"), "x".repeat(600))
)

const anyQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "page",
        "page_size",
        "label",
        "archived",
        "search_query",
        "country_iso_2",
        "is_esim",
        "region_code",
        "country",
        "%zz",
        "__proto__"
      ),
      encoded
    ),
    { maxLength: 4 }
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"))

const call = async (route: Definition.Route, ids: ReadonlyArray<string>, query: string, raw: string | undefined) => {
  let at = 0
  const path = route.path.replace(/:\w+/g, () => ids[at++] ?? "x")
  const answer = await stock.tenant.call(route.method, `${path}?${query}`, {
    ...(raw === undefined || route.method === "GET" ? undefined : { raw }),
    headers: {
      ...(route.path.startsWith("/admin") && { authorization: `Bearer ${World.ADMIN_TOKEN}` }),
      ...(route.path.startsWith("/telco") && { authorization: `Bearer ${World.TELCO_TOKEN}` }),
      ...(raw !== undefined && route.method !== "GET" && { "content-type": "application/json" })
    }
  })
  if (answer.status >= 500) throw new Error(`${route.method} ${path}?${query} ${raw}\n${answer.status} ${answer.text}`)
}

const routes = Definition.routes.filter(({ path }) => path !== "/admin/v1/clock/advance")
const anyRoute = fc.constantFrom(...routes)
const anyIds = fc.array(fc.oneof(encoded, fc.constantFrom(World.iccid(1), World.iccid(2))), {
  minLength: 3,
  maxLength: 3
})

describe("any request", () => {
  it("with any JSON body is answered", () =>
    fc.assert(
      fc.asyncProperty(anyRoute, anyIds, anyQuery, anyBody.record, (route, ids, query, body) =>
        call(route, ids, query, JSON.stringify(body))
      ),
      { numRuns: 400 }
    ))

  it("with any bytes is answered", () =>
    fc.assert(
      fc.asyncProperty(anyRoute, anyIds, anyQuery, fc.string({ unit: "binary" }), (route, ids, query, raw) =>
        call(route, ids, query, raw)
      ),
      { numRuns: 150 }
    ))
})
