/**
 * How large a subscription may become (rule W9). A decision about a SIM reads all of the subscription's attachments and
 * packages at once, so a plan is attached only if that is still cheap when all of its packages are there.
 */
import { Result } from "effect"
import type { Attachment, WithPackages } from "./Attachment.ts"
import { SubscriptionFull } from "./Refusal.ts"

/**
 * The size of all attachments of a subscription, in bytes of JSON. A decision about the SIM costs a few milliseconds at
 * most, whoever asks for many of them (rule W13).
 */
export const LIMIT = 1_048_576

/** What an attachment takes without its texts, and what a package takes, in bytes. */
const ATTACHMENT = 1_024
const PACKAGE = 160

type Sized = Pick<Attachment, "metadata"> & {
  readonly terms: Pick<Attachment["terms"], "name" | "coverageId" | "regionCode" | "recurrence">
}

/** JSON writes a UTF-16 unit in 6 bytes at most. */
const atMost = (text: string): number => 2 + 6 * text.length

/** The bytes that JSON needs for a UTF-16 unit; half of a pair has two of its four. */
const bytesOfUnit = (unit: number): number => {
  if (unit < 0x20) return 6
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
}

/** The bytes of the text in JSON. */
const bytes = (text: string): number => {
  let size = 2
  for (let at = 0; at < text.length; at++) size += bytesOfUnit(text.charCodeAt(at))
  return size
}

const sizeOf = ({ metadata, terms }: Sized, sizeOfText: (text: string) => number): number => {
  const texts = [metadata, terms.name, terms.coverageId, terms.regionCode]
  const occurrences = terms.recurrence?.occurrences ?? 1
  return texts.reduce((size, text) => size + sizeOfText(text), ATTACHMENT + PACKAGE * occurrences)
}

const sum = (attachments: ReadonlyArray<Sized>, sizeOfText: (text: string) => number): number =>
  attachments.reduce((size, attachment) => size + sizeOf(attachment, sizeOfText), 0)

/** The size of the attachments once all of their packages are there, in bytes. */
export const of = (attachments: ReadonlyArray<Sized>): number => sum(attachments, bytes)

/** Roughly the bytes that one attachment takes as it is stored, with its packages so far. */
export const ofStored = ({ attachment, packages }: WithPackages): number =>
  ATTACHMENT + attachment.metadata.length + PACKAGE * packages.length

/** Rule W9: refuses attachments that are too large together. */
export const check = (
  subscriptionId: string,
  attachments: ReadonlyArray<Sized>
): Result.Result<void, SubscriptionFull> =>
  // Texts are measured only where there are so many that it matters.
  sum(attachments, atMost) <= LIMIT || of(attachments) <= LIMIT
    ? Result.succeed(undefined)
    : Result.fail(new SubscriptionFull({ subscriptionId }))
