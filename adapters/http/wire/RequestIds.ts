/**
 * The id of a request (rule W11): the caller's `X-Request-Id` if it is 1 to 128 letters, digits, dots, underscores and
 * hyphens, else a new one. Nothing else gets into answers, logs and records.
 */

/** The header that carries the id, in requests and in answers. */
export const HEADER = "x-request-id"

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/

/** A new id. */
export const make = (): string => globalThis.crypto.randomUUID()

/** The id of a request with this header. */
export const of = (header: string | undefined): string =>
  header !== undefined && ACCEPTED.test(header) ? header : make()
