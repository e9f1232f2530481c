/**
 * Tables as CSV (RFC 4180), for spreadsheets.
 */

/** With what spreadsheets begin a formula, wide characters among it. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/

/** A sum below 0 calculates nothing, and is a number in a spreadsheet. */
const NUMBER = /^-\d+(?:\.\d+)?$/

const isFormula = (text: string): boolean => FORMULA.test(text) && !NUMBER.test(text)

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
