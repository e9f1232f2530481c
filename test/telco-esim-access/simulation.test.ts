/** The port of eSIM Access under faults from seeds, and with faults planted into it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Simulation from "./Simulation.ts"

const SEEDS = 12

it("buys each eSIM once, at what it was charged, and puts each package on one", async () => {
  const struck = new Map<string, number>()
  const found: Array<string> = []
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await Simulation.run(seed)
    found.push(...run.problems.map((problem) => `${seed}: ${problem}`))
    for (const [what, times] of run.struck) struck.set(what, (struck.get(what) ?? 0) + times)
  }
  expect(found).toEqual([])
  const lost = ["request lost", "answer lost", "late", "half body", "too many", "busy", "no JSON", "contradiction"]
  for (const what of [
    ...lost.map((one) => `/esim/order: ${one}`),
    ...["process dies", "write of the journal fails", "package cancelled", "given back", "used"]
  ]) {
    expect(struck.get(what), what).toBeGreaterThan(0)
  }
}, 120_000)

it("goes the same way each time", async () => {
  for (const seed of [3, 8]) {
    expect((await Simulation.run(seed)).trace).toBe((await Simulation.run(seed)).trace)
  }
})

describe("a fault is found if", () => {
  const planted: ReadonlyArray<readonly [string, Simulation.Planted]> = [
    ["an order that comes again is another one", { forgetsKeys: true }],
    [
      "what is being allocated is taken for refused",
      { answer: (path, text) => (path === "/esim/query" ? text.replace("200010", "200002") : text) }
    ],
    [
      "the journal forgets what was bought",
      {
        journal: (journal) => ({
          ...journal,
          get: (place) => (place.kind === "purchase" ? Effect.succeed(null) : journal.get(place))
        })
      }
    ]
  ]

  it.each(planted)("%s", async (_, fault) => {
    for (let seed = 1; seed <= 60; seed++) if ((await Simulation.run(seed, fault)).problems.length > 0) return
    expect.unreachable("no run has found it")
  })
})
