/** The port of eSIM Go under faults from seeds, and with faults planted into it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { CallFailure } from "../../adapters/telco-calls/index.ts"
import * as Simulation from "./Simulation.ts"

const SEEDS = 25

it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  "buys each eSIM and each top-up once, and keeps what each package has: seed %i",
  async (seed) => {
    expect((await Simulation.run(seed)).problems).toEqual([])
  }
)

it("strikes with every fault, in the same way at each run", async () => {
  const struck = new Set<string>()
  for (let seed = 1; seed <= 10; seed++) for (const what of (await Simulation.run(seed)).struck.keys()) struck.add(what)
  expect([...struck].toSorted()).toEqual(
    [
      "answer lost",
      "given back",
      "late",
      "look lost",
      "process dies",
      "request lost",
      "sold elsewhere",
      "too many",
      "undo refused",
      "write of the journal fails"
    ].toSorted()
  )
  expect((await Simulation.run(7)).trace).toBe((await Simulation.run(7)).trace)
})

describe("a fault is found if", () => {
  const planted: ReadonlyArray<readonly [string, Simulation.Planted]> = [
    ["an order without an answer is not looked for", { api: (api) => ({ ...api, orders: () => Effect.succeed([]) }) }],
    [
      "what is lost is taken for not done",
      {
        api: (api) => ({
          ...api,
          order: (of) =>
            Effect.mapError(
              api.order(of),
              ({ message, outcome }) =>
                new CallFailure.CallFailure({ message, outcome: outcome === "Unknown" ? "NotDone" : outcome })
            )
        })
      }
    ],
    ["what is late is not waited for", { lateMillis: 0 }],
    [
      "top-ups on a SIM are not listed",
      { api: (api) => ({ ...api, assignments: (of) => Effect.map(api.assignments(of), (all) => all.slice(0, 1)) }) }
    ],
    [
      "an eSIM that is in use is taken for a new one",
      {
        api: (api) => ({
          ...api,
          orders: (of) =>
            Effect.map(api.orders(of), (orders) =>
              orders.map((order) => ({ ...order, items: order.items.map((item) => ({ ...item, esims: [] })) }))
            )
        })
      }
    ],
    [
      "the journal forgets the orders of packages",
      {
        journal: (journal) => ({
          ...journal,
          get: (place) => (place.kind === "package" ? Effect.succeed(null) : journal.get(place))
        })
      }
    ]
  ]

  it.each(planted)("%s", async (_, of) => {
    for (let seed = 1; seed <= 60; seed++) if ((await Simulation.run(seed, of)).problems.length > 0) return
    expect.unreachable("no run has found it")
  })
})
