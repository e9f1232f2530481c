/**
 * Records as a table that fits the terminal: the last columns are cut first, so that ids, which stand first, stay whole.
 */

type Row = Readonly<Record<string, unknown>>

const GAP = 2

/** No column is cut below this. */
const LEAST = 6

const show = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  return typeof value === "string" ? value.replace(/\s+/g, " ") : JSON.stringify(value)
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`

const fitted = (natural: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  let surplus = natural.reduce((sum, width) => sum + width + GAP, -GAP) - columns
  return natural
    .toReversed()
    .map((width) => {
      const less = Math.min(Math.max(0, surplus), Math.max(0, width - LEAST))
      surplus -= less
      return width - less
    })
    .toReversed()
}

/** The table of some fields of the rows, within so many columns where that is possible. */
export const of = (rows: ReadonlyArray<Row>, fields: ReadonlyArray<string>, columns: number): string => {
  const cells = [fields, ...rows.map((row) => fields.map((field) => show(row[field])))]
  const natural = fields.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  const widths = fitted(natural, columns)
  return cells
    .map((line) =>
      line
        .map((cell, index) => cut(cell, widths[index] ?? 0))
        .join(" ".repeat(GAP))
        .trimEnd()
    )
    .join("\n")
}
