/**
 * Numbers of the OCS. The documents write ids and amounts as numbers in most places and as texts in others (a balance, the
 * thresholds of a notification), so both are read everywhere. What is no whole number, or is too large to be exact, is
 * not read: a wrong id would be somebody else's.
 */
import { Schema, SchemaTransformation } from "effect"

const FromText = Schema.String.check(Schema.isPattern(/^\s*\d+(\.0+)?\s*$/)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** A whole number, as a number or as the text of one. */
export const Whole = Schema.Union([Schema.Int, FromText])
