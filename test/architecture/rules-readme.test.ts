/**
 * The pages of `src/domain/rules` define every rule that is cited anywhere, and each has a file and
 * a test that cite it. The list of them is printed by `npm run print`.
 */
import { describe, expect, it } from "vitest"
import { between, table } from "../api/Printed.ts"
import * as Documents from "../documents/Documents.ts"
import { citedIn, definedIn, mistakes, PAGES, rulesOf } from "./citations.ts"
import type { SourceFile } from "./rules.ts"

const self = [
  "test/architecture/rules-readme.test.ts",
  "test/architecture/citations.ts",
  "test/architecture/printed/rules.md"
]

const text = (path: string): SourceFile => ({ path, text: Documents.read(path) })

const files = Documents.below(["src", "adapters", "test", "examples"], /\.(?:[mc]?tsx?|mjs|md)$/)
  .filter((path) => !self.includes(path))
  .toSorted()
  .map(text)
  .concat(text("README.md"))

const byCode = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true })

describe("The rules", () => {
  it("are defined, held and tested, and no other is cited", () => {
    expect(mistakes(files)).toEqual([])
  })

  it("are all there", () => {
    const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`)
    const expected = [
      ...numbered("T", 7),
      ...numbered("P", 3),
      ...numbered("S", 5),
      ...numbered("I", 6),
      ...numbered("R", 3),
      ...numbered("W", 8),
      "E1"
    ]
    expect(rulesOf(files).map(({ code }) => code)).toEqual(expect.arrayContaining(expected))
  })

  it("are listed by their pages, which is printed", async () => {
    const pages = files.filter(({ path }) => path.startsWith(PAGES))
    const rows = pages.map(({ path, text }) => {
      const [, title = ""] = /^# Rules: (.+)$/m.exec(text) ?? []
      return [`[${title}](${path.replace("src/domain/", "")})`, definedIn(text).toSorted(byCode).join(", ")]
    })
    await between("src/domain/README.md", "rules", table(["page", "rules"], rows))
  })

  it("are listed with what cites them, which is printed", async () => {
    const named = (paths: ReadonlyArray<string>) => paths.map((path) => `\`${path}\``).join(", ")
    const rows = rulesOf(files)
      .toSorted((one, other) => byCode(one.code, other.code))
      .map(({ code, files, tests }) => [code, named(files), named(tests)])
    await expect(`# What cites each rule

Printed by \`npm run print\`.

${table(["rule", "files", "tests"], rows)}
`).toMatchFileSnapshot(`${Documents.root}test/architecture/printed/rules.md`)
  })
})

describe("A mistake in the rules is found:", () => {
  const page = { path: `${PAGES}time.md`, text: "- **T1** A day is 24 h.\n" }
  const time = { path: "src/domain/Time.ts", text: "/** Rule T1. */" }
  const test = { path: "test/domain/time.test.ts", text: 'it("T1: …")' }

  it("none, where there is none", () => {
    expect(mistakes([page, time, test])).toEqual([])
  })

  const planted: ReadonlyArray<readonly [mistake: string, files: ReadonlyArray<SourceFile>]> = [
    ["a rule that is cited and not defined", [page, time, test, { path: "src/app/A.ts", text: "// see T2" }]],
    ["a rule that only a document cites", [page, time, test, { path: "README.md", text: "(P1)" }]],
    ["the end of a range", [page, time, test, { path: "src/app/A.ts", text: "/**\n * Rules T1 to\n * T2.\n */" }]],
    ["a rule that no file cites", [page, { ...time, text: "/** Instants. */" }, test]],
    ["a rule that no test cites", [page, time, { ...test, text: 'it("XT1, T1X")' }]],
    ["a rule that is defined twice", [page, { ...page, path: `${PAGES}plans.md` }, time, test]]
  ]

  it.each(planted)("%s", (_, among) => {
    expect(new Set(mistakes(among)).size).toBe(1)
  })

  it("each code of a range, and no word that only looks like one", () => {
    expect([...citedIn("rules R1 to R3 and W8; W3C, UTF8, 01T1, T0, Q1")]).toEqual(["R1", "R2", "R3", "W8"])
  })
})
