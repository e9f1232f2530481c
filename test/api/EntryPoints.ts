/**
 * What the entry points of the package export: the names that each of them leads to, by the module
 * that declares them.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type Node, isNode, nodesOf, type Source, sourceOf, textOf } from "./Sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The names that are exported, by the path of the module that declares them. */
export type Exported = ReadonlyMap<string, ReadonlySet<string>>

const sources = new Map<string, Source>()

/** A module by its path in the repository. */
export const read = (path: string): Source => {
  const known = sources.get(path) ?? sourceOf(path, readFileSync(`${root}${path}`, "utf8"))
  sources.set(path, known)
  return known
}

const manifest: { readonly exports: Readonly<Record<string, { readonly "simplan-source"?: string }>> } = JSON.parse(
  readFileSync(`${root}package.json`, "utf8")
)

/**
 * The entry points by their names: `simplan` for the package itself, `ports` for `simplan/ports`;
 * and their modules.
 */
export const entryPoints: ReadonlyMap<string, string> = new Map(
  Object.entries(manifest.exports).flatMap(([specifier, { "simplan-source": source }]) =>
    source === undefined ? [] : [[specifier === "." ? "simplan" : specifier.slice(2), source.slice(2)]]
  )
)

/** Every name of a module, in place of one. */
const ALL = "*"

/** The names that a declaration declares. */
export const declared = (declaration: Node): ReadonlyArray<string> =>
  declaration.type === "VariableDeclaration"
    ? nodesOf(declaration["declarations"]).map(({ id }) => textOf(id))
    : isNode(declaration["id"])
      ? [textOf(declaration["id"])]
      : []

/** Where the imported names of a module come from. */
const imports = ({ body }: Source): ReadonlyMap<string, { readonly from: string; readonly name: string }> =>
  new Map(
    body
      .filter(({ type }) => type === "ImportDeclaration")
      .flatMap((node) =>
        nodesOf(node["specifiers"]).map((specifier) => [
          textOf(specifier["local"]),
          {
            from: textOf(node["source"]),
            name: specifier.type === "ImportSpecifier" ? textOf(specifier["imported"]) : ALL
          }
        ])
      )
  )

/**
 * What the module at a path exports, and the modules that it exports from. Other packages are left
 * out.
 */
export const exported = (entry: string): Exported => {
  const found = new Map<string, Set<string>>()
  const seen = new Set<string>()
  const follow = (path: string, specifier: string, name: string) => {
    if (specifier.startsWith(".")) visit(posix.join(posix.dirname(path), specifier), name)
  }
  const add = (path: string, name: string) => found.set(path, (found.get(path) ?? new Set()).add(name))
  const visit = (path: string, wanted: string) => {
    const key = `${path} ${wanted}`
    if (seen.has(key)) return
    seen.add(key)
    const source = read(path)
    const isWanted = (name: string) => wanted === ALL || wanted === name
    for (const node of source.body) {
      const from = isNode(node["source"]) ? textOf(node["source"]) : undefined
      if (node.type === "ExportAllDeclaration" && from !== undefined) {
        if (!isNode(node["exported"])) follow(path, from, wanted)
        else if (isWanted(textOf(node["exported"]))) follow(path, from, ALL)
      }
      if (node.type !== "ExportNamedDeclaration") continue
      if (isNode(node["declaration"])) {
        for (const name of declared(node["declaration"])) if (isWanted(name)) add(path, name)
      }
      for (const specifier of nodesOf(node["specifiers"])) {
        if (!isWanted(textOf(specifier["exported"]))) continue
        const local = textOf(specifier["local"])
        const imported = from === undefined ? imports(source).get(local) : { from, name: local }
        if (imported === undefined) add(path, local)
        else follow(path, imported.from, imported.name)
      }
    }
  }
  visit(entry, ALL)
  return found
}
