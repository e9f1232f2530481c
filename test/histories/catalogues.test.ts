/**
 * Random runs in which the catalogue of a supplier changes (rule P6) and customers come several at
 * once (rule I15), and faults of the service that they find.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Catalogues from "./Catalogues.ts"
import { type Around, storing } from "./Planted.ts"

const RUNS = Number(process.env["CATALOGUE_RUNS"] ?? 25)
const FROM = Number(process.env["CATALOGUE_SEED"] ?? 1)

it(`What has changed for the worse is not bought, and nothing is bought twice, in ${RUNS} runs`, async () => {
  const met = new Map<string, number>()
  const found: Array<string> = []
  for (let seed = FROM; seed < FROM + RUNS; seed++) {
    const run = await Catalogues.run(seed)
    found.push(...run.problems.map((problem) => `${seed}: ${problem}`))
    for (const [what, times] of run.met) met.set(what, (met.get(what) ?? 0) + times)
  }
  expect(found).toEqual([])
  for (const what of ["several at once", "is sold no more", "is sold", "gone", "dearer", "follows", "deleted"]) {
    expect(met.get(what), what).toBeGreaterThan(0)
  }
}, 300_000)

const isReview = (jobId: string): boolean => jobId.startsWith("review:bundle/")

const faults: ReadonlyArray<readonly [what: string, around: Around]> = [
  [
    "what has changed is listed as no problem",
    storing(({ commit }) => ({
      commit: (of) =>
        commit({ ...of, jobs: { ...of.jobs, put: (of.jobs?.put ?? []).filter(({ job }) => !isReview(job.jobId)) } })
    }))
  ],
  [
    "what is a problem is bought all the same",
    storing(({ jobs }) => ({
      jobs: { ...jobs, get: (of) => Effect.map(jobs.get(of), (job) => (isReview(of.jobId) ? null : job)) }
    }))
  ],
  [
    "what is as before stays a problem",
    storing(({ commit }) => ({
      commit: (of) =>
        commit({
          ...of,
          jobs: { ...of.jobs, resolved: (of.jobs?.resolved ?? []).filter((one) => !isReview(one.jobId)) }
        })
    }))
  ],
  ["a purchase stays awaited by a request that is over", storing(() => ({ leavePurchase: () => Effect.void }))],
  ["requests add purchases while some are outstanding", storing(() => ({ adoptPurchase: () => Effect.succeed(null) }))]
]

describe("A fault is found", () => {
  it.each(faults)(
    "if %s",
    async (_, around) => {
      for (let seed = 1; seed <= 100; seed++) {
        if ((await Catalogues.run(seed, around)).problems.length > 0) return
      }
      expect.unreachable("no run has found it")
    },
    300_000
  )
})
