/**
 * The rules of `src/domain/rules` and the places that cite them. Pages and files are checked as
 * text, so that the tests can plant mistakes.
 */
import type { SourceFile } from "./rules.ts"

/** Where the pages of rules are. */
export const PAGES = "src/domain/rules/"

/**
 * The codes of the rules that a page defines: a list item each, which begins with the code in bold.
 */
export const definedIn = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/^- \*\*([A-Z]\d+)\*\*/gm), ([, code = ""]) => code)

/**
 * The codes that a text cites: `T1`, and each of `T1 to T7`. A citation may go on in the next line
 * of a comment. What a percent sign is before is a byte of a URL.
 */
export const citedIn = (text: string): ReadonlySet<string> => {
  const oneLine = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, " ")
  const found = Array.from(oneLine.matchAll(/(?<!%)\b([TPSIRULWEHC])([1-9]\d?)(?: to \1([1-9]\d?))?\b/g))
  return new Set(
    found.flatMap(([, letter = "", from = "", to = from]) =>
      Array.from(
        { length: Math.max(0, Number(to) - Number(from)) + 1 },
        (_, index) => `${letter}${Number(from) + index}`
      )
    )
  )
}

/** What cites a rule. */
export interface Citing {
  readonly code: string
  /** The files of the product. */
  readonly files: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

const isPage = ({ path }: SourceFile): boolean => path.startsWith(PAGES)

const isTest = (path: string): boolean => path.startsWith("test/") || path.startsWith("src/testing/")

/** The rules that the pages among the files define, each with the code that cites it. */
export const rulesOf = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Citing> => {
  const citations = files
    .filter(({ path }) => !path.endsWith(".md"))
    .map(({ path, text }) => ({ path, codes: citedIn(text) }))
  return files.filter(isPage).flatMap(({ text }) =>
    definedIn(text).map((code) => {
      const paths = citations.filter(({ codes }) => codes.has(code)).map(({ path }) => path)
      return { code, files: paths.filter((path) => !isTest(path)), tests: paths.filter(isTest) }
    })
  )
}

/**
 * One line per mistake: a rule that is defined twice, that nothing holds or tests, or that is cited
 * and not defined.
 */
export const mistakes = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const rules = rulesOf(files)
  const codes = rules.map(({ code }) => code)
  const defined = new Set(codes)
  return [
    ...codes.filter((code, index) => codes.indexOf(code) !== index).map((code) => `${code} is defined twice`),
    ...files.flatMap(({ path, text }) =>
      Array.from(citedIn(text))
        .filter((code) => !defined.has(code))
        .map((code) => `${path} cites ${code}, which no page of ${PAGES} defines`)
    ),
    ...rules.flatMap(({ code, files, tests }) => [
      ...(files.length === 0 ? [`no file cites ${code}`] : []),
      ...(tests.length === 0 ? [`no test cites ${code}`] : [])
    ])
  ]
}
