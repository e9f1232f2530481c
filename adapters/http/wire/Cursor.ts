/**
 * Page tokens, opaque to callers. A token that this service cannot have made is refused here, before any storage sees it.
 */
import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { Storage } from "simplan/ports"
import * as Errors from "./Errors.ts"
import { Text } from "../../fields/index.ts"

const bad: Result.Result<never, Errors.Problem> = Result.fail(
  Errors.invalidField("page", "must be a token that next_page gave")
)

const decoded = (token: string): string | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  return text !== undefined && Text.problem(text) === undefined && Base64Url.encode(text) === token ? text : undefined
}

/** The token of a position in a list ordered by creation. */
export const ofCreated = (cursor: Storage.CreatedCursor | null): string | null =>
  cursor === null ? null : Base64Url.encode(`${cursor.createdAt}:${cursor.id}`)

/** The position that a token of `ofCreated` stands for; null without a token. */
export const toCreated = (token: string | undefined): Result.Result<Storage.CreatedCursor | null, Errors.Problem> => {
  if (token === undefined) return Result.succeed(null)
  const match = /^(-?\d{1,15}):([\x21-\x7e]{1,200})$/.exec(decoded(token) ?? "")
  const [, createdAt, id] = match ?? []
  return createdAt === undefined || id === undefined ? bad : Result.succeed({ createdAt: Number(createdAt), id })
}

/** The token of a position in a list ordered by import sequence. */
export const ofImportSequence = (importSequence: number | null): string | null =>
  importSequence === null ? null : Base64Url.encode(String(importSequence))

/** The position that a token of `ofSerial` stands for; null without a token. */
export const toImportSequence = (token: string | undefined): Result.Result<number | null, Errors.Problem> => {
  if (token === undefined) return Result.succeed(null)
  const match = /^\d{1,15}$/.exec(decoded(token) ?? "")
  return match === null ? bad : Result.succeed(Number(match[0]))
}
