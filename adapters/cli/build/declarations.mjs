// The compiled declarations: those that an entry point of the package leads to, with maps to the sources.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

// In declarations as the compiler prints them. A path in a comment keeps one declaration more, which does no harm.
const IMPORT = /(?:\bfrom |\bimport\(|\bimport )"(\.[^"]+)"/g

/** The names of the declarations that these ones lead to, themselves included. Throws where one of the named is missing. */
export const reachedFrom = (names, read) => {
  const reached = new Set()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    reached.add(name)
    for (const [, path] of read(name).matchAll(IMPORT)) {
      waiting.push(join(dirname(name), path.replace(/(?:\.d)?\.[jt]s$/, ".d.ts")))
    }
  }
  return reached
}

const DECLARATION = /\.d\.ts(?:\.map)?$/

/**
 * Removes the declarations that none of the entry points leads to: no compiler of a host's reads them. A build without
 * declarations is left as it is.
 */
export const keepReached = (folder, entryPoints) => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => DECLARATION.test(name))
  if (names.length === 0) return
  const reached = reachedFrom(entryPoints, (name) => readFileSync(join(folder, name), "utf8"))
  for (const name of names) if (!reached.has(name.replace(DECLARATION, ".d.ts"))) rmSync(join(folder, name))
}

/** Has the maps lead to their sources from `dist`, which lies less deep than the folder where it is built. */
export const moveMaps = (folder, { root, dist }) => {
  const deeper = relative(folder, root).slice(relative(dist, root).length)
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts.map")) continue
    const path = join(folder, name)
    writeFileSync(path, readFileSync(path, "utf8").replace(`"sources":["..${deeper}/`, '"sources":["../'))
  }
}
