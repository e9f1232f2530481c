/**
 * What a host's editor and compiler see of `simplan/promise`: no type of Effect, and a description of everything.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, transformWithOxc } from "vite"
import { describe, expect, it } from "vitest"

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
      path === "adapters/promise/Errors.ts"
        ? `import type { Effect } from "effect"\n${read(path)}\nexport const leak: Effect.Effect<void> | null = null\n`
        : read(path)
    expect([...(await reached(planted)).foreign]).toEqual(["effect"])
  })
})

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string"

const nameOf = (node: Node): string => {
  const key = node["key"] ?? node["id"]
  if (!isNode(key)) return node.type
  return typeof key["name"] === "string" ? key["name"] : JSON.stringify(key["value"] ?? key.type)
}

/** What has to be described: exports, and the members of exported interfaces and classes. */
const describable = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ClassDeclaration",
  "VariableDeclaration",
  "TSPropertySignature",
  "TSMethodSignature",
  "PropertyDefinition"
])

// Brands, and what an error overrides of `Error`.
const isPlumbing = (node: Node): boolean => /^(?:"~|name$)/.test(nameOf(node)) && node.type !== "TSInterfaceDeclaration"

/** What of the exported declarations of a module has no description of its own right before it. */
const undescribed = (path: string, text: string): ReadonlyArray<string> => {
  const { comments, program } = parseSync(path, text)
  const ends = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*")).map(({ end }) => end)
  const isDescribed = (start: number): boolean =>
    ends.some((end) => end <= start && /^(?:export)?(?:declare)?$/.test(text.slice(end, start).replace(/\s/g, "")))
  const missing: Array<string> = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item)
      return
    }
    // The fields of a type that is written in place are told of by what it belongs to.
    if (!isNode(value) || value.type === "TSTypeLiteral" || value.type === "TSFunctionType") return
    if (describable.has(value.type) && !isDescribed(value.start) && !isPlumbing(value)) {
      missing.push(`${path}: ${nameOf(value)}`)
    }
    for (const child of Object.values(value)) visit(child)
  }
  for (const node of program.body) if (node.type === "ExportNamedDeclaration") visit(node.declaration)
  return missing
}

describe("each public method and field", () => {
  it("has a description", async () => {
    const { found } = await reached(read)
    expect([...found].flatMap(([path, declarations]) => undescribed(path, declarations))).toEqual([])
  })

  it("that has none is found", () => {
    const text =
      "/** A thing. */\nexport interface Thing {\n  /** Its id. */\n  readonly id: string\n  readonly size: number\n}\n"
    expect(undescribed("a.ts", text)).toEqual(["a.ts: size"])
    expect(undescribed("a.ts", text.replace("/** A thing. */\n", ""))).toEqual(["a.ts: Thing", "a.ts: size"])
  })
})
