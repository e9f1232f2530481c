/**
 * Instants and calendar arithmetic (rule T1).
 *
 * An instant is a whole number of UTC milliseconds since the epoch. A day is 24 h. A month is a
 * calendar month in UTC. Months are counted from an anchor and clamped to the month's last day, so
 * clamping never accumulates.
 */

/** UTC milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** In milliseconds. */
export const SECOND = 1_000
/** In milliseconds. */
export const MINUTE = 60 * SECOND
/** In milliseconds. */
export const HOUR = 60 * MINUTE
/** In milliseconds: always 24 h (rule T1). */
export const DAY = 24 * HOUR

/** The first instant of the year 10000. Every instant of a plan lies before it (rule P1). */
export const END_OF_TIME: Instant = Date.UTC(9999, 11, 31) + DAY

/** The first instant of the year 0000, the earliest that RFC 3339 can write. */
export const START_OF_TIME: Instant = -62_167_219_200_000

/** `anchor` plus `days` of 24 h. */
export const addDays = (anchor: Instant, days: number): Instant => anchor + days * DAY

/**
 * `anchor` plus `months` calendar months in UTC. The day of the month is clamped: 31 January plus
 * one month is the last day of February, plus two months is 31 March.
 */
export const addMonths = (anchor: Instant, months: number): Instant => {
  const date = new Date(anchor)
  const monthIndex = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  const year = Math.floor(monthIndex / 12)
  const month = monthIndex - year * 12
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month))
  const timeOfDay = ((anchor % DAY) + DAY) % DAY
  return utcMidnight(year, month, day) + timeOfDay
}

const daysInMonth = (year: number, month: number): number =>
  (utcMidnight(year, month + 1, 1) - utcMidnight(year, month, 1)) / DAY

const ERA = 146_097 * DAY

// Date.UTC reads the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years, so the
// date is computed 400 years later and moved back.
const utcMidnight = (year: number, month: number, day: number): Instant => Date.UTC(year + 400, month, day) - ERA

const digits = (count: number, length: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, number) => String(number).padStart(length, "0"))

const TWO = digits(100, 2)
const THREE = digits(1_000, 3)

// The date that lies `days` after 1970-01-01, in the years 0 to 9999. Years begin on 1 March here,
// so a leap day is the last day of its year. An era has 400 years, and every era has the same
// number of days.
const dateOf = (days: number): string => {
  const sinceMarch0 = days + 719_468
  const era = Math.floor(sinceMarch0 / 146_097)
  const dayOfEra = sinceMarch0 - era * 146_097
  const leapDays = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  return `${TWO[Math.floor(year / 100)]}${TWO[year % 100]}-${TWO[month]}-${TWO[day]}`
}

const timeOf = (millis: number): string => {
  const seconds = Math.floor(millis / SECOND)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${TWO[hours]}:${TWO[minutes - hours * 60]}:${TWO[seconds - minutes * 60]}.${THREE[millis - seconds * SECOND]}`
}

/**
 * The instant as RFC 3339 with milliseconds and `Z`. Same text as `Date#toISOString`, in half the
 * time.
 */
export const toIso = (instant: Instant): string => {
  if (!Number.isInteger(instant) || instant < START_OF_TIME || instant >= END_OF_TIME) {
    return new Date(instant).toISOString()
  }
  const days = Math.floor(instant / DAY)
  return `${dateOf(days)}T${timeOf(instant - days * DAY)}Z`
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

const numberAt = (text: string, from: number, length: number): number => {
  let number = 0
  for (let at = from; at < from + length; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

/**
 * The instant that an RFC 3339 text with a zone and a real calendar date names (rule W8);
 * `undefined` for any other text. Fractions below a millisecond are cut off. A leap second is
 * refused.
 */
export const fromIso = (text: string): Instant | undefined => {
  if (!RFC3339.test(text)) return undefined
  const [year, month, day] = [numberAt(text, 0, 4), numberAt(text, 5, 2), numberAt(text, 8, 2)]
  const [hour, minute, second] = [numberAt(text, 11, 2), numberAt(text, 14, 2), numberAt(text, 17, 2)]
  const isUtc = text.endsWith("Z") || text.endsWith("z")
  const zone = text.length - (isUtc ? 1 : 6)
  const [zoneHours, zoneMinutes] = isUtc ? [0, 0] : [numberAt(text, zone + 1, 2), numberAt(text, zone + 4, 2)]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month - 1)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) return undefined
  const digits = Math.max(0, Math.min(3, zone - 20))
  const millis = numberAt(text, 20, digits) * 10 ** (3 - digits)
  const offset = (text[zone] === "-" ? -1 : 1) * (zoneHours * HOUR + zoneMinutes * MINUTE)
  const instant = utcMidnight(year, month - 1, day) + hour * HOUR + minute * MINUTE + second * SECOND + millis - offset
  return instant >= START_OF_TIME && instant < END_OF_TIME ? instant : undefined
}
