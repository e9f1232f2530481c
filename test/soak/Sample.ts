/**
 * What a server holds after a collection, and whether it is more and more with each request.
 */
import type { Held } from "../hostile/Verdict.ts"

export interface Sample {
  /** How many requests it had answered. */
  readonly requests: number
  /** In bytes. */
  readonly heapUsed: number
  readonly listeners: number
  /** What the operating system counts, after the same collection. */
  readonly held: Pick<Held, "memory" | "files">
  /** Prepared statements of the connection that has most of them. */
  readonly statements: number
  /** Lines of the text of metrics. */
  readonly lines: number
  /** Open handles and timers, by kind. */
  readonly resources: Readonly<Record<string, number>>
  /** Series of metrics, as `seriesOf` gives them. */
  readonly series: ReadonlyArray<string>
}

const MEGABYTE = 1_048_576

/** What the heap may grow by in a run: it is never quite the same twice. */
const HEAP = 12 * MEGABYTE

/**
 * The same of handles, timers and listeners of a kind, and of metric series: connections that
 * happen to be open.
 */
const COUNT = 40

/** What resident memory may grow by, in MB: an allocator keeps some of what is returned to it. */
const RESIDENT = 64

/** How many names of new series a complaint lists. */
const LISTED = 5

/**
 * The series in a text of metrics, by name and labels. A histogram is one series, whatever its
 * buckets.
 */
export const seriesOf = (metrics: string): ReadonlyArray<string> => {
  const names = metrics.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return []
    const name = line.slice(0, line.lastIndexOf(" "))
    return [
      name
        .replace(/_(?:bucket|sum|count)(?=\{|$)/, "")
        .replace(/,?le="[^"]*"/, "")
        .replace("{}", "")
    ]
  })
  return [...new Set(names)]
}

/** The growth per request by the least squares. */
const slope = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const mean = (all: ReadonlyArray<number>) => all.reduce((sum, one) => sum + one, 0) / all.length
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))]
  const spread = points.reduce((sum, [one]) => sum + (one - x) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [one, other]) => sum + (one - x) * (other - y), 0) / spread
}

const counts = ({ held, listeners, resources, statements }: Sample): Readonly<Record<string, number>> => ({
  ...resources,
  listeners,
  files: held.files,
  "prepared statements": statements
})

/**
 * Lines that are made with requests are more in every sample. The first appearance of a route or
 * status brings some too, and then none.
 */
const lineProblem = (samples: ReadonlyArray<Sample>, requests: number): ReadonlyArray<string> => {
  const lines = samples.map(({ lines }) => lines)
  const grown = (lines.at(-1) ?? 0) - (lines[0] ?? 0)
  const isRising = lines.every((count, index) => index === 0 || count > Math.max(...lines.slice(0, index)))
  return grown > COUNT && isRising ? [`metric lines grow by ${(grown / requests).toFixed(4)} with each request`] : []
}

/**
 * Series that are made with requests are new in every sample. A route, error or host that appears
 * for the first time brings series too, which the slower a machine is come the later, but those
 * come to an end.
 */
const seriesProblem = (samples: ReadonlyArray<Sample>, requests: number): ReadonlyArray<string> => {
  const [first, ...others] = samples
  const seen = new Set(first?.series)
  const fresh = others.map(({ series }) => {
    const found = series.filter((name) => !seen.has(name))
    for (const name of found) seen.add(name)
    return found
  })
  const all = fresh.flat()
  if (all.length <= COUNT || fresh.some((found) => found.length === 0)) return []
  const rate = (all.length / requests).toFixed(4)
  return [`metric series grow by ${rate} with each request, such as ${all.slice(-LISTED).join(", ")}`]
}

/**
 * What grows with the number of requests, in sentences. The first sample is taken after the
 * warm-up.
 */
export const problems = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || samples.length < 4) return ["There are too few samples"]
  const requests = last.requests - first.requests
  if (requests < 100) return [`Only ${requests} requests were answered`]
  const growth = (of: (sample: Sample) => number): number =>
    slope(samples.map((sample) => [sample.requests, of(sample)] as const)) * requests
  const heap = growth(({ heapUsed }) => heapUsed)
  const resident = growth(({ held }) => held.memory)
  const names = new Set(samples.flatMap((sample) => Object.keys(counts(sample))))
  return [
    ...(heap > HEAP ? [`The heap grows by ${Math.round(heap / requests)} bytes with each request`] : []),
    ...(resident > RESIDENT ? [`The resident memory grows by ${Math.round(resident)} MB`] : []),
    ...[...names].flatMap((name) => {
      const grown = growth((sample) => counts(sample)[name] ?? 0)
      return grown > COUNT ? [`${name} grow by ${(grown / requests).toFixed(4)} with each request`] : []
    }),
    ...seriesProblem(samples, requests),
    ...lineProblem(samples, requests)
  ]
}

/** The samples in a line: from the first to the last. */
export const summary = (samples: ReadonlyArray<Sample>): string => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return "no samples"
  const handles = ({ resources }: Sample): number => Object.values(resources).reduce((sum, one) => sum + one, 0)
  const columns: ReadonlyArray<readonly [what: string, of: (sample: Sample) => string | number]> = [
    ["MB of heap", ({ heapUsed }) => (heapUsed / MEGABYTE).toFixed(1)],
    ["MB resident", ({ held }) => held.memory.toFixed(0)],
    ["files", ({ held }) => held.files],
    ["handles and timers", handles],
    ["listeners", ({ listeners }) => listeners],
    ["prepared statements", ({ statements }) => statements],
    ["metric series", ({ series }) => series.length],
    ["metric lines", ({ lines }) => lines]
  ]
  const differences = columns.map(([what, of]) => `${of(first)} to ${of(last)} ${what}`)
  return [`${last.requests - first.requests} requests`, ...differences].join("; ")
}
