/**
 * The folders of the repository: each says what lives there, and none is too full to be read at a
 * glance. A folder says it in its `index.ts` or README, or in a README above it that links to it or
 * names it. A file has a name by which it is found.
 */
import { readdirSync } from "node:fs"
import { posix, sep } from "node:path"
import { expect, it } from "vitest"
import * as Links from "../documents/Links.ts"
import * as Documents from "../documents/Documents.ts"

/** How many files of code a folder has at most. */
const MOST = 20

/** How many files of the product have the same name at most; other ones say their side. */
const NAMESAKES = 4

/** Flat on purpose: a rule, or its test, is found by the file's name. */
const flat = ["src/domain", "test/domain", "test/property"]

const code = /\.(ts|mts|mjs)$/

/** The folders with files of code, each with their names. */
const foldersOf = (paths: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const path of paths.filter((path) => code.test(path))) {
    const folder = posix.dirname(path)
    found.set(folder, [...(found.get(folder) ?? []), posix.basename(path)])
  }
  return found
}

const tooFull = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(foldersOf(paths)).flatMap(([folder, names]) =>
    names.length > MOST && !flat.includes(folder) ? [`${folder}: ${names.length}`] : []
  )

/** The folders below a README that it links to or names. */
const linked = (path: string, text: string): ReadonlyArray<string> =>
  Links.of(text)
    .map((link) => Links.pathOf(path, link))
    .concat(Links.named(text))
    .filter((folder) => folder.startsWith(`${posix.dirname(path)}/`))

const undescribed = (
  paths: ReadonlyArray<string>,
  readmes: ReadonlyMap<string, string>,
  begins: (path: string) => boolean
): ReadonlyArray<string> => {
  const described = new Set(Array.from(readmes).flatMap(([path, text]) => [posix.dirname(path), ...linked(path, text)]))
  return Array.from(foldersOf(paths)).flatMap(([folder, names]) =>
    described.has(folder) || (names.includes("index.ts") && begins(`${folder}/index.ts`)) ? [] : [folder]
  )
}

/** The names of files of the product that too many have, an entry point's left out. */
const tooCommon = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const path of paths.filter((path) => /^(src|adapters)\/.*\.tsx?$/.test(path))) {
    const name = posix.basename(path).replace(/\.tsx?$/, "")
    if (name !== "index") counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Array.from(counts).flatMap(([name, count]) => (count > NAMESAKES ? [`${name}: ${count}`] : []))
}

/** Whether a module begins with a comment. */
const beginsWithComment = (path: string): boolean => /^(\/\*\*|\/\/)/.test(Documents.read(path))

const paths = ["src", "adapters", "test"].flatMap((folder) =>
  readdirSync(`${Documents.root}${folder}`, { recursive: true, encoding: "utf8" }).map(
    (path) => `${folder}/${path.replaceAll(sep, "/")}`
  )
)

it("each folder says what lives there", () => {
  const readmes = new Map(
    Documents.paths.filter((path) => path.endsWith("README.md")).map((path) => [path, Documents.read(path)])
  )
  expect(undescribed(paths, readmes, beginsWithComment)).toEqual([])
})

it("a folder that says nothing is found", () => {
  const some = ["src/a/B.ts", "src/a/c/D.ts", "src/e/F.ts", "src/g/index.ts", "src/h/index.ts"]
  const readmes = new Map([
    ["src/README.md", "[`a`](a/)"],
    // Not above what it links to.
    ["src/a/README.md", "[`e`](../e)"]
  ])
  expect(undescribed(some, readmes, (path) => path === "src/g/index.ts")).toEqual(["src/a/c", "src/e", "src/h"])
})

it("no folder but those with a file for each rule has more than 20 files", () => {
  expect(tooFull(paths)).toEqual([])
  expect(tooFull(Array.from({ length: MOST + 1 }, (_, index) => `src/a/B${index}.ts`))).toEqual(["src/a: 21"])
})

it("no name is that of more than four files of the product: `Usage.ts` and `UsageApi.ts`", () => {
  expect(tooCommon(paths)).toEqual([])
  const folders = Array.from({ length: NAMESAKES }, (_, index) => `src/${index}`)
  const named = folders.flatMap((folder) => [`${folder}/A.ts`, `${folder}/index.ts`, `test/${folder}/A.ts`])
  expect(tooCommon([...named, "src/index.ts"])).toEqual([])
  expect(tooCommon([...named, "adapters/console/A.tsx"])).toEqual(["A: 5"])
})
