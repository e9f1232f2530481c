/**
 * What a server holds after a collection, and whether it is more and more with each request.
 */

export interface Sample {
  /** How many requests it had answered. */
  readonly requests: number
  /** In bytes. */
  readonly heapUsed: number
  readonly listeners: number
  /** Open handles and timers, by kind. */
  readonly resources: Readonly<Record<string, number>>
  /** Series of metrics, as `seriesOf` gives them. */
  readonly series: ReadonlyArray<string>
}

const MEGABYTE = 1_048_576

/** What the heap may grow by in a run: it is never quite the same twice. */
const HEAP = 12 * MEGABYTE

/** The same of handles, timers and listeners of a kind, and of metric series: connections that happen to be open. */
const COUNT = 40

/** How many names of new series a complaint tells. */
const TOLD = 5

/** The series in a text of metrics, by name and labels. A histogram is one series, whatever its buckets. */
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

const counts = ({ listeners, resources }: Sample): Readonly<Record<string, number>> => ({ ...resources, listeners })

/**
 * Series that are made with requests are new in every sample. A route, error or host that appears for the first time
 * brings series too, which the slower a machine is come the later, but those come to an end.
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
  return [`metric series grow by ${rate} with each request, such as ${all.slice(-TOLD).join(", ")}`]
}

/** What grows with the number of requests, in sentences. The first sample is taken after the warm-up. */
export const problems = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || samples.length < 4) return ["There are too few samples"]
  const requests = last.requests - first.requests
  if (requests < 100) return [`Only ${requests} requests were answered`]
  const growth = (of: (sample: Sample) => number): number =>
    slope(samples.map((sample) => [sample.requests, of(sample)] as const)) * requests
  const heap = growth(({ heapUsed }) => heapUsed)
  const names = new Set(samples.flatMap((sample) => Object.keys(counts(sample))))
  return [
    ...(heap > HEAP ? [`The heap grows by ${Math.round(heap / requests)} bytes with each request`] : []),
    ...[...names].flatMap((name) => {
      const grown = growth((sample) => counts(sample)[name] ?? 0)
      return grown > COUNT ? [`${name} grow by ${(grown / requests).toFixed(4)} with each request`] : []
    }),
    ...seriesProblem(samples, requests)
  ]
}

/** The samples in a line: from the first to the last. */
export const summary = (samples: ReadonlyArray<Sample>): string => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return "no samples"
  const megabytes = (sample: Sample): string => (sample.heapUsed / MEGABYTE).toFixed(1)
  const all = (sample: Sample): number => Object.values(sample.resources).reduce((sum, one) => sum + one, 0)
  return (
    `${last.requests - first.requests} requests; heap ${megabytes(first)} to ${megabytes(last)} MB, ` +
    `${all(first)} to ${all(last)} handles and timers, ${first.listeners} to ${last.listeners} listeners, ` +
    `${first.series.length} to ${last.series.length} metric series`
  )
}
