/**
 * What a host's editor and compiler see of `simplan/promise`: no type of Effect, and a description
 * of everything.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { transformWithOxc } from "vite"
import { describe, expect, it } from "vitest"
import { undescribed } from "../api/Descriptions.ts"
import { declared as namesOf } from "../api/EntryPoints.ts"
import { isNode, sourceOf } from "../api/Sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const entry = "adapters/promise/index.ts"

/** The declarations of a module, as the compiler emits them. */
const declared = async (path: string, text: string): Promise<string> => {
  const { declaration } = await transformWithOxc(text, path, { typescript: { declaration: {} } })
  if (declaration === undefined) throw new Error(`${path} has no declarations`)
  return declaration
}

/** What the declarations import. */
const importsOf = (declarations: string): ReadonlyArray<string> =>
  Array.from(
    declarations.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g),
    ([, from, dynamic]) => from ?? dynamic ?? ""
  )

/** All declarations that the entry leads to, by path, and what else they import. */
const reached = async (read: (path: string) => string) => {
  const found = new Map<string, string>()
  const foreign = new Set<string>()
  const paths = [entry]
  for (const path of paths) {
    const declarations = await declared(path, read(path))
    found.set(path, declarations)
    for (const specifier of importsOf(declarations)) {
      if (!specifier.startsWith(".")) foreign.add(specifier)
      else {
        const target = posix.join(posix.dirname(path), specifier)
        if (!paths.includes(target)) paths.push(target)
      }
    }
  }
  return { found, foreign }
}

const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

describe("the declarations of simplan/promise", () => {
  it("import nothing but each other", async () => {
    const { foreign, found } = await reached(read)
    expect([...foreign]).toEqual([])
    expect([...found.keys()].filter((path) => !path.startsWith("adapters/promise/"))).toEqual([])
    expect(found.size).toBeGreaterThan(10)
  })

  it("would be found out by this test", async () => {
    const planted = (path: string) =>
      path === "adapters/promise/errors/Errors.ts"
        ? `import type { Effect } from "effect"\n${read(path)}\nexport const leak: Effect.Effect<void> | null = null\n`
        : read(path)
    expect([...(await reached(planted)).foreign]).toEqual(["effect"])
  })
})

/** What of the declarations that a module exports has no description. */
const undescribedIn = (path: string, declarations: string): ReadonlyArray<string> => {
  const source = sourceOf(path, declarations)
  const exports = source.body.filter(({ type }) => type === "ExportNamedDeclaration")
  const names = new Set(exports.flatMap(({ declaration }) => (isNode(declaration) ? namesOf(declaration) : [])))
  return undescribed(source, (name) => names.has(name))
}

describe("each public method and field", () => {
  it("has a description", async () => {
    const { found } = await reached(read)
    expect([...found].flatMap(([path, declarations]) => undescribedIn(path, declarations))).toEqual([])
  })

  it("that has none is found", async () => {
    const { found } = await reached(read)
    const path = "adapters/promise/Options.ts"
    const declarations = found.get(path)?.replaceAll("/**", "/*") ?? ""
    expect(undescribedIn(path, declarations)).toContain(`${path}: Options`)
  })
})
