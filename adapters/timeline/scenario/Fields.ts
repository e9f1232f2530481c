/**
 * The fields that the parts of a scenario share: texts, countries, active periods, and moments. A moment is an instant, or a
 * time after the scenario's start such as `+3 days 12 hours`.
 */
import { Schema } from "effect"
import { Time } from "simplan"

const units = {
  millisecond: 1,
  second: Time.SECOND,
  minute: Time.MINUTE,
  hour: Time.HOUR,
  day: Time.DAY,
  week: 7 * Time.DAY
} as const

const isUnit = (name: string): name is keyof typeof units => Object.hasOwn(units, name)

const RELATIVE = /^\+\s*\d+ [a-z]+(?:[ ,]+\d+ [a-z]+)*$/

const span = (text: string): number | undefined => {
  if (!RELATIVE.test(text)) return undefined
  let millis = 0
  for (const [, count, name = ""] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const unit = name.replace(/s$/, "")
    if (!isUnit(unit)) return undefined
    millis += Number(count) * units[unit]
  }
  return Number.isSafeInteger(millis) ? millis : undefined
}

/** The error message for a moment. */
const MUST =
  "must be an RFC 3339 instant with a zone, such as 2026-01-31T12:00:00Z, or a time after the start, such as +3 days 12 hours"

/** The error message for an instant. */
const MUST_BE_INSTANT = "must be an RFC 3339 instant with a zone, such as 2026-01-31T12:00:00Z"

/** The instant of a text in a scenario that begins at `start`; undefined if the text is invalid. */
export const parseMoment = (text: string, start: Time.Instant): Time.Instant | undefined => {
  const after = span(text)
  const instant = after === undefined ? Time.fromIso(text) : start + after
  return instant !== undefined && instant < Time.END_OF_TIME ? instant : undefined
}

/** A moment in a scenario file. */
export const Moment = Schema.String.annotate({ message: MUST }).check(
  Schema.makeFilter((text: string) => parseMoment(text, 0) !== undefined, { message: MUST })
)

/** An instant in a scenario file. */
export const InstantText = Schema.String.annotate({ message: MUST_BE_INSTANT }).check(
  Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined, { message: MUST_BE_INSTANT })
)

const TEXT = "must be a string that is not empty"

/** A text that is not empty. */
export const Text = Schema.String.annotate({ message: TEXT }).check(Schema.isMinLength(1, { message: TEXT }))

export const Truth = Schema.Boolean.annotate({ message: "must be true or false" })

const COUNTRY = "must be an ISO 2-letter country code, such as FR"

export const Country = Schema.String.annotate({ message: COUNTRY }).check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, { message: COUNTRY })
)

/** An active period in a request. The service checks which of the two fields are needed (rules 2 and 4). */
export const ActivePeriod = Schema.Struct({
  start: Schema.optionalKey(Schema.NullOr(Moment)),
  end: Schema.optionalKey(Schema.NullOr(Moment))
}).annotate({ message: "must be an object with start and end, or null" })
