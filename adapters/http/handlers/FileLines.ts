/**
 * The lines of a file on which its rows begin, counted from 1. A line ends with a line feed. Rows
 * mostly have a line each, so only those are kept before which lines are left out or are part of a
 * row, and so many of those at most: memory does not grow with the file.
 */

/** Ends a line. */
export const LINE_FEED = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c

/** After how many rows before which lines are left out, lines are not known any more. */
const MOST_STEPS = 100_000

/** Takes the lines of the rows in their order, and gives them again. */
export const make = () => {
  // Rows from the first one of a step on are so many lines behind their number.
  const steps: Array<{ readonly row: number; readonly beyond: number }> = []
  let rows = 0
  return {
    /** The line of the next row; null if it is not known. */
    add: (line: number | null): void => {
      rows += 1
      const beyond = line === null || steps.length >= MOST_STEPS ? Number.NaN : line - rows
      if (!Object.is(steps.at(-1)?.beyond, beyond)) steps.push({ row: rows, beyond })
    },
    /** The line of the row, counted from 1; null if it is not known. */
    of: (row: number): number | null => {
      let [from, to] = [0, steps.length]
      while (from < to) {
        const middle = (from + to) >> 1
        if ((steps[middle]?.row ?? row) <= row) from = middle + 1
        else to = middle
      }
      const beyond = steps[from - 1]?.beyond ?? Number.NaN
      return Number.isNaN(beyond) ? null : row + beyond
    }
  }
}

export type FileLines = ReturnType<typeof make>

/** A line that is not blank: where it begins and ends, in bytes. */
interface Line {
  readonly number: number
  readonly start: number
  end: number
}

/** How many lines that have been passed are kept. */
const PASSED = 1_000

/** What a record of CSV has at most. */
export interface Bounds {
  readonly columns: number
  readonly bytes: number
}

/**
 * Finds the lines of records by the bytes of the file. Throws what `refused` makes of a record
 * that has more than it may, and of the line on which it begins.
 */
export const scanner = (most: Bounds, refused: (line: number, what: string) => Error) => {
  let lines: Array<Line> = []
  let passed = 0
  let current: Line | undefined
  let bytes = 0
  let number = 1
  let start = 0
  let record = 1
  let columns = 1
  let length = 0
  let isQuoted = false
  return {
    /** Takes the next bytes. */
    take: (slice: Uint8Array): void => {
      for (const byte of slice) {
        bytes += 1
        length += 1
        if (byte === QUOTE) isQuoted = !isQuoted
        if (byte === LINE_FEED) {
          if (current !== undefined) current.end = bytes
          current = undefined
          start = bytes
          number += 1
          if (!isQuoted) {
            record = number
            columns = 1
            length = 0
          }
        } else {
          if (!isQuoted && byte === COMMA) columns += 1
          if (current === undefined && byte > SPACE) {
            current = { number, start, end: Number.POSITIVE_INFINITY }
            lines.push(current)
          }
        }
        if (columns > most.columns) throw refused(record, `it has more than ${most.columns} columns`)
        if (length > most.bytes) throw refused(record, `it is longer than ${most.bytes} bytes`)
      }
    },
    /** The line of the record behind the first `end` bytes; null if no line begins there. */
    behind: (end: number): number | null => {
      while ((lines[passed]?.start ?? end) < end) passed += 1
      if (passed > PASSED) {
        lines = lines.slice(passed)
        passed = 0
      }
      return lines[passed]?.number ?? null
    },
    /**
     * The line of the record that the first `end` bytes are just before, or in the first line of;
     * null if there is none.
     */
    around: (end: number): number | null => {
      const before = lines.findLast((line) => line.start < end)
      return before !== undefined && end < before.end
        ? before.number
        : (lines.find((line) => line.start >= end)?.number ?? null)
    }
  }
}
