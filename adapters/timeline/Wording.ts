/**
 * Formats numbers, spans and instants for people.
 */
import { Time } from "simplan"
import { Allowance, type Plan, type Recurrence } from "simplan/ports"

/** An instant in UTC, without zero seconds: `2026-03-01 08:00`. */
export const instant = (at: Time.Instant): string => {
  const iso = Time.toIso(at)
  const seconds = iso.slice(16, 23)
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${seconds === ":00.000" ? "" : seconds.replace(/\.000$/, "")}`
}

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** Bytes, in MB from 1 MB on. */
export const bytes = (count: number): string => {
  const megabytes = count / Allowance.MEGABYTE
  if (Number.isInteger(megabytes)) return `${grouped(megabytes)} MB`
  const tenth = Math.floor((megabytes % 1) * 10)
  return megabytes < 1 ? `${grouped(count)} bytes` : `${grouped(Math.floor(megabytes))}.${tenth} MB`
}

/** A share as a percentage, rounded down, so that 99.9 % is not shown as 100 %. */
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
  const largest = parts.filter(([count]) => count > 0).slice(0, 2)
  return largest.length === 0 ? "0 seconds" : largest.map(([count, noun]) => plural(count, noun)).join(" ")
}

const cycles = { Daily: "day", Weekly: "week", Monthly: "month" } as const satisfies Record<
  Recurrence.Periodicity,
  string
>

/** The terms of a plan that are shown. */
export type Terms = Pick<Plan.PlanTerms, "dataMegaBytes" | "periodDays" | "recurrence" | "throttling">

/** The terms of a plan in one line. */
export const terms = ({ dataMegaBytes, periodDays, recurrence, throttling }: Terms): string => {
  const parts = [`${grouped(dataMegaBytes)} MB for ${plural(periodDays, "day")}`]
  if (recurrence !== null) {
    const cycle = plural(recurrence.frequency, cycles[recurrence.periodicity]).replace(/^1 /, "")
    parts.push(`every ${cycle}`, plural(recurrence.occurrences, "package"))
  }
  const limits = throttling.map(({ limit, percentage }) => `to ${limit} Kbit/s at ${percentage} %`)
  if (limits.length > 0) parts.push(`throttled ${limits.join(", ")}`)
  return parts.join(", ")
}
