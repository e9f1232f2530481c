/**
 * The soak's verdict finds what grows with the number of requests, and takes noise for what it is.
 */
import { describe, expect, it } from "vitest"
import * as Sample from "./Sample.ts"

const MEGABYTE = 1_048_576

const samples = (change: (index: number) => Partial<Sample.Sample>): ReadonlyArray<Sample.Sample> =>
  Array.from({ length: 10 }, (_, index) => ({
    requests: index * 1_000,
    heapUsed: (60 + (index % 3)) * MEGABYTE,
    listeners: 10,
    resources: { Timeout: 5 + (index % 4), TCPSocketWrap: 20 },
    series: 200,
    ...change(index)
  }))

describe("A soak", () => {
  it("finds nothing where all stays as it is", () => {
    expect(Sample.problems(samples(() => ({})))).toEqual([])
  })

  it.each([
    ["The heap", (index: number) => ({ heapUsed: (60 + 2 * index) * MEGABYTE })],
    ["Timeout", (index: number) => ({ resources: { Timeout: 10 * index } })],
    ["listeners", (index: number) => ({ listeners: 10 * index })],
    ["metric series", (index: number) => ({ series: 200 + 10 * index })]
  ])("finds that %s grows", (what, change) => {
    expect(Sample.problems(samples(change))).toEqual([expect.stringContaining(`${what} grow`)])
  })

  it("says so where too little was asked", () => {
    expect(Sample.problems(samples((requests) => ({ requests })))).toEqual(["Only 9 requests were answered"])
    expect(Sample.problems(samples(() => ({})).slice(0, 3))).toEqual(["There are too few samples"])
  })
})
