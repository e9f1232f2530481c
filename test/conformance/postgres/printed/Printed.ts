/**
 * A statement as a reviewer reads it: the text that was sent, set in by the lines with brackets that are still open.
 */
const WIDTH = 120

/** Where a line that is too long may be broken: after a comma, or before a condition. */
const BREAK = /,(?! place\))\s?|\s(?=and |from |select )/g

/** The line in several ones, where it is longer than `WIDTH`. */
const broken = (line: string): ReadonlyArray<string> => {
  if (line.length <= WIDTH) return [line]
  const ends = Array.from(line.matchAll(BREAK), ({ 0: found, index }) => index + found.length)
  const at = ends.findLast((end) => end <= WIDTH)
  return at === undefined ? [line] : [line.slice(0, at).trimEnd(), ...broken(line.slice(at))]
}

/** The text of a statement, to be read. */
export const statement = (text: string): string => {
  // The number of the line of each bracket that is open.
  const open: Array<number> = []
  const lines: Array<string> = []
  const given = text
    .replace(/\),(?=\w+ as \()/g, "),\n")
    .replace(/\n\s*\) select /g, "\n)\nselect ")
    .split("\n")
  for (const line of given.map((one) => one.trim().replace(/\s+/g, " ")).filter((one) => one !== "")) {
    for (const part of broken(line)) {
      const closing = /^\)+/.exec(part)?.[0].length ?? 0
      const depth = new Set(open.slice(0, open.length - closing)).size
      for (const sign of part) {
        if (sign === "(") open.push(lines.length)
        else if (sign === ")") open.pop()
      }
      lines.push(`${"  ".repeat(depth)}${part}`)
    }
  }
  return lines.join("\n")
}
