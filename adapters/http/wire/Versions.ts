/**
 * Versions over HTTP (rule W16): an answer about what can be edited has its version as a strong
 * `ETag`, and an edit names versions by `If-Match` (RFC 9110).
 */
import { Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Version } from "simplan/ports"
import * as Errors from "./Errors.ts"

/** The name that documents and refusals have. */
export const NAME = "If-Match"

/** An answer about something of the version. */
export const tagged = (
  response: HttpServerResponse.HttpServerResponse,
  version: number
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeader(response, "etag", `"${version}"`)

const ANY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

// A weak tag, and one of another service, is that of no version.
const OURS = /^"(\d{1,15})"$/

const malformed = Result.fail(Errors.invalidField(NAME, 'must be * or tags as ETag has them, such as "7"'))

/** The tags that a request names; null: any version will do. */
const named = (header: string | undefined): string | null =>
  header === undefined || header.trim() === "*" ? null : header

/** The versions that an edit may find. */
export const expected = (header: string | undefined): Result.Result<Version.Expected, Errors.Problem> => {
  const text = named(header)
  if (text === null) return Result.succeed(undefined)
  const tags = text.split(",").map((tag) => tag.trim())
  if (!tags.every((tag) => ANY_TAG.test(tag))) return malformed
  return Result.succeed(tags.flatMap((tag) => OURS.exec(tag)?.[1] ?? []).map(Number))
}

/** Refuses an edit that names versions of what has none. */
export const none = (header: string | undefined): Result.Result<undefined, Errors.Problem> =>
  named(header) === null
    ? Result.succeed(undefined)
    : Result.fail(Errors.invalidField(NAME, "must be absent: what is changed here has no versions"))
