/**
 * The import rules of the design: domain ← views ← ports ← app ← testing, adapters as strangers,
 * time as an argument. A file is checked as text under a path, so that the tests can plant
 * violations.
 */
import { posix } from "node:path"
import { parseSync } from "vite"

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string
  readonly text: string
}

export interface Manifest {
  /**
   * Entry points and the source files behind them: `simplan/memory` → `adapters/memory/index.ts`.
   */
  readonly entries: ReadonlyMap<string, string>
  /**
   * What is installed with the package, the optional included; development dependencies are not.
   */
  readonly dependencies: ReadonlySet<string>
}

// --- reading a file ------------------------------------------------------------------------------

interface Import {
  /** Undefined when it is computed. */
  readonly specifier: string | undefined
  /** `*` for a whole module. */
  readonly names: ReadonlyArray<string>
  /** How it is loaded: with the file, when the code asks for it, or never. */
  readonly loads: "static" | "dynamic" | "type"
}

interface Facts {
  readonly imports: ReadonlyArray<Import>
  /** Uses of the machine's clock, timers and randomness. */
  readonly ambient: ReadonlyArray<string>
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string"

const walk = (value: unknown, visit: (node: Node) => void): void => {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (isNode(value)) {
    visit(value)
    for (const child of Object.values(value)) walk(child, visit)
  }
}

const nameOf = (value: unknown): string | undefined => {
  if (!isNode(value)) return undefined
  if (value.type === "Identifier") return value["name"] as string
  if (value.type === "Literal" && typeof value["value"] === "string") return value["value"]
  return undefined
}

const list = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

const importedNames = (node: Node): ReadonlyArray<string> => {
  if (node.type === "ImportDeclaration") {
    return list(node["specifiers"]).map((item) =>
      item.type === "ImportSpecifier" ? (nameOf(item["imported"]) ?? "*") : "*"
    )
  }
  if (node.type === "ExportNamedDeclaration")
    return list(node["specifiers"]).map((item) => nameOf(item["local"]) ?? "*")
  if (node.type === "TSImportType") {
    const qualifier = nameOf(node["qualifier"])
    if (qualifier !== undefined) return [qualifier]
  }
  return ["*"]
}

const loads = (node: Node): Import["loads"] => {
  if (node.type === "ImportExpression") return "dynamic"
  const isType = node["importKind"] === "type" || node["exportKind"] === "type" || node.type === "TSImportType"
  return isType ? "type" : "static"
}

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType"
])

const ambientMembers = new Set(["Date.now", "Math.random", "performance.now", "DateTime.nowUnsafe"])
const ambientNames = new Set(["setTimeout", "setInterval"])

const ambientUse = (node: Node): string | undefined => {
  if (node.type === "MemberExpression") {
    const name = `${nameOf(node["object"])}.${nameOf(node["property"])}`
    return ambientMembers.has(name) ? name : undefined
  }
  if (node.type === "NewExpression" || node.type === "CallExpression") {
    if (nameOf(node["callee"]) !== "Date") return undefined
    if (node.type === "CallExpression") return "Date()"
    return list(node["arguments"]).length === 0 ? "new Date()" : undefined
  }
  if (node.type === "Identifier") {
    const name = nameOf(node) ?? ""
    return ambientNames.has(name) ? name : undefined
  }
  return undefined
}

const facts = new WeakMap<SourceFile, Facts>()

/** What a file imports and uses. Each file is parsed once. */
const read = (file: SourceFile): Facts => {
  const known = facts.get(file) ?? parse(file)
  facts.set(file, known)
  return known
}

const parse = (file: SourceFile): Facts => {
  const parsed = parseSync(file.path, file.text)
  const [error] = parsed.errors
  if (error) throw new Error(`${file.path}: ${error.message}`)
  const imports: Array<Import> = []
  const ambient: Array<string> = []
  walk(parsed.program, (node) => {
    if (importing.has(node.type) && isNode(node["source"])) {
      imports.push({ specifier: nameOf(node["source"]), names: importedNames(node), loads: loads(node) })
    }
    const use = ambientUse(node)
    if (use !== undefined) ambient.push(use)
  })
  return { imports, ambient }
}

