/**
 * How long the texts may be that a caller sends, and which characters no storage keeps (rule W9).
 * Each limit stands here once: the domain refuses longer texts, and the HTTP adapter's schemas and
 * OpenAPI document name the same numbers.
 *
 * A limit counts characters as JSON Schema does: Unicode code points, so that an emoji of two
 * UTF-16 units counts once.
 */
import { Result } from "effect"
import { InvalidField } from "./Refusal.ts"

/** The metadata of a subscription, an attachment or a plan. */
export const METADATA = 4_096

/** A URL. */
export const URL = 2_048

/**
 * The name of a plan, region, organization or API key, or of a country, operator or profile of the
 * catalogue.
 */
export const NAME = 255

/** The description of a webhook endpoint. */
export const DESCRIPTION = 255

/** An id or an ICCID by which a request names something. */
export const ID = 255

/** A text of a telco report: its id, operator, radio technology, IMEI and SM-DP+ result. */
export const REPORTED = 255

/** The activation code of an eSIM; GSMA SGP.22 (section 4.1) allows no longer one. */
export const LPA = 255

/** Why something is changed, in the words of the caller. */
export const REASON = 500

/** A supplier's code of a bundle. */
export const LOAD = 255

/** An amount of money, as a decimal. */
export const AMOUNT = 32

/** A tag of a SIM. */
export const TAG = 40

/** A telco's own id of a SIM. */
export const SUBSCRIBER_ID = 64

/** Whether the text has at most `limit` characters. */
export const isWithin = (text: string, limit: number): boolean => {
  if (text.length <= limit) return true
  // A character takes two units at most, so a text of more than twice the limit is not walked
  // through.
  if (text.length > 2 * limit) return false
  let count = 0
  for (const _ of text) if (++count > limit) return false
  return true
}

/** What is wrong with a longer text; follows the name of the field. */
export const message = (limit: number): string => `must have at most ${limit} characters`

/** Whether storages can keep the text: it has no NUL character and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

/** What is wrong with a text that storages cannot keep; follows the name of the field. */
export const NOT_STORABLE = "must not contain NUL characters or lone surrogates"

/** Rule W9: the text, unless it is longer than the limit or no storage can keep it. */
export const check = (field: string, text: string, limit: number): Result.Result<string, InvalidField> => {
  if (!isWithin(text, limit)) return Result.fail(new InvalidField({ field, message: message(limit) }))
  return isStorable(text) ? Result.succeed(text) : Result.fail(new InvalidField({ field, message: NOT_STORABLE }))
}
