/**
 * The schemas of common fields.
 */
import { Schema } from "effect"
import * as Moment from "./Moment.ts"

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
  start: Schema.optionalKey(Schema.NullOr(Moment.Moment)),
  end: Schema.optionalKey(Schema.NullOr(Moment.Moment))
}).annotate({ message: "must be an object with start and end, or null" })
