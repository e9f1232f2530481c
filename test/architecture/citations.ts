/**
 * The rules of `src/domain/README.md` and the places that cite them. A README is checked as text, so that the tests can
 * plant mistakes.
 */
import * as Links from "../documents/Links.ts"
import type { SourceFile } from "./rules.ts"

export const README = "src/domain/README.md"

export interface Rule {
  readonly code: string
  /** The files that hold the rule, relative to the repository. */
  readonly files: ReadonlyArray<string>
  /** The tests that hold those files to it. */
  readonly tests: ReadonlyArray<string>
}

const linksAfter = (word: string, text: string): ReadonlyArray<string> => {
  const [, list = ""] = text.split(new RegExp(`^ +${word}:`, "m"))
  const [own = ""] = list.split(/^ +(?:Files|Tests):/m)
  return Array.from(own.matchAll(/\]\(([^)]+)\)/g), ([, target = ""]) => Links.pathOf(README, target) ?? target)
}

/** The rules that a README defines: a list item each, which begins with the code in bold. */
export const rulesOf = (readme: string): ReadonlyArray<Rule> =>
  readme
    .split(/^(?=- \*\*)/m)
    .filter((item) => item.startsWith("- **"))
    .map((item) => {
      const [own = ""] = item.split(/^#/m)
      return {
        code: /^- \*\*([A-Z]\d+)\*\*/.exec(own)?.[1] ?? own.slice(0, 20),
        files: linksAfter("Files", own),
        tests: linksAfter("Tests", own)
      }
    })

/** The codes that a text cites: `T1`, and each of `T1 to T7`. A citation may go on in the next line of a comment. */
export const citedIn = (text: string): ReadonlySet<string> => {
  const oneLine = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, " ")
  const found = Array.from(oneLine.matchAll(/\b([TPSIRULWEH])([1-9]\d?)(?: to \1([1-9]\d?))?\b/g))
  return new Set(
    found.flatMap(([, letter = "", from = "", to = from]) =>
      Array.from(
        { length: Math.max(0, Number(to) - Number(from)) + 1 },
        (_, index) => `${letter}${Number(from) + index}`
      )
    )
  )
}

/** One line per mistake in a README of rules, or in a file that cites rules. */
export const mistakes = (readme: string, files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const rules = rulesOf(readme)
  const codes = rules.map(({ code }) => code)
  const defined = new Set(codes)
  const citations = new Map(files.map(({ path, text }) => [path, citedIn(text)]))
  const twice = codes.filter((code, index) => codes.indexOf(code) !== index)
  return [
    ...twice.map((code) => `${README} defines ${code} twice`),
    ...files.flatMap(({ path }) =>
      Array.from(citations.get(path) ?? [])
        .filter((code) => !defined.has(code))
        .map((code) => `${path} cites ${code}, which ${README} does not define`)
    ),
    ...rules.flatMap(({ code, files: holders, tests }) => [
      ...(holders.length === 0 ? [`${README} names no file for ${code}`] : []),
      ...(tests.length === 0 ? [`${README} names no test for ${code}`] : []),
      ...[...holders, ...tests].flatMap((path) => {
        const cited = citations.get(path)
        if (cited === undefined) return [`${README} names ${path} for ${code}, which is not there`]
        return cited.has(code) ? [] : [`${path} does not cite ${code}, which ${README} says it holds`]
      })
    ])
  ]
}
