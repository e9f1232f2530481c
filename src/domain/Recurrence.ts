/**
 * Recurrence (rules T1 and T5): when each occurrence of a recurring attachment is active, and when
 * it is due.
 *
 * Occurrence `i` activates at the anchor plus `i` cycles and lasts `periodDays`. It is due 12 h
 * before it activates. So the occurrences that exist follow from terms, anchor and clock alone.
 */
import type { Instant } from "./Time.ts"
import { addDays, addMonths, HOUR } from "./Time.ts"

/** Rule T5: how long before its activation an occurrence is created at the telco. */
export const PROVISIONING_LEAD = 12 * HOUR

/** The units of a cycle: 24 h, 7 days of 24 h, and calendar months in UTC (rule T1). */
export const periodicities = ["Daily", "Weekly", "Monthly"] as const

/** The unit of a cycle. */
export type Periodicity = (typeof periodicities)[number]

/** How a plan repeats: every `frequency` units of `periodicity`, `occurrences` times. */
export interface Recurrence {
  /** The unit of a cycle. */
  readonly periodicity: Periodicity
  /** One cycle is this many days, weeks or months. */
  readonly frequency: number
  /** How many packages there are in all. */
  readonly occurrences: number
}

/** How long each package lasts. */
interface Validity {
  readonly periodDays: number
}

/** The time in which a package is active. `start` is inside, `end` is not. */
export interface Window {
  /** Inclusive. */
  readonly start: Instant
  /** Exclusive. */
  readonly end: Instant
}

/** Whether the window has ended at `now`. */
export const isOver = (window: Window, now: Instant): boolean => window.end <= now

/**
 * Rules T1 and T5: when an occurrence activates. Cycles are counted from the anchor, never from the
 * occurrence before.
 */
export const activation = (recurrence: Recurrence, anchor: Instant, occurrence: number): Instant => {
  const cycles = occurrence * recurrence.frequency
  switch (recurrence.periodicity) {
    case "Daily":
      return addDays(anchor, cycles)
    case "Weekly":
      return addDays(anchor, 7 * cycles)
    case "Monthly":
      return addMonths(anchor, cycles)
  }
}

/** The window of an occurrence. */
export const window = (terms: Validity, recurrence: Recurrence, anchor: Instant, occurrence: number): Window => {
  const start = activation(recurrence, anchor, occurrence)
  return { start, end: addDays(start, terms.periodDays) }
}

/** When an occurrence is to be created: 12 h before it activates. */
export const dueAt = (recurrence: Recurrence, anchor: Instant, occurrence: number): Instant =>
  activation(recurrence, anchor, occurrence) - PROVISIONING_LEAD

/**
 * Rule T5: how many occurrences are due at `now`. Those that activate exactly 12 h ahead are due.
 */
export const dueCount = (recurrence: Recurrence, anchor: Instant, now: Instant): number => {
  // Activations rise with the occurrence, so a binary search finds the first one that is not due.
  let low = 0
  let high = recurrence.occurrences
  while (low < high) {
    const middle = (low + high) >>> 1
    if (dueAt(recurrence, anchor, middle) <= now) low = middle + 1
    else high = middle
  }
  return low
}

/** The end of the last occurrence: when the attachment expires. */
export const expiration = (terms: Validity, recurrence: Recurrence, anchor: Instant): Instant =>
  window(terms, recurrence, anchor, recurrence.occurrences - 1).end
