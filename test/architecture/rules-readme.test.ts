/**
 * `src/domain/README.md` defines every rule that is cited anywhere, and names files and tests that cite it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { citedIn, mistakes, README, rulesOf } from "./citations.ts"
import type { SourceFile } from "./rules.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const self = ["test/architecture/rules-readme.test.ts", "test/architecture/citations.ts"]

const text = (path: string): SourceFile => ({ path, text: readFileSync(`${root}${path}`, "utf8") })

const files = ["src", "adapters", "test", "examples"]
  .flatMap((folder) => readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(?:[mc]?tsx?|mjs|md)$/.test(entry.name))
  .map((entry) => relative(root, `${entry.parentPath}${sep}${entry.name}`).replaceAll(sep, "/"))
  .filter((path) => !path.includes("node_modules/") && !self.includes(path))
  .map(text)
  .concat(text("README.md"))

const readme = text(README).text

describe("The rules", () => {
  it("are defined, held and tested where the README says, and no other is cited", () => {
    expect(mistakes(readme, files)).toEqual([])
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
    expect(rulesOf(readme).map(({ code }) => code)).toEqual(expect.arrayContaining(expected))
  })
})

describe("A mistake in the rules is found:", () => {
  const rule = "- **T1** A day is 24 h.\n  Files: [Time](Time.ts).\n  Tests: [time](../../test/domain/time.test.ts).\n"
  const time = { path: "src/domain/Time.ts", text: "/** Rule T1. */" }
  const test = { path: "test/domain/time.test.ts", text: 'it("T1: …")' }

  it("none, where there is none", () => {
    expect(mistakes(rule, [time, test])).toEqual([])
  })

  const planted: ReadonlyArray<readonly [mistake: string, readme: string, files: ReadonlyArray<SourceFile>]> = [
    ["a rule that is cited and not defined", rule, [time, test, { path: "src/app/A.ts", text: "// see T2" }]],
    ["a rule that only a document cites", rule, [time, test, { path: "README.md", text: "(P1)" }]],
    ["the end of a range", rule, [time, test, { path: "src/app/A.ts", text: "/**\n * Rules T1 to\n * T2.\n */" }]],
    ["a file that is not there", rule, [test]],
    ["a test that is not there", rule, [time]],
    ["a file that does not cite the rule", rule, [{ ...time, text: "/** Instants. */" }, test]],
    ["a test that does not cite the rule", rule, [time, { ...test, text: 'it("XT1, T1X")' }]],
    ["a rule without a file", rule.replace(/ {2}Files.*\n/, ""), [time, test]],
    ["a rule without a test", rule.replace(/ {2}Tests.*\n/, ""), [time, test]],
    ["a rule that is defined twice", rule + rule, [time, test]]
  ]

  it.each(planted)("%s", (_, planted, among) => {
    expect(mistakes(planted, among)).toHaveLength(1)
  })

  it("each code of a range, and no word that only looks like one", () => {
    expect([...citedIn("rules R1 to R3 and W8; W3C, UTF8, 01T1, T0, Q1")]).toEqual(["R1", "R2", "R3", "W8"])
  })
})
