/**
 * A second calendar, against which the domain's is tested (rule T1): the proleptic Gregorian
 * calendar, computed by counting days. It does not use JavaScript's `Date`, which the domain uses.
 */

export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** `month` is 1 to 12. */
export const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Days from 1 January of the year 1 to 1 January of `year`. */
const daysBeforeYear = (year: number): number => {
  const past = year - 1
  return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
}

/** The instant of a date and a time of day in milliseconds. */
export const instant = (year: number, month: number, day: number, timeOfDay = 0): number => {
  let days = daysBeforeYear(year) - daysBeforeYear(1970) + day - 1
  for (let before = 1; before < month; before++) days += daysInMonth(year, before)
  return days * DAY_MS + timeOfDay
}

/** The date `months` after a date, its day clamped to the month's last day (rule T1). */
export const monthsAfter = (months: number, year: number, month: number, day: number, timeOfDay = 0): number => {
  let [y, m] = [year, month]
  for (let left = months; left > 0; left--) {
    m += 1
    if (m > 12) {
      m = 1
      y += 1
    }
  }
  return instant(y, m, Math.min(day, daysInMonth(y, m)), timeOfDay)
}
