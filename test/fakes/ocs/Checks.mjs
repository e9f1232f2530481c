// Checks requests against the documents: the fields that they name, with their types, and no
// others.
import * as Dates from "./Dates.mjs"
import { invalid } from "./Status.mjs"

const isWhole = (value) => Number.isSafeInteger(value)

const types = {
  text: (value) => typeof value === "string" && value !== "",
  whole: isWhole,
  count: (value) => isWhole(value) && value >= 1,
  percentage: (value) => isWhole(value) && value >= 1 && value <= 100,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  flag: (value) => typeof value === "boolean",
  date: (value) => Dates.parse(value) !== undefined,
  day: (value) => Dates.parse(`${value}T00:00:00`) !== undefined,
  // The examples have numbers here, and texts in all other places.
  digits: (value) => (typeof value === "number" ? isWhole(value) && value > 0 : /^\d{5,15}$/.test(value)),
  // Speeds in Kbit, by the remarks of createPrepaidPackageTemplate.
  speed: (value) => [128, 256, 384, 512, 1024, 3072, 5120, 7680, 10240, 20480, 51200, 102400].includes(value),
  "0 or 1": (value) => value === 0 || value === 1,
  "0, 1 or 2": (value) => value === 0 || value === 1 || value === 2,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Checks an object's fields. A name with `?` may be missing. */
export const fields = (value, expected, where) => {
  if (!types.object(value)) throw invalid(`${where} must be an object`)
  const known = Object.keys(expected).map((name) => name.replace("?", ""))
  for (const name of Object.keys(value)) if (!known.includes(name)) throw invalid(`${where} has no field ${name}`)
  for (const [written, type] of Object.entries(expected)) {
    const name = written.replace("?", "")
    if (value[name] === undefined) {
      if (!written.endsWith("?")) throw invalid(`${where}.${name} is mandatory`)
    } else if (!types[type](value[name])) throw invalid(`${where}.${name} must be a ${type}`)
  }
  return value
}

export const whole = (value, where) => {
  if (!isWhole(value)) throw invalid(`${where} must be a number`)
  return value
}

/** Checks that exactly one of the fields is there. */
export const oneOf = (value, names, where) => {
  const given = names.filter((name) => value[name] !== undefined)
  if (given.length !== 1) throw invalid(`${where} must have one of ${names.join(", ")}`)
  return given[0]
}

const identifiers = {
  "imsi?": "text",
  "iccid?": "text",
  "msisdn?": "text",
  "multiImsi?": "text",
  "activationCode?": "text",
  "subscriberId?": "whole"
}

/** What names a subscriber: exactly one of its identifiers, beside the fields in `more`. */
export const identifier = (value, where, more = {}) => {
  fields(value, { ...identifiers, ...more }, where)
  return oneOf(
    value,
    Object.keys(identifiers).map((name) => name.slice(0, -1)),
    where
  )
}

const throttlingSteps = [1, 2, 3, 4]

/** Checks what createPrepaidPackageTemplate says of a new template. */
export const template = (value, where) => {
  const steps = throttlingSteps.flatMap((step) => [
    [`throttlingThreshold${step}Perc?`, "percentage"],
    [`throttlingThreshold${step}Limit?`, "speed"]
  ])
  fields(
    value,
    {
      prepaidpackagetemplatename: "text",
      resellerid: "whole",
      locationzoneid: "whole",
      "destinationzoneid?": "whole",
      "databyte?": "count",
      "mocsecond?": "whole",
      "mtcsecond?": "whole",
      "mosmsnumber?": "whole",
      "mtsmsnumber?": "whole",
      perioddays: "count",
      "cost?": "number",
      throttlingActive: "flag",
      ...Object.fromEntries(steps),
      "throttlingErrorAction?": "0 or 1",
      recurring: "flag",
      "nbOccurrence?": "count",
      "recurringPeriodicityType?": "0, 1 or 2",
      "recurringPeriodicityFrequency?": "count",
      "reportUnitsPreviousPackage?": "flag"
    },
    where
  )
  const has = (name) => value[name] !== undefined
  for (const step of throttlingSteps) {
    if (has(`throttlingThreshold${step}Perc`) !== has(`throttlingThreshold${step}Limit`)) {
      throw invalid(`${where}: the two fields of throttling threshold ${step} go together`)
    }
  }
  if (value.throttlingActive && !has("throttlingErrorAction")) {
    throw invalid(`${where}.throttlingErrorAction is mandatory with throttling`)
  }
  if (!value.recurring) return value
  const mandatory = ["recurringPeriodicityType", "recurringPeriodicityFrequency", "reportUnitsPreviousPackage"]
  // Without a number of occurrences a monthly template goes on without end.
  if (value.recurringPeriodicityType !== 2) mandatory.push("nbOccurrence")
  for (const name of mandatory) if (!has(name)) throw invalid(`${where}.${name} is mandatory with recurring`)
  return value
}

const ESCAPE = /\\u[0-9a-fA-F]{4}/g

/**
 * The message that a text stands for. Unicode is written as \uXXXX, for each UTF-16 unit; with it a
 * message has at most 70 characters, without it 160, which is what one SMS holds.
 */
export const message = (text, where) => {
  if (/[^\u0000-\u007f]/.test(text)) throw invalid(`${where} must have Unicode characters as \\\\uXXXX`)
  const plain = text.replace(ESCAPE, (unit) => String.fromCharCode(Number.parseInt(unit.slice(2), 16)))
  const most = text.match(ESCAPE) === null ? 160 : 70
  if (plain.length > most) throw invalid(`${where} is longer than ${most} characters`)
  const withoutPairs = plain.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")
  if (/[\ud800-\udfff]/.test(withoutPairs)) throw invalid(`${where} has half a character`)
  return plain
}
