// Puts the modules of `@effect/platform-node` that the build imports into it, as `platform/`, so
// that they need not be installed: that package has a peer that nothing here uses, and refuses
// releases of Node that simplan runs on. What they import of `effect` stays an import, so that
// there is one copy of its services.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"

const SPECIFIER = /(?<=(?:from |import\()")@effect\/(platform-node(?:-shared)?)\/(\w+)(?=")/g
const BUNDLED = ["@effect/platform-node", "@effect/platform-node-shared", "ws"]

const require = createRequire(import.meta.url)

const modulesUnder = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
    .map((entry) => join(entry.parentPath, entry.name))

/** The folder of a package that is installed for this repository. */
const folderOf = (name) => {
  const found = require.resolve.paths(name).map((directory) => join(directory, name))
  const installed = found.find((directory) => existsSync(join(directory, "package.json")))
  if (installed === undefined) throw new Error(`The build needs the package ${name}, which is not installed`)
  return installed
}

/** The licences of packages that a build has in it. */
export const licencesOf = (names) =>
  names
    .map((name) => {
      const file = readdirSync(folderOf(name)).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one))
      if (file === undefined) throw new Error(`The package ${name} has no licence that the build could copy`)
      return `${name}\n\n${readFileSync(join(folderOf(name), file), "utf8")}`
    })
    .join("\n\n")

/** Changes the imports of a built tree, and puts the modules there. */
export const include = async (target, root) => {
  const entries = new Map()
  for (const file of modulesUnder(target)) {
    const text = readFileSync(file, "utf8")
    const changed = text.replace(SPECIFIER, (_, from, name) => {
      entries.set(name, join(folderOf(`@effect/${from}`), "dist", `${name}.js`))
      return relative(dirname(file), join(target, "platform", `${name}.js`))
        .split(sep)
        .join("/")
    })
    if (changed !== text) writeFileSync(file, changed)
  }
  const { build } = await import("vite")
  await build({
    configFile: false,
    root,
    logLevel: "error",
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: true,
      outDir: join(target, "platform"),
      emptyOutDir: false,
      copyPublicDir: false,
      minify: true,
      target: "node20",
      rollupOptions: {
        input: Object.fromEntries(entries),
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "[name].js", chunkFileNames: "shared/[name].js" }
      }
    }
  })
  writeFileSync(join(target, "platform", "LICENSES.txt"), licencesOf(BUNDLED))
}
