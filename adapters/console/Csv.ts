/** Tables as CSV (RFC 4180), whose cells are texts for programs that calculate too: none of them is a formula. */

/** With what spreadsheets begin a formula. */
const FORMULA = /^[\s]*[=+\-@]|^[\t\r\n]/

const cell = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** The rows below a header, each with a cell for each column. */
export const of = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")
