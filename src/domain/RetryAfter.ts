/**
 * The header `Retry-After` (RFC 9110), by which receivers of webhooks (rule W7) and telcos say when
 * to come back: seconds, or a date in one of the three forms that HTTP has.
 */
import type { Instant } from "./Time.ts"
import { SECOND } from "./Time.ts"

const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/

/**
 * The seconds to wait from `now`, which is the machine's time: 0 if the date has passed. Undefined
 * without a header and for any other text. Nothing bounds them: the caller has to.
 */
export const seconds = (header: string | undefined, now: Instant): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return Number(text)
  if (!DATE.test(text)) return undefined
  // One of the forms has no zone; all are in UTC.
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / SECOND))
}
