/**
 * The header `Retry-After`: seconds, or an HTTP date.
 */

/** As long as a telco may ask for: an hour is how long it is left alone at most anyway. */
const MOST = 3_600

/** How many seconds to wait from `now`, in milliseconds since the epoch; undefined for anything else. */
export const seconds = (header: string, now: number): number | undefined => {
  const text = header.trim()
  const asked = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1_000)
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), MOST)
}
