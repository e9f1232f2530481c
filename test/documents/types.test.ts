/**
 * The blocks of TypeScript in documents have no error of types, and the examples in JavaScript use
 * no name that simplan does not have. `npm run check` runs this test, `npm test` does not: the
 * compiler takes as long as for the whole repository.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import * as Blocks from "./Blocks.ts"
import * as Documents from "./Documents.ts"

// Below the root, so that `simplan/*` is found as a reader's own import of it.
const directory = mkdtempSync(join(Documents.root, ".documents-"))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

/** What the compiler says of these files. */
const problems = (name: string, files: ReadonlyMap<string, string>): string => {
  for (const [path, text] of files) {
    mkdirSync(join(directory, name, dirname(path)), { recursive: true })
    writeFileSync(join(directory, name, path), text)
  }
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowJs: true,
    checkJs: true,
    lib: ["ES2023", "ES2024.String", "ESNext.Disposable"]
  }
  const include = ["**/*.ts", "**/*.js"]
  const config = { extends: "../../tsconfig.json", compilerOptions, include, exclude: [] }
  writeFileSync(join(directory, name, "tsconfig.json"), JSON.stringify(config))
  const { stderr, stdout } = spawnSync(process.execPath, [tsc, "-p", join(directory, name), "--pretty", "false"], {
    cwd: join(directory, name),
    encoding: "utf8"
  })
  return stdout + stderr
}

const all = new Map(
  Documents.paths.flatMap((path) => [...Blocks.modules(path, Documents.read(path), Documents.exists)])
)

/** Those lines of the compiler that say that a module of simplan has no such name. */
const missingNames = (output: string): ReadonlyArray<string> =>
  output
    .split("\n")
    .filter((line) => /error TS(?:2305|2724): .*"simplan|error TS(?:2339|2551): .*'typeof import\(/.test(line))

it("have no error", () => {
  expect(all.size).toBeGreaterThan(8)
  expect(problems("all", all)).toBe("")
}, 120_000)

it("are checked: a wrong one is reported by its line", () => {
  const document = 'Text.\n\n```ts\nconst days: number = "30"\n```\n'
  const files = Blocks.modules("a/README.md", document, () => false)
  expect(problems("wrong", files)).toMatch(/^a\/README\.md\.ts\(4,7\): error TS2322/)
})

it("of examples in JavaScript name what simplan has", () => {
  const wrong = 'import { Arbitraries, Nothing } from "simplan/testing"\nArbitraries.Nothing.once\n'
  const examples = new Map(Documents.examples.map((path) => [path, Documents.read(path)]))
  expect(examples.size).toBeGreaterThan(20)
  expect(missingNames(problems("examples", new Map([...examples, ["wrong.js", wrong]])))).toEqual([
    expect.stringMatching(/^wrong\.js\(1,23\): error TS2305/),
    expect.stringMatching(/^wrong\.js\(2,13\): error TS2339/)
  ])
}, 120_000)