// --- the rules -----------------------------------------------------------------------------------

/** A layer may import itself and what stands before it. `index` is what stands in `src` itself. */
const layers = ["domain", "views", "ports", "app", "index", "testing"] as const
type Layer = (typeof layers)[number]

const timeless: ReadonlySet<Layer> = new Set<Layer>(["domain", "views", "ports", "app"])
const running = new Set(["*", "Effect", "Layer", "Stream", "Fiber", "Runtime", "ManagedRuntime"])

const compositionRoots = new Set(["http", "client", "promise", "cli", "simulation", "timeline", "telco-routes"])

const layerOf = (path: string): Layer | undefined => {
  const [, first, ...rest] = path.split("/")
  if (rest.length === 0) return "index"
  return layers.find((layer) => layer === first && layer !== "index")
}

const adapterOf = (path: string): string | undefined => /^adapters\/([^/]+)\//.exec(path)?.[1]

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const isRelative = (specifier: string): boolean => specifier.startsWith(".")
const isOwn = (specifier: string): boolean => packageOf(specifier) === "simplan"

/** The packages that the build takes modules of into the package. */
const builtIn = new Set(["@effect/platform-node", "@effect/platform-node-shared"])

/** The packages that the console's page has in it. */
const inPage = new Set(["preact", "@preact/signals"])

const undeclared = (specifier: string, manifest: Manifest): string | undefined =>
  specifier.startsWith("node:") ||
  manifest.dependencies.has(packageOf(specifier)) ||
  // A module of its own: the barrel would bring what is not needed.
  (builtIn.has(packageOf(specifier)) && specifier !== packageOf(specifier))
    ? undefined
    : `imports ${specifier}, which is not among the dependencies`

const checkCore = (path: string, { specifier, names }: Import): string | undefined => {
  const layer = layerOf(path)
  if (layer === undefined) return `is in none of the folders ${layers.join(", ")} of src`
  if (specifier === undefined) return "imports a computed name"
  if (isRelative(specifier)) {
    const target = posix.join(posix.dirname(path), specifier)
    if (!target.startsWith("src/")) return `imports ${specifier}, which is outside src`
    const below = layerOf(target)
    if (below === undefined || layers.indexOf(below) > layers.indexOf(layer)) {
      return `imports ${specifier}: ${layer} may not import ${below ?? "that folder"}`
    }
    return undefined
  }
  if (/^effect\/(crypto|encoding|testing)(\/[A-Z]\w*)?$/.test(specifier)) {
    const isPure = specifier.startsWith("effect/encoding")
    return layer === "domain" && !isPure ? `imports ${specifier}: the domain is pure` : undefined
  }
  if (specifier === "effect" || /^effect\/[A-Z]\w*$/.test(specifier)) {
    const modules = specifier === "effect" ? names : [specifier.slice("effect/".length)]
    const found = layer === "domain" ? modules.find((name) => running.has(name)) : undefined
    return found === undefined ? undefined : `imports ${found === "*" ? "all" : found} of effect: the domain is pure`
  }
  if (specifier === "fast-check" && layer === "testing") return undefined
  return `imports ${specifier}: src imports effect's core modules, crypto, encoding and testing only`
}

