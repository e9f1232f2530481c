/**
 * Comments are prose: none of their lines is longer than 100 characters, but for tables, examples
 * of code, headings of parts, and what a tool reads.
 */
import { expect, it } from "vitest"
import * as Documents from "../documents/Documents.ts"

const LONGEST = 100

const paths = Documents.below(["src", "adapters", "test"], /\.(?:tsx?|mjs)$/).filter(
  (path) => !path.includes("/printed/")
)

const isTable = (line: string): boolean => /^\s*\* \|/.test(line)
const isExample = (line: string): boolean => /^\s*(\*|\/\/) {5,}/.test(line)
const isHeading = (line: string): boolean => /^\/\/ --- .* -+$/.test(line)
const isDirective = (line: string): boolean => /biome-ignore|@ts-|@vitest/.test(line)

const tooLong = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line.length > LONGEST && /^\s*(\*|\/\/|\/\*\*) /.test(line))
    .filter((line) => ![isTable, isExample, isHeading, isDirective].some((is) => is(line)))

it("a line of a comment has at most 100 characters", () => {
  const long = paths.flatMap((path) => tooLong(Documents.read(path)).map((line) => `${path}: ${line}`))
  expect(long).toEqual([])
  expect(paths.length).toBeGreaterThan(1_000)
})

it("a longer line is found, but in a table, in an example and for a tool", () => {
  const words = "word ".repeat(25)
  const found = [` * ${words}`, `// ${words}`, `  /** ${words}*/`]
  const passed = [` * | ${words}`, ` *     ${words}`, `// biome-ignore ${words}`, `const a = 1 // ${words}`]
  expect(tooLong([...found, ...passed].join("\n"))).toEqual(found)
})
