/**
 * The documents of the repository: each relative link leads to a file or folder, and each participant of a sequence diagram
 * is a module.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const documents = ["src", "adapters", "test", "examples"]
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  )
  .filter((path) => path.endsWith(".md") && !path.includes("node_modules/"))
  .concat("README.md")

type Exists = (path: string) => boolean

/** The relative links of a document that lead nowhere. */
const deadLinks = (path: string, text: string, exists: Exists): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)
    .filter((link) => !/^(?:https?:|#)/.test(link))
    .filter((link) => !exists(posix.join(posix.dirname(path), link.replace(/#.*$/, ""))))

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

describe.each(documents)("%s", (path) => {
  const text = readFileSync(`${root}${path}`, "utf8")
  const exists = (target: string) => existsSync(`${root}${target}`)

  it("links only to what is there", () => {
    expect(deadLinks(path, text, exists)).toEqual([])
  })

  it("names only modules as participants of its diagrams", () => {
    expect(strangers(text, exists)).toEqual([])
    expect(unnamed(text)).toEqual([])
  })
})

describe("A mistake in a document is found:", () => {
  const exists = (target: string) => ["src/a.md", "src/A.ts"].includes(target)

  it("a link that leads nowhere", () => {
    expect(
      deadLinks("src/README.md", "[a](a.md), [b](b.md#b), [c](../c), [d](https://d.example), [e](#e)", exists)
    ).toEqual(["b.md#b", "../c"])
  })

  it("a participant that is no module", () => {
    expect(strangers("  participant A as src/A\n  participant B as src/B\n", exists)).toEqual(["src/B"])
  })

  it("a name that is used in a diagram and not introduced, or introduced and not used", () => {
    expect(unnamed("```mermaid\n  actor A\n  participant B as src/B\n  A->>C: c\n```\n")).toEqual(["C", "B"])
  })
})

it("The architecture has its three diagrams", () => {
  const text = readFileSync(`${root}src/README.md`, "utf8")
  expect(text.match(/^```mermaid$/gm)).toHaveLength(3)
  expect(participants(text).length).toBeGreaterThan(25)
})
