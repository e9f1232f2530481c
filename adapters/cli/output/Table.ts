/**
 * Records as a table that fits the terminal. Columns stand in the order of their importance: texts are cut, and columns
 * left out that do not fit beside those before them. Ids and instants are never cut, since half of one is of no use. Where
 * fewer than three columns would fit, each record has lines of its own.
 */
import type { Row } from "./Output.ts"
import * as Text from "./Text.ts"

const GAP = 2

/** No text is cut below this. */
const LEAST = 12

/** As many columns make a table. */
const FEWEST = 3

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/

/** An id or an instant. */
const WHOLE = /^[0-9a-fA-F:-]{18,}$|^\d{4}-\d\d-\d\dT[\d:]{8}Z$/

const show = (value: unknown): string =>
  value === null || value === undefined || value === "" ? "-" : Text.of(value).replace(INSTANT, "$1Z")

const lengthOf = (text: string): number => [...text].length

const cut = (text: string, width: number): string => {
  const length = lengthOf(text)
  return length <= width ? text + " ".repeat(width - length) : `${[...text].slice(0, width - 1).join("")}…`
}

interface Column {
  readonly field: string
  readonly cells: ReadonlyArray<string>
  /** The width of the widest cell. */
  readonly natural: number
  /** The width below which it is left out. */
  readonly least: number
}

const columnOf = (rows: ReadonlyArray<Row>, field: string, index: number): Column => {
  const cells = rows.map((row) => show(row[field]))
  const natural = cells.reduce((most, cell) => Math.max(most, lengthOf(cell)), lengthOf(field))
  const isWhole = index === 0 || cells.some((cell) => WHOLE.test(cell))
  return { field, cells, natural, least: isWhole ? natural : Math.min(natural, LEAST) }
}

/** The columns that fit, each with its width: what is left over goes to the first ones that need it. */
const fitted = (columns: ReadonlyArray<Column>, width: number): ReadonlyArray<Column & { readonly width: number }> => {
  let left = width + GAP
  const taken = columns.filter(({ least }, index) => {
    if (least + GAP > left && index > 0) return false
    left -= least + GAP
    return true
  })
  let spare = width - taken.reduce((sum, { least }) => sum + least + GAP, -GAP)
  return taken.map((column) => {
    const more = Math.max(0, Math.min(spare, column.natural - column.least))
    spare -= more
    return { ...column, width: column.least + more }
  })
}

const blocks = (columns: ReadonlyArray<Column>, count: number): string => {
  const width = Math.max(...columns.map(({ field }) => lengthOf(field)))
  return Array.from({ length: count }, (_, row) =>
    columns.map(({ cells, field }) => `${cut(field, width)}  ${cells[row] ?? ""}`).join("\n")
  ).join("\n\n")
}

/** The table of the rows, whose columns are the fields of the first one, within the width of the terminal. */
export const of = (rows: ReadonlyArray<Row>, width: number): string => {
  const columns = Object.keys(rows[0] ?? {}).map((field, index) => columnOf(rows, field, index))
  const shown = fitted(columns, width)
  if (shown.length < Math.min(FEWEST, columns.length)) return blocks(columns, rows.length)
  const line = (cell: (column: Column) => string): string =>
    shown
      .map((column) => cut(cell(column), column.width))
      .join(" ".repeat(GAP))
      .trimEnd()
  return [line(({ field }) => field), ...rows.map((_, row) => line(({ cells }) => cells[row] ?? ""))].join("\n")
}
