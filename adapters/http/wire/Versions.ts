/**
 * Versions over HTTP (rule W16): an answer about what can be edited has its version as a strong `ETag`, and an edit names versions
 * by `If-Match` (RFC 9110).
 */
import { Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Version } from "simplan/ports"
import * as Errors from "./Errors.ts"

/** The name that documents and refusals have. */
export const NAME = "If-Match"

/** The header of an answer about something of the version. */
export const headers = (version: number): { readonly etag: string } => ({ etag: `"${version}"` })

/** An answer about something of the version. */
export const tagged = (
  response: HttpServerResponse.HttpServerResponse,
  version: number
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeaders(response, headers(version))

const ANY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

// A weak tag, and one of another service, is that of no version.
const OURS = /^"(\d{1,15})"$/

const malformed = Result.fail(Errors.invalidField(NAME, 'must be * or tags as ETag has them, such as "7"'))

/** The versions that an edit may find. */
export const expected = (header: string | undefined): Result.Result<Version.Expected, Errors.Problem> => {
  if (header === undefined || header.trim() === "*") return Result.succeed(undefined)
  const tags = header.split(",").map((tag) => tag.trim())
  if (!tags.every((tag) => ANY_TAG.test(tag))) return malformed
  return Result.succeed(tags.flatMap((tag) => OURS.exec(tag)?.[1] ?? []).map(Number))
}

/** Refuses an edit that names versions of what has none. */
export const none = (header: string | undefined): Result.Result<undefined, Errors.Problem> =>
  header === undefined || header.trim() === "*"
    ? Result.succeed(undefined)
    : Result.fail(Errors.invalidField(NAME, "must be absent: what is changed here has no versions"))
