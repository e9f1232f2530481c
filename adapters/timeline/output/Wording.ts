/**
 * Numbers, spans and instants as people read them.
 */
import { Plan, type Recurrence, Time } from "simplan"

/** An instant in UTC, no more of it than it needs: `2026-03-01 08:00`. */
export const instant = (at: Time.Instant): string => {
  const iso = Time.toIso(at)
  const seconds = iso.slice(16, 23)
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${seconds === ":00.000" ? "" : seconds.replace(/\.000$/, "")}`
}

/** An instant's date. */
export const date = (at: Time.Instant): string => Time.toIso(at).slice(0, 10)

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** Bytes, in MB where they are whole ones or many. */
export const bytes = (count: number): string => {
  const megabytes = count / Plan.MEGABYTE
  if (Number.isInteger(megabytes)) return `${grouped(megabytes)} MB`
  return megabytes < 1 ? `${grouped(count)} bytes` : `${grouped(Math.floor(megabytes))}.${tenth(megabytes)} MB`
}

const tenth = (value: number): number => Math.floor((value % 1) * 10)

/** A share as a percentage, rounded down: 100 % is not shown before it is reached. */
export const percent = (share: number): string => `${Math.floor(share * 100)} %`

const plural = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`

/** A span in its two largest units. */
export const span = (millis: number): string => {
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(millis / Time.DAY), "day"],
    [Math.floor((millis % Time.DAY) / Time.HOUR), "hour"],
    [Math.floor((millis % Time.HOUR) / Time.MINUTE), "minute"],
    [Math.floor((millis % Time.MINUTE) / Time.SECOND), "second"],
    [millis % Time.SECOND, "millisecond"]
  ]
  const told = parts.filter(([count]) => count > 0).slice(0, 2)
  return told.length === 0 ? "0 seconds" : told.map(([count, noun]) => plural(count, noun)).join(" ")
}

const cycles = { Daily: "day", Weekly: "week", Monthly: "month" } as const satisfies Record<
  Recurrence.Periodicity,
  string
>

/** What a plan grants, in one line. */
export const terms = ({ dataMegaBytes, periodDays, recurrence, throttling }: Plan.PlanTerms): string => {
  const granted = `${grouped(dataMegaBytes)} MB for ${plural(periodDays, "day")}`
  const every = recurrence === null ? "" : recurrence.frequency === 1 ? "" : `${recurrence.frequency} `
  const cycle =
    recurrence === null
      ? ""
      : `, every ${every}${cycles[recurrence.periodicity]}${recurrence.frequency === 1 ? "" : "s"}, ${plural(recurrence.occurrences, "package")}`
  const slowed =
    throttling.length === 0
      ? ""
      : `, throttled ${throttling.map(({ limit, percentage }) => `to ${limit} Kbit/s at ${percentage} %`).join(", ")}`
  return granted + cycle + slowed
}
