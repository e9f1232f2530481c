/**
 * The header `Retry-After`: seconds, or an HTTP date.
 */

/** The longest wait, in seconds: the longest step of the retry schedule. */
const MOST = 3_600

/** The seconds to wait from `now` (milliseconds since the epoch); undefined without a header, and for any other text. */
export const seconds = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  const asked = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1_000)
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), MOST)
}
