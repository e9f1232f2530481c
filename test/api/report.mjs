// What each entry point declares, in `test/api/reports`: a change of the public types shows as a
// change of a file. `npm run check:api` compares; `npm run api` writes the reports anew.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync } from "vite"

const root = fileURLToPath(new URL("../..", import.meta.url))
const reports = join(root, "test", "api", "reports")
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/**
 * `promise` for `simplan/promise`, `simplan` for the package itself; and the module of its
 * declarations.
 */
const entries = Object.entries(exports).flatMap(([specifier, { types } = {}]) =>
  types === undefined
    ? []
    : [{ name: specifier === "." ? "simplan" : specifier.slice(2), module: posix.relative("dist", types) }]
)

const emit = (folder) => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")
  const project = join(root, "adapters", "cli", "build", "tsconfig.json")
  const args = [
    "-p",
    project,
    "--outDir",
    folder,
    "--emitDeclarationOnly",
    "--declarationMap",
    "false",
    "--singleThreaded"
  ]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`The sources do not compile:\n${stdout}`)
}

/** The declarations without comments and empty lines. */
const bare = (path, text) => {
  const comments = parseSync(path, text).comments.toReversed()
  const code = comments.reduce((rest, { end, start }) => rest.slice(0, start) + rest.slice(end), text)
  return code
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")
}

/**
 * The modules that a module exports, as a whole or in part. What they use of others is no part of
 * what is public, nor are the other modules of an index of which it exports some.
 */
const exported = (module, codeOf) =>
  Array.from(codeOf(module).matchAll(/^export (\{.*?\} )?[^\n]*from "(\.[^"]+)"/gm), ([, some, specifier]) => {
    const path = posix.join(posix.dirname(module), specifier).replace(/\.(ts|js)$/, ".d.ts")
    if (some === undefined || !path.endsWith("/index.d.ts")) return [path]
    const names = some.match(/\w+/g) ?? []
    const modules = Array.from(codeOf(path).matchAll(/^export \* as (\w+) from "\.\/(.+)\.ts"/gm))
    return modules.filter(([, name]) => names.includes(name)).map(([, , own]) => posix.join(path, "..", `${own}.d.ts`))
  }).flat()

/**
 * The reports by the names of their files. A module that several entries lead to is in the report
 * of the first.
 */
const make = () => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-api-"))
  try {
    emit(folder)
    const owner = new Map()
    const codeOf = (path) => bare(path, readFileSync(join(folder, path), "utf8"))
    for (const { module, name } of entries) {
      const found = [module]
      for (const path of found) {
        if (owner.has(path)) continue
        owner.set(path, name)
        found.push(...exported(path, codeOf))
      }
    }
    return new Map(
      entries.map(({ module, name }) => {
        if (owner.get(module) !== name) return [`${name}.txt`, `// ${module}, as in ${owner.get(module)}.txt\n`]
        const modules = [...owner].filter(([, of]) => of === name).map(([path]) => path)
        const parts = modules.sort().map((path) => `// ${path}\n${codeOf(path)}\n`)
        return [`${name}.txt`, parts.join("\n")]
      })
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The lines that only one of the texts has. */
const difference = (before, after) => {
  const [old, fresh] = [before.split("\n"), after.split("\n")]
  const [had, has] = [new Set(old), new Set(fresh)]
  return [
    ...old.filter((line) => !has.has(line)).map((line) => `  - ${line}`),
    ...fresh.filter((line) => !had.has(line)).map((line) => `  + ${line}`)
  ].slice(0, 40)
}

/**
 * The words of a text in one order: the compiler writes the members of a union in an order that
 * changes.
 */
const words = (text) => (text.match(/[\w$"'`/-]+\??/g) ?? []).sort().join(" ")

/** A report as it stands; empty where there is none. */
const standing = (name) => {
  const file = join(reports, name)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const made = make()
if (process.argv.includes("--update")) {
  const texts = [...made].map(([name, text]) => {
    const before = standing(name)
    return [name, words(before) === words(text) ? before : text]
  })
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  for (const [name, text] of texts) writeFileSync(join(reports, name), text)
} else {
  const names = new Set([...made.keys(), ...(existsSync(reports) ? readdirSync(reports) : [])])
  let changed = 0
  for (const name of names) {
    const before = standing(name)
    const after = made.get(name) ?? ""
    const lines = difference(before, after)
    if (lines.length === 0 || words(before) === words(after)) continue
    changed++
    console.error([`${name} is not what the entry point declares:`, ...lines].join("\n"))
  }
  if (changed > 0) {
    console.error("The public types have changed. Where that is meant, run npm run api and commit the reports.")
    process.exit(1)
  }
}
