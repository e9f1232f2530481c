/**
 * Tables as CSV (RFC 4180), for spreadsheets.
 */

import { isFormula } from "./CsvText.ts"

/**
 * A cell; null is an empty one. A text that a spreadsheet would take for a formula begins with an
 * apostrophe.
 */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number") return String(value)
  const text = isFormula(String(value)) ? `'${String(value)}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The end of a line. */
export const END = "\r\n"

/** An item as a line, without its end. */
export const line = <Item>(columns: ReadonlyArray<keyof Item & string>, item: Item): string =>
  columns.map((name) => cell(item[name])).join(",")
