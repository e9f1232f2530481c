/**
 * The `X-Audit-Log-Reason` header: why an operator changes something, which the audit log keeps
 * (rule W11). Its text is UTF-8, percent-encoded as a part of a URL is (RFC 3986), since a header
 * has no other characters than those of ASCII.
 */
import { Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { TextLimit } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"

/** The name that documents and refusals have. */
export const NAME = "X-Audit-Log-Reason"

const LOWER = "x-audit-log-reason"

const PRINTABLE = /^[\x20-\x7e]*$/

const malformed = Result.fail(Errors.invalidField(NAME, "must be percent-encoded UTF-8"))

const decoded = (text: string): Result.Result<string, Errors.Problem> => {
  if (!PRINTABLE.test(text)) return malformed
  try {
    return Result.succeed(decodeURIComponent(text).trim())
  } catch {
    return malformed
  }
}

/** Why, in the words of who sends the request; null if it says nothing. */
export const of = ({
  headers
}: Pick<HttpServerRequest.HttpServerRequest, "headers">): Result.Result<string | null, Errors.Problem> => {
  const sent = headers[LOWER]
  if (sent === undefined) return Result.succeed(null)
  return Result.flatMap(decoded(sent), (text) =>
    text === ""
      ? Result.succeed(null)
      : Result.mapError(TextLimit.check(NAME, text, TextLimit.REASON), ({ message }) =>
          Errors.invalidField(NAME, message)
        )
  )
}
