/**
 * How long the innocent organization waits for its answers, and whether that is too long while the
 * database is there.
 */

export interface Asked {
  /** Its method and path, ids left out. */
  readonly what: string
  /** By the clock of this process, in milliseconds. */
  readonly began: number
  readonly ended: number
  /** What came; undefined: an answer that such a client expects. */
  readonly failure: string | undefined
}

/** The database could not be reached, by the way that the servers take. */
export interface Outage {
  readonly what: string
  readonly from: number
  readonly until: number
}

/** Something began to fail. */
export interface Mark {
  readonly what: string
  readonly at: number
}

/** How long after something failed what is late is put down to it, in milliseconds. */
const AFTER = 10_000

/** What the 99th percentile is held to, in milliseconds. */
export const LIMIT = 500

const millisOf = ({ began, ended, failure }: Asked): number =>
  failure === undefined ? ended - began : Number.POSITIVE_INFINITY

/** Those that were under way while the database was there. */
export const judged = (all: ReadonlyArray<Asked>, outages: ReadonlyArray<Outage>): ReadonlyArray<Asked> =>
  all.filter(({ began, ended }) => !outages.some(({ from, until }) => began < until && ended > from))

/** What was not served counts as longer than anything. */
export const percentile = (all: ReadonlyArray<Asked>, part: number): number => {
  const sorted = all.map(millisOf).toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.POSITIVE_INFINITY
}

export const problems = (all: ReadonlyArray<Asked>, outages: ReadonlyArray<Outage>): ReadonlyArray<string> => {
  const late = percentile(judged(all, outages), 0.99)
  return late <= LIMIT ? [] : [`The innocent organization's p99 is ${Math.round(late)} ms while the database is there`]
}

const groups = <A>(all: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const found = new Map<string, Array<A>>()
  for (const one of all) {
    const name = nameOf(one)
    const group = found.get(name)
    if (group === undefined) found.set(name, [one])
    else group.push(one)
  }
  return found
}

const figures = (all: ReadonlyArray<Asked>): string =>
  `${all.length} requests, p50 ${Math.round(percentile(all, 0.5))} ms, p99 ${Math.round(percentile(all, 0.99))} ms`

const counts = (all: ReadonlyArray<string>): string =>
  [...groups(all, (one) => one)].map(([what, { length }]) => `${length} × ${what}`).join(", ") || "none"

/** What failed last before each of those that were late. */
const causes = (all: ReadonlyArray<Asked>, marks: ReadonlyArray<Mark>): ReadonlyArray<string> =>
  all
    .filter((one) => millisOf(one) > LIMIT)
    .map(({ ended }) => marks.findLast(({ at }) => at <= ended && ended - at < AFTER)?.what ?? "nothing")

/** What was measured, in lines. */
export const summary = (
  all: ReadonlyArray<Asked>,
  {
    began,
    marks,
    outages
  }: { readonly began: number; readonly marks: ReadonlyArray<Mark>; readonly outages: ReadonlyArray<Outage> }
): ReadonlyArray<string> => {
  const there = judged(all, outages)
  return [
    `innocent: ${figures(there)} while the database was there; ${all.length - there.length} more while it was away`,
    `not served: ${counts(there.flatMap(({ failure }) => failure ?? []))}`,
    `after ${LIMIT} ms or not served, by what failed within ${AFTER / 1_000} s before: ${counts(causes(there, marks))}`,
    ...[...groups(there, ({ what }) => what)].map(([what, some]) => `  ${what}: ${figures(some)}`),
    ...outages.map(
      ({ from, until, what }) => `${((from - began) / 1_000).toFixed(1)} s: ${what}, away for ${until - from} ms`
    )
  ]
}
