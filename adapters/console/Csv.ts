/**
 * Tables as CSV (RFC 4180), whose cells are texts for programs that calculate too: none of them is
 * a formula. And the records of a file, for those that are given back; the server alone decides
 * what a file means.
 */
import * as CsvText from "../fields/CsvText.ts"

/** A phone number with its plus sign calculates nothing, and is read again as it is. */
const PHONE_NUMBER = /^\+\d{6,15}$/

const isFormula = (text: string): boolean => CsvText.isFormula(text) && !PHONE_NUMBER.test(text)

const cell = (text: string): string => `"${(isFormula(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** The rows below a header, each with a cell for each column. */
export const of = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")

/** A record of a file, with the line on which it begins, counted from 1. */
export interface Record {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/**
 * A field of a record, and what ends it. A field that begins with a quote goes on to the next
 * single one.
 */
const FIELD = /[^\S\r\n]*"((?:[^"]|"")*)"[^,\r\n]*(,|\r?\n|$)|([^,\r\n]*)(,|\r?\n|$)/y

/** The records of a file, blank lines left out. */
export const parse = (text: string): ReadonlyArray<Record> => {
  const found: Array<Record> = []
  let [line, cells]: [number, Array<string>] = [1, []]
  let begun = line
  FIELD.lastIndex = text.startsWith("\uFEFF") ? 1 : 0
  while (FIELD.lastIndex < text.length || cells.length > 0) {
    const [all = "", quoted, endOfQuoted, plain = "", end = endOfQuoted ?? ""] = FIELD.exec(text) ?? []
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
    line += all.split("\n").length - 1
    if (end === ",") continue
    if (cells.some((one) => one !== "")) found.push({ line: begun, cells })
    begun = line
    cells = []
  }
  return found
}
