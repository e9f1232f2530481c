/**
 * Faults in calendar arithmetic and in how instants are read and written: T1 and W8.
 */
import { faultsOf } from "./Fault.ts"

const CLAMPED = "Math.min(date.getUTCDate(), daysInMonth(year, month))"
const TIME = "((anchor % DAY) + DAY) % DAY"
const FRACTION = "numberAt(text, 20, digits) * 10 ** (3 - digits)"
const MONTH = "utcMidnight(year, month + 1, 1) - utcMidnight(year, month, 1)"

export const calendar = faultsOf("Time.ts", "calendar", [
  ["T1", "days of 23 h", "DAY = 24 * HOUR", "DAY = 23 * HOUR"],
  ["T1", "hours of 59 minutes", "HOUR = 60 * MINUTE", "HOUR = 59 * MINUTE"],
  ["T1", "days are a millisecond long", "anchor + days * DAY", "anchor + days * DAY + 1"],
  ["T1", "clamping removed", CLAMPED, "date.getUTCDate()"],
  ["T1", "clamped to the 28th", CLAMPED, "Math.min(date.getUTCDate(), 28)"],
  ["T1", "no leap days", CLAMPED, "Math.min(date.getUTCDate(), month === 1 ? 28 : daysInMonth(year, month))"],
  [
    "T1",
    "clamped to the month's last day but one",
    CLAMPED,
    "Math.min(date.getUTCDate(), daysInMonth(year, month) - 1)"
  ],
  [
    "T1",
    "a month's last day stays the last",
    CLAMPED,
    "date.getUTCDate() >= 28 ? daysInMonth(year, month) : date.getUTCDate()"
  ],
  [
    "T1",
    "a month has the days of the one before",
    MONTH,
    "utcMidnight(year, month, 1) - utcMidnight(year, month - 1, 1)"
  ],
  ["T1", "months begin at midnight", TIME, "0"],
  ["T1", "months lose the milliseconds", TIME, "(((anchor % DAY) + DAY) % DAY) - (anchor % 1_000)"],
  ["T1", "before 1970 months are a day early", TIME, "anchor % DAY"],
  ["T1", "a month more", "date.getUTCMonth() + months", "date.getUTCMonth() + months + 1"],
  ["T1", "years of 13 months", "date.getUTCFullYear() * 12 +", "date.getUTCFullYear() * 13 +"],
  ["T1", "the year 99 is 1999", "Date.UTC(year + 400, month, day) - ERA", "Date.UTC(year, month, day)"],
  ["P1", "time ends a millisecond late", "Date.UTC(9999, 11, 31) + DAY", "Date.UTC(9999, 11, 31) + DAY + 1"],
  ["P1", "time ends a millisecond early", "Date.UTC(9999, 11, 31) + DAY", "Date.UTC(9999, 11, 31) + DAY - 1"],
  ["W8", "time begins a millisecond early", "= -62_167_219_200_000", "= -62_167_219_200_001"],
  ["W8", "time begins a millisecond late", "= -62_167_219_200_000", "= -62_167_219_199_999"],
  ["W8", "a 13th month is read", "month > 12", "month > 13"],
  ["W8", "a month 0 is read", "month < 1 ||", ""],
  ["W8", "a day 0 is read", "day < 1 ||", ""],
  ["W8", "30 February is read", "day > daysInMonth(year, month - 1)", "day > 31"],
  [
    "W8",
    "the 31st is not read",
    "day > daysInMonth(year, month - 1)",
    "day > Math.min(30, daysInMonth(year, month - 1))"
  ],
  ["W8", "24:00 is read", "hour > 23", "hour > 24"],
  ["W8", "a minute 60 is read", "minute > 59", "minute > 60"],
  ["W8", "a leap second is read", "second > 59", "second > 60"],
  ["W8", "a zone of 24 h is read", "zoneHours > 23", "zoneHours > 24"],
  ["W8", "a zone of 60 minutes is read", "zoneMinutes > 59", "zoneMinutes > 60"],
  ["W8", "a fraction of one digit counts milliseconds", FRACTION, "numberAt(text, 20, digits)"],
  ["W8", "a fraction is rounded", FRACTION, 'Math.round(Number("0." + text.slice(20, zone)) * 1_000)'],
  ["W8", "zones to the west are to the east", 'text[zone] === "-" ? -1 : 1', "1"],
  ["W8", "a zone's minutes do not count", "zoneHours * HOUR + zoneMinutes * MINUTE", "zoneHours * HOUR"],
  ["W8", "a zone counts the wrong way", "millis - offset", "millis + offset"],
  ["W8", "the first instant is not read", "instant >= START_OF_TIME", "instant > START_OF_TIME"],
  ["W8", "the first instant of the year 10000 is read", "instant < END_OF_TIME", "instant <= END_OF_TIME"]
])
