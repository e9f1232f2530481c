/**
 * Times: as they are from now, or exactly in UTC or in the browser's zone, as the browser keeps it.
 * All of these are there on hover.
 */
import { signal } from "@preact/signals"
import * as Api from "./Api.ts"

const WAYS = [
  ["relative", "Times from now"],
  ["utc", "Times in UTC"],
  ["local", "Local times"]
] as const

type Way = (typeof WAYS)[number][0]

/** Where the browser keeps it. */
const KEPT = "simplan.times"

const kept = (): Way => WAYS.find(([way]) => way === localStorage.getItem(KEPT))?.[0] ?? "relative"

/** How times are shown. */
const way = signal<Way>(kept())

/** Chooses how times are shown. */
export const Switch = () => (
  <select
    aria-label="Times"
    value={way.value}
    onChange={({ currentTarget }) => {
      localStorage.setItem(KEPT, currentTarget.value)
      way.value = kept()
    }}
  >
    {WAYS.map(([value, title]) => (
      <option key={value} value={value}>
        {title}
      </option>
    ))}
  </select>
)

const DAY = 86_400_000

const UNITS = [
  ["day", DAY],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** From how far away on a date says more than a number of days. */
const FAR = 60 * DAY

const relative = new Intl.RelativeTimeFormat("en")

/** A time from now. */
export const fromNow = (at: string, now: number): string => {
  const since = Date.parse(at) - now
  if (Math.abs(since) >= FAR) return at.slice(0, 10)
  const unit = UNITS.find(([, length]) => Math.abs(since) >= length)
  return unit === undefined ? "now" : relative.format(Math.trunc(since / unit[1]), unit[0])
}

/** A text of the browser's language and direction inside one of ours. */
const isolated = (text: string): string => `\u2068${text}\u2069`

/** A time. */
export const Time = ({
  at,
  isExact,
  isReal
}: {
  readonly at: string | null
  /** Whether it is never shown from now. */
  readonly isExact?: true
  /** Whether it is of the machine's clock, and not of the business clock. */
  readonly isReal?: true
}) => {
  if (at === null) return <span class="none">–</span>
  const utc = `${at.slice(0, 19).replace("T", " ")} UTC`
  const local = new Date(at).toLocaleString()
  const from = fromNow(at, isReal === true ? Date.now() : Api.now())
  const isLocal = way.value === "local"
  return (
    <time dateTime={at} title={`${utc}, ${isolated(local)} local, ${from}`}>
      {isLocal ? <bdi>{local}</bdi> : way.value === "utc" || isExact === true ? utc : from}
    </time>
  )
}
