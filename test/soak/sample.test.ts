/**
 * The soak's verdict finds what grows with the number of requests, and takes noise for what it is.
 */
import { describe, expect, it } from "vitest"
import * as Sample from "./Sample.ts"

const MEGABYTE = 1_048_576

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `simplan_jobs_total{kind="${number}"}`)

const samples = (change: (index: number) => Partial<Sample.Sample>): ReadonlyArray<Sample.Sample> =>
  Array.from({ length: 10 }, (_, index) => ({
    requests: index * 1_000,
    heapUsed: (60 + (index % 3)) * MEGABYTE,
    listeners: 10,
    held: { memory: 250 + 10 * (index % 3), files: 40 + (index % 5) },
    statements: 60,
    lines: 900,
    resources: { Timeout: 5 + (index % 4), TCPSocketWrap: 20 },
    series: numbered(200),
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
    ["The resident memory", (index: number) => ({ held: { memory: 250 + 10 * index, files: 40 } })],
    ["files", (index: number) => ({ held: { memory: 250, files: 40 + 10 * index } })],
    ["prepared statements", (index: number) => ({ statements: 60 + 10 * index })],
    ["metric lines", (index: number) => ({ lines: 900 + 10 * index })],
    ["metric series", (index: number) => ({ series: numbered(200 + 10 * index) })]
  ])("finds that %s grows", (what, change) => {
    expect(Sample.problems(samples(change))).toEqual([expect.stringContaining(`${what} grow`)])
  })

  it("names the newest of the series that grow, also where as many go as come", () => {
    const series = (index: number) => numbered(200 + 5 * index).slice(5 * index)
    const [problem] = Sample.problems(samples((index) => ({ series: series(index) })))
    expect(problem).toMatch(
      /^metric series grow by 0\.0050 with each request, such as .*simplan_jobs_total\{kind="244"\}$/
    )
  })

  it("takes series that appear for the first time for none that grow, however many and late", () => {
    const first = samples((index) => ({ series: numbered(index < 7 ? 200 + 40 * index : 480) }))
    expect(Sample.problems(first)).toEqual([])
  })

  it("takes lines that appear for the first time for none that grow", () => {
    expect(Sample.problems(samples((index) => ({ lines: index < 7 ? 900 + 40 * index : 1_180 })))).toEqual([])
  })

  it("counts a histogram as one series for each set of its other labels", () => {
    const metrics = [
      "# TYPE http_request_duration_seconds histogram",
      'http_request_duration_seconds_bucket{method="GET",route="/healthz",le="0.1"} 1',
      'http_request_duration_seconds_bucket{method="GET",route="/healthz",le="+Inf"} 2',
      'http_request_duration_seconds_sum{method="GET",route="/healthz"} 0.25',
      'http_request_duration_seconds_count{method="GET",route="/healthz"} 2',
      'http_request_duration_seconds_count{method="GET",route="/readyz"} 2',
      'wait_bucket{le="1"} 2',
      "wait_sum 2",
      "simplan_storage_up 1",
      ""
    ].join("\n")
    expect(Sample.seriesOf(metrics)).toEqual([
      'http_request_duration_seconds{method="GET",route="/healthz"}',
      'http_request_duration_seconds{method="GET",route="/readyz"}',
      "wait",
      "simplan_storage_up"
    ])
  })

  it("says so where too little was asked", () => {
    expect(Sample.problems(samples((requests) => ({ requests })))).toEqual(["Only 9 requests were answered"])
    expect(Sample.problems(samples(() => ({})).slice(0, 3))).toEqual(["There are too few samples"])
  })
})
