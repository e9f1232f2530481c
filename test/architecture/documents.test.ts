/**
 * The documents of the repository: each link and each path leads to a file, a folder or a heading,
 * each participant of a sequence diagram is a module, each block of code is in a language that a
 * test checks, and one that names a file is part of it.
 */
import { describe, expect, it } from "vitest"
import * as Blocks from "../documents/Blocks.ts"
import * as Documents from "../documents/Documents.ts"
import * as Headings from "../documents/Headings.ts"
import * as Links from "../documents/Links.ts"

type Exists = (path: string) => boolean

/**
 * The links and named paths of a document that lead nowhere. `anchorsOf` gives those of a document
 * that exists.
 */
const deadLinks = (
  path: string,
  text: string,
  exists: Exists,
  anchorsOf: (path: string) => ReadonlySet<string>
): ReadonlyArray<string> =>
  Links.of(text)
    .filter((link) => {
      if (!Links.isRelative(link)) return false
      const target = Links.pathOf(path, link)
      const [, anchor] = link.split("#", 2)
      if (!exists(target)) return true
      return anchor !== undefined && !anchorsOf(target).has(anchor)
    })
    .concat(Links.named(text).filter((named) => !exists(named)))

/** The participants of a document's sequence diagrams. */
const participants = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^ +participant \w+ as (\S+)$/gm), ([, module = ""]) => module)

const strangers = (text: string, exists: Exists): ReadonlyArray<string> =>
  participants(text).filter((module) => !exists(`${module}.ts`))

/** The participants that a diagram names and never uses, or uses and never names. */
const unnamed = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^```mermaid\n(.*?)^```/gms), ([, diagram = ""]) => {
    const named = Array.from(diagram.matchAll(/^ +(?:participant|actor) (\w+)/gm), ([, name = ""]) => name)
    const used = Array.from(diagram.matchAll(/^ +(\w+)-{1,2}>>(\w+):/gm), ([, from = "", to = ""]) => [from, to]).flat()
    return [...used.filter((name) => !named.includes(name)), ...named.filter((name) => !used.includes(name))]
  }).flat()

/**
 * The languages of blocks, and none for drawings. `types.test.ts` checks `ts`, `commands.test.ts`
 * runs `sh` and `text`. A block of `js` is of a file, which a test runs, and so is one of `json`,
 * which a test reads.
 */
const languages = new Set(["ts", "js", "json", "sh", "text", "mermaid", ""])

const anchorsOf = (path: string) => Headings.anchors(Documents.read(path))

const { exists } = Documents

describe.each(Documents.paths)("%s", (path) => {
  const text = Documents.read(path)

  it("links only to what is there", () => {
    expect(deadLinks(path, text, exists, anchorsOf)).toEqual([])
  })

  it("has blocks of code that are checked, and as in the files that they name", () => {
    const blocks = Blocks.of(text)
    expect(blocks.filter(({ language }) => !languages.has(language))).toEqual([])
    expect(blocks.filter(({ language, name }) => /^js/.test(language) && name === null)).toEqual([])
    expect(text.match(/^ *```/gm) ?? []).toHaveLength(2 * blocks.filter(({ isHidden }) => !isHidden).length)
    expect(Blocks.misquoted(path, text, (file) => (exists(file) ? Documents.read(file) : undefined))).toEqual([])
  })

  it("names only modules as participants of its diagrams", () => {
    expect(strangers(text, exists)).toEqual([])
    expect(unnamed(text)).toEqual([])
  })
})

describe("A mistake in a document is found:", () => {
  const exists = (target: string) => ["src/README.md", "src/a.md", "src/A.ts"].includes(target)

  it("a link that leads nowhere", () => {
    const links = `[a](a.md#a-b), [b](b.md#b), [c](../c), [d](https://d.example), [e](#e), [f](a.md#f), \`src/g\``
    const anchors = () => Headings.anchors("# A `b`\n")
    expect(deadLinks("src/README.md", links, exists, anchors)).toEqual(["b.md#b", "../c", "#e", "a.md#f", "src/g"])
  })

  it("a block that is not as in the file that it names", () => {
    const document = "```ts a.ts\nconst a = 1\n```\n"
    const found = (text: string) => Blocks.misquoted("src/README.md", document, () => text)
    expect([found("// a\nconst a = 1\n"), found("const a = 2\n")]).toEqual([[], ["src/README.md:2 is not in a.ts"]])
  })

  it("a participant that is no module", () => {
    expect(strangers("  participant A as src/A\n  participant B as src/B\n", exists)).toEqual(["src/B"])
  })

  it("a name that is used in a diagram and not introduced, or introduced and not used", () => {
    expect(unnamed("```mermaid\n  actor A\n  participant B as src/B\n  A->>C: c\n```\n")).toEqual(["C", "B"])
  })
})

it("The architecture has its three diagrams", () => {
  const text = Documents.read("src/README.md")
  expect(text.match(/^```mermaid$/gm)).toHaveLength(3)
  expect(participants(text).length).toBeGreaterThan(25)
})

it("The front page has at most 150 lines", () => {
  expect(Documents.read("README.md").split("\n").length).toBeLessThanOrEqual(150)
})
