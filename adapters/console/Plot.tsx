/**
 * Small plots of bars: how often something happened in each span, with what failed of it in another
 * colour; and what one month has of each day beside another one.
 */
export interface Counts {
  readonly all: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
}

const HEIGHT = 100

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const grouped = (value: number): string => value.toLocaleString("en")

/** Bars of one colour. */
interface Series {
  /** The class that has their colour. */
  readonly name: string
  readonly values: ReadonlyArray<number>
  /** Where in its place a bar begins, and how wide it is; a place has the width 1. */
  readonly x: number
  readonly width: number
}

const mostOf = (...all: ReadonlyArray<ReadonlyArray<number>>): number => Math.max(1, ...all.flat())

/** The bars of several series over one another, from 0 to `most`. */
const Bars = ({
  label,
  most,
  series
}: {
  readonly label: string
  readonly most: number
  readonly series: ReadonlyArray<Series>
}) => (
  <svg
    role="img"
    aria-label={label}
    viewBox={`0 0 ${Math.max(...series.map(({ values }) => values.length))} ${HEIGHT}`}
    preserveAspectRatio="none"
  >
    {series.map(({ name, values, width, x }) =>
      values.map((value, at) => {
        const height = (value * HEIGHT) / most
        return <rect key={`${name} ${at}`} class={name} x={at + x} width={width} y={HEIGHT - height} height={height} />
      })
    )}
  </svg>
)

const MINUTE = 60_000

/** How long a bar counts. */
const SPAN = 5 * MINUTE

/** The hour and the minute of a bar, in UTC; of the last one: now. */
const clockOf = (from: string, at: number, count: number): string =>
  at === count - 1 ? "now" : `${new Date(Date.parse(from) + at * SPAN).toISOString().slice(11, 16)} UTC`

export const Plot = ({
  counts,
  from,
  title
}: {
  readonly title: string
  readonly from: string
  readonly counts: Counts
}) => {
  const { all, failed } = counts
  const most = mostOf(all)
  const lost = sum(failed)
  const said = `${grouped(sum(all))}${lost === 0 ? "" : `, ${grouped(lost)} failed`}`
  return (
    <figure class="plot">
      <figcaption>
        {title}: <span class={lost === 0 ? "" : "bad"}>{said}</span>
      </figcaption>
      <Bars
        label={`${title}: ${said}, at most ${grouped(most)} in five minutes`}
        most={most}
        series={[
          { name: "count", values: all, x: 0.1, width: 0.8 },
          { name: "failed", values: failed, x: 0.1, width: 0.8 }
        ]}
      />
      <p class="note">
        Up to {grouped(most)} in {SPAN / MINUTE} min
      </p>
      <Ends names={all.map((_, at) => clockOf(from, at, all.length))} />
    </figure>
  )
}

/** A place of a plot, such as a day. */
export interface Place {
  readonly name: string
  readonly value: number
}

/** The names of the first place, of the one in the middle, and of the last one. */
const Ends = ({ names }: { readonly names: ReadonlyArray<string> }) => (
  <p class="note ends" aria-hidden="true">
    {[0, Math.floor((names.length - 1) / 2), names.length - 1].map((at) => (
      <span key={at}>{names[at]}</span>
    ))}
  </p>
)

/** A value of each place. */
export const Days = ({
  places,
  says,
  title
}: {
  readonly title: string
  readonly places: ReadonlyArray<Place>
  /** A value as it is shown. */
  readonly says: (value: number) => string
}) => {
  const values = places.map(({ value }) => value)
  const most = mostOf(values)
  const top = places.find(({ value }) => value === most)
  return (
    <figure class="plot tall">
      <figcaption>
        {title}: {says(sum(values))} in {places.length} days
        {top !== undefined && `, at most ${says(most)} on ${top.name}`}
      </figcaption>
      <Bars
        label={`${title}: ${places
          .filter(({ value }) => value > 0)
          .map(({ name, value }) => `${name} ${says(value)}`)
          .join(", ")}`}
        most={most}
        series={[{ name: "count", values, x: 0.1, width: 0.8 }]}
      />
      <Ends names={places.map(({ name }) => name)} />
    </figure>
  )
}

/** What a span has of each place. */
interface Span {
  readonly name: string
  readonly values: ReadonlyArray<number>
}

/** Every so many places one is named. */
const NAMED = 5

/** Two spans beside one another: the former one left of each place, the latter one right of it. */
export const Pair = ({
  former,
  latter,
  place,
  says,
  title
}: {
  readonly title: string
  readonly former: Span
  readonly latter: Span
  /** What a place is, such as a day; they are counted from 1. */
  readonly place: string
  /** A value as it is shown. */
  readonly says: (value: number) => string
}) => {
  const places = Math.max(former.values.length, latter.values.length)
  const most = mostOf(former.values, latter.values)
  const both = [former, latter].map(({ name, values }) => {
    const top = Math.max(...values)
    return `${name} ${says(sum(values))}${top === 0 ? "" : `, at most ${says(top)} on ${place} ${values.indexOf(top) + 1}`}`
  })
  return (
    <figure class="plot pair">
      <figcaption>
        {title}, up to {says(most)}: <span class="key former">{former.name}</span>{" "}
        <span class="key count">{latter.name}</span>
      </figcaption>
      <Bars
        label={`${title}: ${both.join("; ")}`}
        most={most}
        series={[
          { name: "former", values: former.values, x: 0.08, width: 0.4 },
          { name: "count", values: latter.values, x: 0.5, width: 0.4 }
        ]}
      />
      <p class="note axis" aria-hidden="true">
        {Array.from({ length: places }, (_, at) => (
          <span key={at}>{at === 0 || (at + 1) % NAMED === 0 ? at + 1 : ""}</span>
        ))}
      </p>
    </figure>
  )
}
