/**
 * Schemas of the fields that requests hold (rules W8 and W9). They transform nothing, so that their decoded form equals
 * what was sent.
 */
import { Schema, type SchemaAST } from "effect"
import { Label as Labels, SmdpHistory, TextLimit, Time } from "simplan/ports"
import * as Text from "./Text.ts"

/** Whether a text names an instant, as `Time.fromIso` has it. */
export const isInstant = Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined, {
  message: "must be an RFC 3339 date-time with a zone, such as 2026-01-31T12:00:00Z",
  isInstant: true,
  toJsonSchema: () => ({ format: "date-time" })
})

/** An instant as text (rule W8). */
export const Instant = Schema.String.check(isInstant)

/** A network supply tier. */
export const Label = Schema.Literals(Labels.labels).annotate({
  identifier: "Label",
  message: `must be one of ${Labels.labels.join(", ")}`
})

/** The ISO 3166-1 alpha-2 code of a country, in either case. */
export const CountryCode = Schema.String.check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, { message: "must be an ISO 2-letter country code" })
)

/** A state of an eSIM's profile at the SM-DP+. */
export const SmdpState = Schema.Literals(SmdpHistory.states).annotate({
  message: `must be one of ${SmdpHistory.states.join(", ")}`
})

/** A number, whole and between the bounds, which are included. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Int.annotate({ message: "must be an integer" }).check(
    Schema.isBetween(
      { minimum, maximum },
      { message: `must be an integer of at least ${minimum} and at most ${maximum}` }
    )
  )

/** Rule W9: that a text has at most so many characters. */
export const within = (limit: number) =>
  Schema.makeFilter((text: string) => TextLimit.isWithin(text, limit), {
    message: TextLimit.message(limit),
    toJsonSchema: () => ({ maxLength: limit })
  })

/** A text with at most so many characters (rule W9). */
export const text = (limit: number) => Schema.String.check(within(limit))

/** A text with at most so many characters that every storage can keep. */
export const storable = (limit: number) =>
  text(limit).check(Schema.makeFilter((sent: string) => Text.problem(sent) === undefined, { message: Text.MESSAGE }))

/** A text that is not empty. */
export const NonEmpty = Schema.String.check(Schema.isMinLength(1, { message: "must not be empty" }))

/** How many items an array has at most, as its schema says by `list`; undefined where it says nothing. */
export const mostItems = ({ checks }: SchemaAST.AST): number | undefined => {
  const found = checks?.map(({ annotations }) => annotations?.["mostItems"]).find((most) => most !== undefined)
  return typeof found === "number" ? found : undefined
}

/** An array with at most so many items. Bodies are refused for their length before their items are decoded. */
export const list = <S extends Schema.Top>(item: S, most: number) =>
  Schema.Array(item).check(Schema.isMaxLength(most, { message: `must have at most ${most} items`, mostItems: most }))
