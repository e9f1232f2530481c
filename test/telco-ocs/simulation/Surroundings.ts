/**
 * The clock, the zone and the lists of the charging system in a run of the simulation, from the
 * run's seed: a clock that is up to ten minutes off, a zone with a change of summer time near the
 * run's windows, lists that are up to five seconds behind, and a setting of the zone that may be
 * wrong at first.
 */
import { DateTime } from "effect"
import * as Shapes from "../../../adapters/telco-ocs/api/Shapes.ts"
import type { Api } from "../../../adapters/telco-ocs/index.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface Surroundings {
  /** When the run begins. */
  readonly start: number
  /** How much the system's clock is ahead, in milliseconds. */
  readonly skew: number
  /** How much its lists are behind at most, in milliseconds. */
  readonly lag: number
  /** Whether devices are online with the SIMs. */
  readonly isOnline: boolean
  /** The zone in which it reads the periods of orders. */
  readonly zone: string
  /** The setting until `correctedAt`; the zone itself where nobody has set it wrongly. */
  readonly setAtFirst: string
  readonly correctedAt: number
}

const START = Date.UTC(2030, 0, 1)

/** Those of a system as its documents describe it. */
export const none: Surroundings = {
  start: START,
  skew: 0,
  lag: 0,
  isOnline: false,
  zone: "UTC",
  setAtFirst: "UTC",
  correctedAt: START
}

/** Zones, with instants at which their clocks are changed. */
const zones = [
  { zone: "UTC", changes: [START] },
  { zone: "Europe/Paris", changes: [Date.UTC(2030, 2, 31, 1), Date.UTC(2030, 9, 27, 1)] },
  { zone: "Europe/London", changes: [Date.UTC(2030, 2, 31, 1), Date.UTC(2030, 9, 27, 1)] },
  { zone: "America/New_York", changes: [Date.UTC(2030, 2, 10, 7), Date.UTC(2030, 10, 3, 6)] },
  // The change is of half an hour.
  { zone: "Australia/Lord_Howe", changes: [Date.UTC(2030, 3, 6, 15), Date.UTC(2030, 9, 5, 15, 30)] },
  { zone: "Asia/Kolkata", changes: [START] }
] as const

/** Those of a run. */
export const of = (random: (bound: number) => number): Surroundings => {
  const oneIn = (number: number): boolean => random(number) === 0
  const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)] as A
  if (oneIn(8)) return none
  const { changes, zone } = pick(oneIn(3) ? zones.slice(0, 1) : zones)
  const change = pick<number>(changes)
  // The change lies near the beginning of a window, or near its end.
  const start = change - pick([0, HOUR, 2 * HOUR, 5 * HOUR, 7 * DAY, 7 * DAY + HOUR]) - random(60) * MINUTE
  const setAtFirst = oneIn(3) ? pick(zones).zone : zone
  return {
    start,
    skew: pick([0, -1, 1]) * (oneIn(3) ? random(3 * SECOND) : random(10 * MINUTE + 1)),
    lag: pick([0, 0, random(5 * SECOND + 1), 5 * SECOND]),
    isOnline: oneIn(2),
    zone,
    setAtFirst,
    correctedAt: start + (5 + random(40)) * MINUTE
  }
}

const parts = (date: string) => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = date.slice(0, 19).split(/[-T:]/).map(Number)
  return { year, month, day, hour, minute, second, millisecond: 0 }
}

/** The instant that a system in a zone makes of a date without one. */
const readIn = (zone: string, date: string): number =>
  DateTime.toEpochMillis(DateTime.makeZonedUnsafe(parts(date), { timeZone: zone, adjustForTimeZone: true }))

/** The window that a system in a zone makes of one that is written in the zone of the settings. */
export const windowRead = (zone: string, { end, start }: Api.Window, set: string): Api.Window => {
  const written = DateTime.zoneMakeNamedUnsafe(set)
  return { start: readIn(zone, Shapes.formatDate(start, written)), end: readIn(zone, Shapes.formatDate(end, written)) }
}

const clockIn = (zone: string, instant: number): string =>
  new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(instant)

/** Whether the clocks of a zone show the time of an instant twice. */
export const isTwice = (zone: string, instant: number): boolean =>
  [30 * MINUTE, HOUR].some((change) =>
    [instant - change, instant + change].some((other) => clockIn(zone, other) === clockIn(zone, instant))
  )
