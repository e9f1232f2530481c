/**
 * Mistakes in the use of a simulation: each is one sentence that names the field, the value and what is allowed.
 */
import { Data, Duration, Effect } from "effect"
import { Time } from "simplan"
import type * as Inventory from "./Inventory.ts"

export class Misuse extends Data.TaggedError("Simulation.Misuse")<{
  readonly field: string
  readonly message: string
}> {}

const shown = (value: unknown): string =>
  typeof value === "string"
    ? `"${value}"`
    : typeof value === "number"
      ? String(value)
      : (JSON.stringify(value) ?? String(value))

const misuse = (field: string, value: string, allowed: string): Misuse =>
  new Misuse({ field, message: `${field} is ${value}, but must be ${allowed}` })

const isInstant = (instant: number): boolean =>
  Number.isSafeInteger(instant) && instant >= Time.START_OF_TIME && instant < Time.END_OF_TIME

const shownInstant = (instant: number): string => (isInstant(instant) ? Time.toIso(instant) : shown(instant))

/** The whole milliseconds of a span forwards, such as `3_600_000` or `"12 hours"`. */
export const span = (by: Duration.Input): Effect.Effect<number, Misuse> =>
  Effect.suspend(() => {
    const given = Duration.fromInput(by)
    const length = given._tag === "Some" ? Duration.toMillis(given.value) : Number.NaN
    const isForwards = typeof by !== "number" || by >= 0
    return Number.isSafeInteger(length) && isForwards
      ? Effect.succeed(length)
      : misuse("by", shown(by), 'a span of whole milliseconds forwards, such as 3600000 or "12 hours"')
  })

/** An instant to advance to, not before `now`. */
export const instant = (to: Time.Instant, now: Time.Instant): Effect.Effect<Time.Instant, Misuse> =>
  isInstant(to) && to >= now
    ? Effect.succeed(to)
    : misuse("to", shownInstant(to), `an instant in whole milliseconds, from now, ${Time.toIso(now)}, to the year 9999`)

/** What an organization begins with, and when. */
export const options = ({
  esims = {},
  physicalSims = 0,
  seed = 1,
  start = 0
}: Inventory.Options & { readonly seed?: number; readonly start?: Time.Instant }): Effect.Effect<void, Misuse> => {
  if (!Number.isSafeInteger(seed)) return misuse("seed", shown(seed), "a whole number")
  if (!isInstant(start)) return misuse("start", shown(start), "an instant in whole milliseconds, up to the year 9999")
  const counts: ReadonlyArray<readonly [string, number]> = [...Object.entries(esims), ["physicalSims", physicalSims]]
  const wrong = counts.find(([, count]) => !Number.isSafeInteger(count) || count < 0)
  return wrong === undefined
    ? Effect.void
    : misuse(wrong[0] === "physicalSims" ? wrong[0] : `esims.${wrong[0]}`, shown(wrong[1]), "a whole number from 0 on")
}