const checkAdapter = (path: string, { specifier }: Import, manifest: Manifest): string | undefined => {
  if (specifier === undefined) return undefined
  const adapter = adapterOf(path)
  if (adapter === undefined) return "is in no adapter's folder"
  if (adapter === "console" && inPage.has(packageOf(specifier))) return undefined
  if (!isRelative(specifier) && !isOwn(specifier)) return undeclared(specifier, manifest)
  const target = isOwn(specifier) ? manifest.entries.get(specifier) : posix.join(posix.dirname(path), specifier)
  if (target === undefined) return `imports ${specifier}, which is no entry point`
  if (["simplan", "simplan/ports", "simplan/views", "simplan/testing"].includes(specifier)) return undefined
  if (target === "src/testing/index.ts" && adapter === "simulation") return undefined
  const other = adapterOf(target)
  if (other === undefined) return `imports ${specifier}: an adapter uses the core by its entry points`
  if (other === adapter) return undefined
  if (adapter === "pglite" && other === "postgres") return undefined
  if (adapter === "memory" && target === "adapters/rows/index.ts") return undefined
  if (
    /^telco-(http|ocs|es2plus|simulator|smpp|esim-access|esim-go|airalo)$/.test(adapter) &&
    target === "adapters/telco-calls/index.ts"
  )
    return undefined
  // A page loads no more of the timeline than draws.
  if (adapter === "console" && /^adapters\/timeline\/(?:drawing\/Drawing|play\/History)\.ts$/.test(target))
    return undefined
  // The page reads files as the API does.
  if (adapter === "console" && target === "adapters/fields/CsvText.ts") return undefined
  // What the API answers has the client's types, of which the page loads nothing.
  if (adapter === "console" && specifier === "simplan/client") return undefined
  if (/^(?:operations|telco-)/.test(adapter) && target === "adapters/fields/index.ts") return undefined
  if (!compositionRoots.has(adapter)) return `imports ${specifier}: an adapter imports no sibling`
  if (isOwn(specifier) || target === `adapters/${other}/index.ts`) return undefined
  return `imports ${specifier}: a sibling is used by its index.ts`
}

const checkExample = (path: string, { specifier }: Import, manifest: Manifest): string | undefined => {
  if (specifier === undefined) return undefined
  if (isRelative(specifier)) {
    const target = posix.join(posix.dirname(path), specifier)
    return target.startsWith("examples/") ? undefined : `imports ${specifier}: an example uses the entry points`
  }
  if (isOwn(specifier))
    return manifest.entries.has(specifier) ? undefined : `imports ${specifier}, which is no entry point`
  return undeclared(specifier, manifest)
}

const check = (path: string, found: Import, manifest: Manifest): string | undefined => {
  if (path.startsWith("src/")) return checkCore(path, found)
  if (path.startsWith("adapters/")) return checkAdapter(path, found, manifest)
  if (path.startsWith("examples/")) return checkExample(path, found, manifest)
  return undefined
}

/** One line per violation: the path and what is wrong with it. */
export const violations = (files: ReadonlyArray<SourceFile>, manifest: Manifest): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const { ambient, imports } = read(file)
    const layer = file.path.startsWith("src/") ? layerOf(file.path) : undefined
    return [
      ...imports.map((found) => check(file.path, found, manifest)),
      ...(layer !== undefined && timeless.has(layer)
        ? ambient.map((use) => `uses ${use}: time and randomness are arguments`)
        : [])
    ].flatMap((problem) => (problem === undefined ? [] : [`${file.path} ${problem}`]))
  })

// --- what is loaded with a file ------------------------------------------------------------------

const targetOf = (path: string, { specifier = "" }: Import, manifest: Manifest): string | undefined =>
  isRelative(specifier) ? posix.join(posix.dirname(path), specifier) : manifest.entries.get(specifier)

export interface Loaded {
  /** The files that are loaded with the entry, by static imports; the entry among them. */
  readonly files: ReadonlySet<string>
  /** The dynamic imports of these files: `from -> to`. */
  readonly dynamic: ReadonlySet<string>
}

/** What loading a file loads, and what it may load later. */
export const loadedWith = (entry: string, files: ReadonlyArray<SourceFile>, manifest: Manifest): Loaded => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const found = new Set([entry])
  const dynamic = new Set<string>()
  for (const path of found) {
    const file = byPath.get(path)
    if (file === undefined) continue
    for (const one of read(file).imports) {
      const target = targetOf(path, one, manifest)
      if (target === undefined) continue
      if (one.loads === "static") found.add(target)
      if (one.loads === "dynamic") dynamic.add(`${path} -> ${target}`)
    }
  }
  return { files: found, dynamic }
}

