/**
 * What a command prints, and where: results to `out`, everything else to `err`. Tests provide their
 * own. Records have a line for each field, and lists are tables that fit the terminal.
 */
import { Context, Effect } from "effect"

/** A record or a row of a table: values by the names of fields. */
export type Row = Readonly<Record<string, unknown>>

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether `err` is a terminal, where a line can be overwritten. */
  readonly isTerminal: boolean
  /** The width of `err`, in characters. */
  readonly columns: number
  /** The width that a table on `out` has to fit, in characters. */
  readonly width: number
}

/**
 * The width of tables: `COLUMNS` if it is set, else that of the terminal. What goes into a pipe or
 * a file is not cut.
 */
export const widthOf = (
  COLUMNS: string | undefined,
  stream: { readonly isTTY?: boolean; readonly columns?: number }
): number => {
  if (COLUMNS !== undefined && /^[1-9]\d{0,4}$/.test(COLUMNS)) return Number(COLUMNS)
  return stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY
}

export const Output = Context.Reference<Output>("simplan/cli/Output", {
  defaultValue: () => ({
    out: (written) => void process.stdout.write(written),
    err: (written) => void process.stderr.write(written),
    isTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    width: widthOf(process.env["COLUMNS"], process.stdout)
  })
})

/** Characters that could drive the terminal, or turn the writing direction. */
const UNSAFE = "[\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]"

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

const OUTSIDE_LINES = new RegExp(`(?!\\r\\n|[\\t\\n])${UNSAFE}`, "gu")

/**
 * Lines as the terminal may have them. Names come from customers, and messages have names in them:
 * whatever is printed goes through this. A character that could drive the terminal is written as
 * JSON writes it, so that JSON means what it meant.
 */
export const safe = (lines: string): string => lines.replace(OUTSIDE_LINES, escapeOf)

/** Writes a line to `out`. */
export const print = (line: string): Effect.Effect<void> =>
  Effect.map(Output, (output) => output.out(`${safe(line)}\n`))

/** Writes a line to `err`. */
export const note = (line: string): Effect.Effect<void> => Effect.map(Output, (output) => output.err(`${safe(line)}\n`))

const RUNS = new RegExp(`${UNSAFE}+`, "gu")

/**
 * A value as text on a line of the terminal, without line breaks, and without characters that could
 * drive the terminal.
 */
export const text = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(RUNS, " ")

/** Prints a record: one line per field, or the record as JSON. */
export const record = (data: Row, json: boolean): Effect.Effect<void> => {
  if (json) return print(JSON.stringify(data))
  const fields = Object.entries(data).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  return print(fields.map(([name, value]) => `${name.padEnd(width)}  ${text(value)}`).join("\n"))
}

const GAP = 2

/** No text is cut below this. */
const LEAST = 12

/** As many columns make a table. */
const FEWEST = 3

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/

/** An id or an instant. */
const WHOLE = /^[0-9a-fA-F:-]{18,}$|^\d{4}-\d\d-\d\dT[\d:]{8}Z$/

const show = (value: unknown): string =>
  value === null || value === undefined || value === "" ? "-" : text(value).replace(INSTANT, "$1Z")

const lengthOf = (cell: string): number => [...cell].length

const cut = (cell: string, width: number): string => {
  const length = lengthOf(cell)
  return length <= width ? cell + " ".repeat(width - length) : `${[...cell].slice(0, width - 1).join("")}…`
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

/**
 * The columns that fit, each with its width: what is left over goes to the first ones that need it.
 */
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

/**
 * The rows as a table that fits the width. The columns are the fields of `first`, in the order of
 * their importance, and then all others that the rows have. Texts are cut, and columns left out
 * that do not fit beside those before them. Ids and instants are never cut, since half of one is of
 * no use. If fewer than three columns would fit, each row has lines of its own.
 */
export const table = (rows: ReadonlyArray<Row>, width: number, first: ReadonlyArray<string> = []): string => {
  const fields = new Set([...first, ...rows.flatMap((row) => Object.keys(row))])
  const columns = [...fields].map((field, index) => columnOf(rows, field, index))
  const shown = fitted(columns, width)
  if (shown.length < Math.min(FEWEST, columns.length)) return blocks(columns, rows.length)
  const line = (cell: (column: Column) => string): string =>
    shown
      .map((column) => cut(cell(column), column.width))
      .join(" ".repeat(GAP))
      .trimEnd()
  return [line(({ field }) => field), ...rows.map((_, row) => line(({ cells }) => cells[row] ?? ""))].join("\n")
}
