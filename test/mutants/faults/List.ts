/**
 * A list of faults as text, file by file:
 *
 *     src/app/engine/FetchLoop.ts
 *
 *     S5: a slot is never freed
 *       - underWay -= 1
 *       + underWay -= 0
 *       = why nothing could find it
 *       @ plan 3
 *
 * The lines after `-` are replaced by those after `+`, and left out where there are none. `@` names
 * the run that found the fault last, which is tried first. Lines that begin with `#` say something
 * to the reader.
 */
import type { Area, Fault } from "./Fault.ts"

/** The parts of a fault by the character that their lines begin with. */
const MARKS = { "-": "right", "+": "wrong", "=": "equivalent", "@": "hint" } as const

type Lines = { readonly [Part in (typeof MARKS)[keyof typeof MARKS]]: Array<string> }

interface Listed {
  readonly path: string
  readonly rule: string
  readonly name: string
  readonly lines: Lines
}

const isMark = (mark: string | undefined): mark is keyof typeof MARKS => mark !== undefined && mark in MARKS

/** Throws where a line is none of the above, or stands before what it belongs to. */
export const parse = (area: Area, text: string): ReadonlyArray<Fault> => {
  const listed: Array<Listed> = []
  let path: string | undefined
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue
    const [, mark, part = ""] = /^ {2}([-+=@]) (.*)$/.exec(line) ?? []
    const [, rule, name] = /^(\w+): (.+)$/.exec(line) ?? []
    const last = listed.at(-1)
    if (isMark(mark) && last !== undefined) last.lines[MARKS[mark]].push(part)
    else if (rule !== undefined && name !== undefined && path !== undefined) {
      listed.push({ path, rule, name, lines: { right: [], wrong: [], equivalent: [], hint: [] } })
    } else if (/^[\w./-]+\.ts$/.test(line)) path = line
    else throw new Error(`line ${index + 1} of the list of faults is nothing that is known: ${line}`)
  }
  return listed.map(({ lines, name, path, rule }) => ({
    folder: path.slice(0, path.lastIndexOf("/")),
    file: path.slice(path.lastIndexOf("/") + 1),
    area,
    rule,
    name,
    right: lines.right.join("\n"),
    wrong: lines.wrong.join("\n"),
    equivalent: lines.equivalent.length === 0 ? null : lines.equivalent.join(" "),
    hint: lines.hint[0] ?? null
  }))
}

/**
 * The list with the run that each of these faults was found by; undefined where that is to stay.
 */
export const hinted = (text: string, runOf: (name: string) => string | undefined): string =>
  text
    .split(/\n(?=\w+: )/)
    .map((part) => {
      const [head = "", ...rest] = part.split("\n")
      const [, name] = /^\w+: (.+)$/.exec(head) ?? []
      const run = name === undefined ? undefined : runOf(name)
      if (run === undefined) return part
      const lines = rest.filter((line) => !line.startsWith("  @ "))
      const end = lines.findLastIndex((line) => line.startsWith("  ")) + 1
      return [head, ...lines.slice(0, end), `  @ ${run}`, ...lines.slice(end)].join("\n")
    })
    .join("\n")
