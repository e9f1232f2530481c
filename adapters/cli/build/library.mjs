// Makes the library of the built modules: `library/` has what hosts import, at the path of each
// entry point, and its parts. An import loads twenty files in place of two hundred and fifty, which
// takes half of the time and two thirds of the memory. `effect` and all other packages stay
// outside. The modules stay in dist/ too, for what counts and profiles them; the package has the
// library alone.
import { readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import * as Places from "./places.mjs"

const FOLDER = "library"
const PARTS = "parts"

/** Where entry points go that no host imports. */
const APART = "apart"

/** The entry points of which bundles have single names, such as errors or `verify`. */
const DIVIDED = ["./promise", "./webhooks", "./client"]

/** What an entry point exports from elsewhere, as the compiler prints it. */
const EXPORTED = /^export .* from "(\.[^"]+)";$/gm

/** The package's exports by their names: the modules that are imported or required. */
export const entryPoints = (root) => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, { default: imported, require: required = imported }]) =>
      imported === undefined ? [] : [[name, { imported: moduleOf(imported), required: moduleOf(required) }]]
    )
  )
}

const moduleOf = (path) => relative(join("dist", FOLDER), path)

/** Bundles the library of the built tree `target`, into it. */
export const make = async (target, root) => {
  const { build } = await import("vite")
  const exported = entryPoints(root)
  const entries = Object.values(exported).flatMap(({ imported, required }) => [imported, required])
  // As entry points they get parts of their own, so that an import of one name takes with it only
  // what it needs.
  const divided = DIVIDED.flatMap((name) => {
    const { imported } = exported[name]
    const text = readFileSync(join(target, imported), "utf8")
    return [...text.matchAll(EXPORTED)].map(([, path]) => join(imported, "..", path))
  })
  const inputs = (folder, modules) =>
    modules.map((name) => [join(folder, name.slice(0, -".js".length)), join(target, name)])
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [Places.modules(target, FOLDER)],
    build: {
      ssr: true,
      outDir: join(target, FOLDER),
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      target: "node20",
      rollupOptions: {
        input: Object.fromEntries([...inputs("", entries), ...inputs(APART, divided)]),
        preserveEntrySignatures: "strict",
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: `${PARTS}/[name].js`,
          hoistTransitiveImports: false
        }
      }
    }
  })
  rmSync(join(target, FOLDER, APART), { recursive: true, force: true })
}
