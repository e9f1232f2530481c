/**
 * The processes that share a storage, and what has happened in them lately.
 */
import { expect, it } from "vitest"
import * as Process from "../../src/domain/Process.ts"
import * as Rates from "../../src/domain/Rates.ts"

const nothing = (): Rates.Counts => ({ all: Array(Rates.SPANS).fill(0), failed: Array(Rates.SPANS).fill(0) })

/** Rates since `from` in which so many requests came in each of the last spans. */
const rates = (from: number, ...requests: ReadonlyArray<number>): Rates.Rates => {
  const { all, failed } = nothing()
  const counted = { all: [...all.slice(requests.length), ...requests], failed }
  return { from, counts: { requests: counted, telcoCalls: nothing(), deliveries: nothing(), jobs: nothing() } }
}

const process = (processId: string, startedAt: number): Process.Process => ({
  processId,
  version: null,
  host: null,
  runs: [],
  startedAt,
  beatAt: startedAt,
  heldJobs: 0,
  heldDeliveries: 0,
  rates: rates(0)
})

it("processes are shown by when they started, so many at most", () => {
  const shown = (...processes: ReadonlyArray<Process.Process>) =>
    Process.shown(processes).map(({ processId }) => processId)
  expect(shown(process("c", 2), process("b", 1), process("a", 2))).toEqual(["b", "a", "c"])
  const many = Array.from({ length: Process.SHOWN + 1 }, (_, n) => process(String(n), Process.SHOWN - n))
  expect(shown(...many)).toHaveLength(Process.SHOWN)
  expect(shown(...many)).not.toContain("0")
})

it("rates of several processes add up in the spans of the first one", () => {
  const last = ({ counts }: Rates.Rates) => counts.requests.all.slice(-3)
  expect(last(Rates.together(rates(0, 1, 2, 3), []))).toEqual([1, 2, 3])
  expect(last(Rates.together(rates(0, 1, 2, 3), [rates(0, 10, 20, 30), rates(0, 0, 0, 100)]))).toEqual([11, 22, 133])
  // The other one has counted up to the span before, or has begun the one after.
  expect(last(Rates.together(rates(Rates.SPAN, 1, 2, 3), [rates(0, 10, 20, 30)]))).toEqual([21, 32, 3])
  expect(last(Rates.together(rates(0, 1, 2, 3), [rates(Rates.SPAN, 10, 20, 30)]))).toEqual([1, 12, 23])
  expect(Rates.together(rates(Rates.SPAN), []).from).toBe(Rates.SPAN)
})

it("what failed in several processes adds up apart from all that happened", () => {
  const { counts, from } = rates(0, 5)
  const failing = (...failed: ReadonlyArray<number>): Rates.Rates => ({
    from,
    counts: {
      ...counts,
      requests: { ...counts.requests, failed: [...nothing().failed.slice(failed.length), ...failed] }
    }
  })
  const { all, failed } = Rates.together(failing(1, 2), [failing(0, 1)]).counts.requests
  expect([all.slice(-2), failed.slice(-2)]).toEqual([
    [0, 10],
    [1, 3]
  ])
})
