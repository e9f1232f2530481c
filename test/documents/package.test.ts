/**
 * The documents of the package: each link in them leads to what the package has, or to an address
 * outside. `npm run check` runs this test.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { expect, it } from "vitest"
import * as Documents from "./Documents.ts"
import * as Links from "./Links.ts"

/**
 * The files of the package. Those of `dist` are there once it is built, and no link leads to them.
 */
const packed = (): ReadonlyArray<string> => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"]
  const json = execFileSync("npm", args, { cwd: Documents.root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  const [{ files }]: [{ readonly files: ReadonlyArray<{ readonly path: string }> }] = JSON.parse(json)
  return files.map(({ path }) => path)
}

/**
 * What has links that people follow: documents, and the comments of declarations and sources.
 * Images may be the repository's.
 */
const linksOf = (path: string, text: string): ReadonlyArray<string> => {
  if (path.endsWith(".md")) return Links.of(text.replace(/!\[[^\]]*\]\([^)]*\)/g, ""))
  return Array.from(text.matchAll(/\/\*\*.*?\*\//gs), ([comment]) => Links.of(comment)).flat()
}

/** The links to what only the repository has. */
const dead = (files: ReadonlyArray<string>, read: (path: string) => string): ReadonlyArray<string> => {
  const there = new Set(files)
  for (const file of files) {
    for (let folder = posix.dirname(file); folder !== "."; folder = posix.dirname(folder)) there.add(folder)
  }
  return files
    .filter((path) => /\.(?:md|ts)$/.test(path))
    .flatMap((path) =>
      linksOf(path, read(path)).flatMap((link) => {
        const target = Links.pathOf(path, link)
        if (!Links.isRelative(link) || there.has(target)) return []
        return [`${path}: ${link} is not in the package; name the path as code: \`${target}\``]
      })
    )
}

/** The address of the repository, to which no document links: readers may not have it. */
const { bugs, homepage, repository } = JSON.parse(Documents.read("package.json"))
const address: string = repository.url.replace(/^git\+/, "").replace(/\.git$/, "")

it("link only to what is in the package, or to addresses outside", () => {
  const files = packed()
  expect(files.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(25)
  expect(dead(files, (path) => readFileSync(`${Documents.root}${path}`, "utf8"))).toEqual([])
  const absolute = Documents.paths.filter((path) => Documents.read(path).includes(address))
  expect(absolute).toEqual([])
})

it("are checked: a link to what the package has not is found", () => {
  const text = "[a](b.md), [test](../test), [there](https://a.example), [up](#a)"
  const instead = "a/README.md: ../test is not in the package; name the path as code: `test`"
  expect(dead(["a/README.md", "a/b.md"], (path) => (path === "a/b.md" ? "" : text))).toEqual([instead])
  const comment = { "a.ts": "/** See [b](b.md). */\nconst a = b[0](c)\n" }
  expect(dead(["a.ts"], () => comment["a.ts"])).toEqual([
    "a.ts: b.md is not in the package; name the path as code: `b.md`"
  ])
})

it("name the repository, a home page and a place for bugs in the manifest", () => {
  expect(address).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/)
  expect({ bugs, homepage, repository }).toEqual({
    bugs: `${address}/issues`,
    homepage: `${address}#readme`,
    repository: { type: "git", url: `git+${address}.git` }
  })
})

/** A printed table is looked things up in, and has a row for each thing that there is. */
const printed = /<!-- Printed: (\w+)\..*?<!-- End of \1\./gs

it("answer one question each, in at most 2,500 words, printed tables aside", () => {
  const long = Documents.paths.map((path) => ({
    path,
    words: Documents.read(path).replace(printed, "").split(/\s+/).length
  }))
  expect(long.filter(({ words }) => words > 2_500)).toEqual([])
})

it("are led to: the pages of hosts, operators and authors by the front page, others by the first page of a folder above", () => {
  const readmes = Documents.paths.filter((path) => path.endsWith("README.md"))
  const linked = new Map(
    readmes.map((path) => [path, new Set(Links.of(Documents.read(path)).map((link) => Links.pathOf(path, link)))])
  )
  const pages = Documents.paths.filter((path) => !path.endsWith("README.md"))
  expect(pages.length).toBeGreaterThan(35)
  const isLed = (path: string): boolean =>
    /^(?:src\/domain\/rules|test)\//.test(path)
      ? readmes.some(
          (readme) => path.startsWith(readme.replace("README.md", "")) && linked.get(readme)?.has(path) === true
        )
      : linked.get("README.md")?.has(path) === true
  expect(pages.filter((path) => !isLed(path))).toEqual([])
})

it("have lines of at most 100 characters, but for tables, blocks of code and links", () => {
  const long = Documents.paths.flatMap((path) =>
    Documents.read(path)
      .replace(/^```.*?^```$|^<!-- ts.*?^-->$/gms, "")
      .split("\n")
      .filter((line) => line.length > 100 && !/^\s*(?:\||!?\[|- \[|#)/.test(line))
      .map((line) => `${path}: ${line}`)
  )
  expect(long).toEqual([])
})
