/**
 * Random runs in which the telco sells eSIMs with bundles (rule I15), and faults of the service
 * that they find.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Sim } from "simplan/ports"
import { Commands, Invariants } from "../../src/testing/index.ts"
import { mustHold, recorded } from "./Histories.ts"
import { type Around, asking, storing } from "./Planted.ts"

const RUNS = Number(process.env["PURCHASE_RUNS"] ?? 40)
const FROM = Number(process.env["PURCHASE_SEED"] ?? 1)

const options = { esims: { Green: 1 }, physicalSims: 0, sellableDays: [30, null, 5, 2, 400] }

const commandsOf = (seed: number) => fc.sample(Commands.purchases(), { seed, numRuns: 1 })[0] ?? []

it(`What is bought is one SIM each, and goes to plans of its load, in ${RUNS} runs`, async () => {
  let sold = 0
  let returned = 0
  for (let seed = FROM; seed < FROM + RUNS; seed++) {
    const history = await recorded(seed, commandsOf(seed), options)
    mustHold(history)
    for (const { kind, refusal } of history.steps.flatMap(({ changes }) => changes.records)) {
      if (kind === "sale" && refusal === null) sold++
      if (kind === "return") returned++
    }
  }
  expect(sold).toBeGreaterThan(RUNS)
  expect(returned).toBeGreaterThan(RUNS / 20)
}, 300_000)

/** Reservations for a load that are made for something else. */
const reserving = (change: (load: Sim.WantedLoad) => Sim.WantedLoad): Around =>
  storing(({ sims }) => ({
    sims: {
      ...sims,
      reserve: (claim) => sims.reserve({ ...claim, load: claim.load === null ? null : change(claim.load) })
    }
  }))

/** What is returned stays in the stock. */
const kept: Around = storing((storage) => ({
  commit: (commit) =>
    storage.commit({
      ...commit,
      sims: (commit.sims ?? []).map(({ loaded, next }) => {
        const isReturn = next.sim.allocation?._tag === "Withdrawn" && next.sim.allocation.reason === "returned"
        return { loaded, next: isReturn ? { ...next, sim: { ...next.sim, allocation: { _tag: "Free" } } } : next }
      })
    })
}))

let bought = 0

/** Each call of a purchase is one of its own. */
const again = asking(({ buySim }) => ({
  buySim: (of) => buySim?.({ ...of, purchaseId: `${of.purchaseId} ${bought++}` }) ?? Effect.die("it sells none")
}))

const faults: ReadonlyArray<readonly [what: string, around: Around]> = [
  [
    "a request adds a purchase while one is outstanding",
    storing(() => ({ adoptPurchase: () => Effect.succeed(null) }))
  ],
  ["eSIMs are given that lapse within a day", reserving((of) => ({ ...of, sellAfter: 0 }))],
  ["an eSIM with any load is given", reserving((of) => ({ ...of, load: "1 GB" }))],
  ["what is returned is sold", kept],
  ["a purchase that comes again is another one", again]
]

describe("A fault is found", () => {
  it.each(faults)(
    "if %s",
    async (_, around) => {
      for (let seed = 1; seed <= 200; seed++) {
        const history = await recorded(seed, commandsOf(seed), { ...options, around })
        if (Invariants.check(history).length > 0) return
      }
      expect.unreachable("no run has found it")
    },
    300_000
  )
})
