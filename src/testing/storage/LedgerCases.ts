/**
 * The ledger of costs (rules C1 to C4): what a commit adds to it, to whom that is allotted, and how
 * it is summed.
 */
import { Effect } from "effect"
import * as Cost from "../../domain/Cost.ts"
import { DAY, HOUR } from "../../domain/Time.ts"
import { monthOf } from "../../domain/UsageBook.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

/** The months around the case's. */
const around = ({ now }: World.World) => ({ from: monthOf(now - 40 * DAY), until: monthOf(now + 70 * DAY) })

/** What an organization was charged, by these groups. */
const totals = ({ organizationId, storage, ...world }: World.World, by: ReadonlyArray<Cost.Group>) =>
  storage.ledger.totals({
    ...around({ ...world, organizationId, storage }),
    ...{ organizationId, by, after: null, limit: 1_000 }
  })

const put = ({ storage }: World.World, entries: ReadonlyArray<Cost.Entry>) =>
  storage.commit({ ledger: { put: entries } })

const usd = (units: number, scale = 2) => ({ units, scale, currency: "USD" })

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("what was charged is in the ledger once, whoever books it again", function* (world) {
    const entry = Rows.cost(world, { amount: usd(190) })
    yield* put(world, [entry])
    yield* put(world, [{ ...entry, amount: usd(500) }, Rows.cost(world, { kind: "refund", amount: usd(-45, 3) })])
    const [total, ...others] = yield* totals(world, [])
    yield* Suite.equals("months", others, [])
    yield* Suite.equals("the sum", total && Cost.decimal(total.cost), "1.855")
    yield* Suite.equals("how many", [total?.purchases, total?.refunds, total?.topUps], [1, 1, 0])
  }),

  scenario("sums of the ledger are exact, whatever the scales and however large", function* (world) {
    const amounts = [usd(Number.MAX_SAFE_INTEGER, 0), usd(Number.MAX_SAFE_INTEGER, 0), usd(1, 6), usd(-3, 1), usd(0)]
    yield* put(
      world,
      amounts.map((amount) => Rows.cost(world, { amount }))
    )
    const sum = BigInt(Number.MAX_SAFE_INTEGER) * 2_000_000n + 1n - 300_000n
    const found = yield* totals(world, [])
    yield* Suite.equals(
      "the report",
      found.map(({ cost }) => cost),
      [sum]
    )
    const spent = yield* world.storage.ledger.spent({ organizationId: world.organizationId, since: 0 })
    yield* Suite.equals(
      "what was spent",
      spent.map((one) => one.sum),
      [sum]
    )
  }),

  scenario("what a row has is found by its id, and no other's is", function* (world) {
    const { organizationId, storage } = world
    const other = yield* World.neighbour(world)
    const rows = [
      Rows.cost(world, { amount: usd(Number.MAX_SAFE_INTEGER, 0) }),
      Rows.cost(world, { amount: usd(1, 6), kind: "top_up" }),
      Rows.cost(world, { amount: usd(-3, 1), kind: "refund" }),
      Rows.cost(world, { amount: usd(0) }),
      Rows.cost(world, { amount: null })
    ]
    yield* put(world, rows)
    yield* put(other, [Rows.cost(other, { amount: usd(500) })])
    for (const { amount, costId } of rows) {
      const text = amount === null ? "none" : `${amount.units}/${amount.scale}`
      yield* Suite.equals(text, yield* storage.ledger.booked({ organizationId, costId }), Cost.booked({ amount }))
      const ofOther = { organizationId: other.organizationId, costId }
      yield* Suite.equals(`${text} of another`, yield* storage.ledger.booked(ofOther), null)
    }
  }),

  scenario("a load is its last owner's, and nobody else's row changes", function* (world) {
    const { organizationId, storage } = world
    const entries = [Rows.cost(world), Rows.cost(world)]
    yield* put(world, entries)
    const [one] = entries
    const { costId } = yield* World.given("the first", one)
    const to = (planId: string | null, regionCode: string | null): Cost.Allotment => ({
      ...{ organizationId, costId, planId, regionCode },
      ...{ attachmentId: planId === null ? null : "a", occurrence: planId === null ? null : 0 }
    })
    const shown = Effect.map(totals(world, ["plan", "country"]), (found) =>
      found.map(({ planId, purchases, regionCode }) => [planId, regionCode, purchases])
    )
    yield* storage.commit({ ledger: { allotted: [to("p-1", "EUROPE"), { ...to("p-1", null), costId: "unknown" }] } })
    yield* Suite.equals("allotted", yield* shown, [
      [null, "FR", 1],
      ["p-1", "EUROPE", 1]
    ])
    const other = yield* World.neighbour(world)
    yield* other.storage.commit({
      ledger: { allotted: [{ ...to("p-3", "FR"), organizationId: other.organizationId }] }
    })
    yield* storage.commit({ ledger: { allotted: [to("p-2", null)] } })
    yield* Suite.equals("allotted anew", yield* shown, [
      [null, "FR", 1],
      ["p-2", "EUROPE", 1]
    ])
    yield* storage.commit({ ledger: { allotted: [to(null, null)] } })
    yield* Suite.equals("given back", yield* shown, [
      [null, "EUROPE", 1],
      [null, "FR", 1]
    ])
  }),

  scenario("a report is by month, groups and currency, and no other's is in it", function* (world) {
    const { now, organizationId, storage } = world
    const other = yield* World.neighbour(world)
    const month = monthOf(now)
    const entries = [
      Rows.cost(world, { at: month - 1, telco: null, amount: null }),
      Rows.cost(world, { at: month - DAY, telco: "airalo", label: "Blue", regionCode: null }),
      Rows.cost(world, { at: month, kind: "top_up", amount: { units: 7, scale: 0, currency: "EUR" } }),
      Rows.cost(world, { at: month, kind: "sale", planId: "p-1", amount: usd(900), telco: null, load: null }),
      Rows.cost(world, { at: monthOf(month + 40 * DAY) - 1, planId: "p-1", telco: "airalo" })
    ]
    yield* put(world, entries)
    yield* put(other, [Rows.cost(other, { at: month, amount: usd(1, 6) })])
    for (const by of Cost.groupings) {
      const expected = Cost.totals(entries, by)
      yield* Suite.equals(by.join() || "month", yield* totals(world, by), expected)
      const paged: Array<Cost.Total> = []
      while (true) {
        const asked = { organizationId, ...around(world), by, after: paged.at(-1) ?? null, limit: 2 }
        const page = yield* storage.ledger.totals(asked)
        paged.push(...page)
        if (page.length < 2) break
      }
      yield* Suite.equals(`${by.join() || "month"}, page by page`, paged, expected)
    }
    const days = { from: month, until: month + 1, by: [], after: null, limit: 1_000 }
    const ofMonth = yield* storage.ledger.totals({ organizationId, ...days })
    yield* Suite.equals(
      "of one instant",
      ofMonth.map(({ currency, sales, topUps }) => [currency, sales, topUps]),
      [
        ["EUR", 0, 1],
        ["USD", 1, 0]
      ]
    )
    const ofAll = yield* storage.ledger.totals({ organizationId: null, ...days })
    yield* Suite.equals(
      "of all organizations",
      ofAll.map(({ cost, currency }) => [currency, Cost.decimal(cost)]),
      [
        ["EUR", "7.00"],
        ["USD", "0.000001"]
      ]
    )
  }),

  scenario(
    "what was spent is by supplier, load and currency since an instant, without what came back",
    function* (world) {
      const { now, organizationId, storage } = world
      yield* put(world, [
        Rows.cost(world, { at: now - HOUR - 1, amount: usd(10_000) }),
        Rows.cost(world, { at: now - HOUR, amount: usd(190) }),
        Rows.cost(world, { amount: usd(15, 1), kind: "top_up" }),
        Rows.cost(world, { amount: usd(-190), kind: "refund" }),
        Rows.cost(world, { amount: usd(900), kind: "sale" }),
        Rows.cost(world, { amount: null }),
        Rows.cost(world, { telco: null, load: "other", amount: { units: 4, scale: 0, currency: "EUR" } })
      ])
      yield* Suite.equals("spent", yield* storage.ledger.spent({ organizationId, since: now - HOUR }), [
        { telco: null, load: "other", currency: "EUR", sum: 4_000_000n },
        { telco: "esim-go", load: "esim_1GB", currency: "USD", sum: 3_400_000n }
      ])
    }
  )
]