// --- cycles --------------------------------------------------------------------------------------

/** The files among `files` that each one imports, types included. */
const graphOf = (files: ReadonlyArray<SourceFile>, manifest: Manifest): Graph => {
  const paths = new Set(files.map(({ path }) => path))
  return new Map(
    files.map((file) => {
      const targets = read(file).imports.map((found) => targetOf(file.path, found, manifest))
      return [file.path, targets.filter((target) => target !== undefined && paths.has(target)) as Array<string>]
    })
  )
}

type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/**
 * The circles of a graph: one line for each group of nodes in which every one leads to every other
 * one, as `a, b`. Tarjan's algorithm for strongly connected components.
 */
const circlesIn = (graph: Graph): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visited = new Map<string, { readonly index: number; low: number; onStack: boolean }>()
  const stack: Array<string> = []
  const visit = (path: string) => {
    const state = { index: visited.size, low: visited.size, onStack: true }
    visited.set(path, state)
    stack.push(path)
    const targets = graph.get(path) ?? []
    for (const target of targets) {
      const seen = visited.get(target)
      if (seen === undefined) state.low = Math.min(state.low, visit(target).low)
      else if (seen.onStack) state.low = Math.min(state.low, seen.index)
    }
    if (state.low === state.index) {
      const group = stack.splice(stack.indexOf(path))
      for (const member of group) {
        const of = visited.get(member)
        if (of !== undefined) of.onStack = false
      }
      if (group.length > 1 || targets.includes(path)) found.push(group.toSorted().join(", "))
    }
    return state
  }
  for (const path of graph.keys()) if (!visited.has(path)) visit(path)
  return found.toSorted()
}

/** The circles of imports, types included. */
export const cycles = (files: ReadonlyArray<SourceFile>, manifest: Manifest): ReadonlyArray<string> =>
  circlesIn(graphOf(files, manifest))

/**
 * The folders beside each other that two paths are in, as far down as they differ; undefined where
 * one is above the other.
 */
const roomsOf = (from: string, to: string): readonly [string, string] | undefined => {
  const [one, other] = [from.split("/"), to.split("/")]
  const depth = one.findIndex((name, index) => name !== other[index])
  if (depth === -1 || depth >= one.length - 1 || depth >= other.length - 1) return undefined
  return [one.slice(0, depth + 1).join("/"), other.slice(0, depth + 1).join("/")]
}

/**
 * The circles of imports among folders beside each other, types included, each folder with all that
 * is below it. What they share stands above them, or in another one.
 */
export const roomCycles = (files: ReadonlyArray<SourceFile>, manifest: Manifest): ReadonlyArray<string> => {
  const graph = new Map<string, Array<string>>()
  for (const [path, targets] of graphOf(files, manifest)) {
    for (const target of targets) {
      const [from, to] = roomsOf(path, target) ?? []
      if (from !== undefined && to !== undefined) graph.set(from, [...(graph.get(from) ?? []), to])
    }
  }
  return circlesIn(graph)
}

const topLevel = new Set([
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "src",
  "adapters",
  "test",
  "examples",
  "README.md",
  "LICENSE",
  "CHANGELOG.md"
])

/**
 * The entries at the top of the repository, given the paths of its files, that do not belong there.
 */
export const strayEntries = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(paths.map((path) => path.split("/")[0] ?? ""))].filter(
    (name) => !topLevel.has(name) && !name.startsWith(".")
  )

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

export const manifestOf = (text: string): Manifest => {
  const { dependencies, exports, optionalDependencies }: PackageJson = JSON.parse(text)
  return {
    dependencies: new Set(Object.keys({ ...dependencies, ...optionalDependencies })),
    entries: new Map(
      Object.entries(exports).flatMap(([name, target]) => {
        const source = typeof target === "string" ? undefined : target["simplan-source"]
        return source === undefined ? [] : [[posix.join("simplan", name), posix.normalize(source)] as const]
      })
    )
  }
}
