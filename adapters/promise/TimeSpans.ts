/**
 * Lengths of time in options and requests: milliseconds, or a number with a unit.
 */
import type { TimeSpan } from "./types/Calls.ts"

const TEXT = /^(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day)s?$/

const UNITS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000
}

/** What a length of time must be. */
export const MESSAGE = 'must be a number of milliseconds that is not negative, or a text such as "20 seconds"'

/** Milliseconds; undefined where it is no length of time that is finite and not negative. */
export const millis = (value: unknown): number | undefined => {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined
  const [, amount, unit = ""] = (typeof value === "string" ? TEXT.exec(value) : null) ?? []
  return amount === undefined ? undefined : Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
}

/** Whether it is a length of time. */
export const isTimeSpan = (value: unknown): value is TimeSpan => millis(value) !== undefined
