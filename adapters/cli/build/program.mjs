// Makes the command's program of the built modules: `main.js`, and its parts in `program/`, which
// have `effect` and the other dependencies in them. A command loads a dozen files in place of seven
// hundred, which takes a third of the time. What an installation may leave out stays outside. The
// modules stay in dist/ too, for what counts and profiles them; the package has the program alone.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Places from "./places.mjs"
import * as Platform from "./platform.mjs"

const PARTS = "program"

/**
 * The viewer of the API's document, three megabytes that are loaded when somebody reads it: they
 * are loaded from where `effect` is installed.
 */
const VIEWER = 'import("./internal/httpApiScalar.js")'
const INSTALLED =
  'import(new URL("./internal/httpApiScalar.js", import.meta.resolve("effect/http-api/HttpApiScalar")).href)'

/** Bundles the program of the built tree `target`, in place. */
export const make = async (target, root) => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { build } = await import("vite")
  const folder = join(target, "adapters", "cli")
  const packages = new Set()
  const dependencies = {
    name: "simplan-dependencies",
    enforce: "pre",
    transform: (code, id) => {
      const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
      if (name !== undefined) packages.add(name)
      if (!id.endsWith("/HttpApiScalar.js")) return null
      if (!code.includes(VIEWER)) throw new Error(`The viewer of the API's document is not loaded by ${VIEWER}`)
      return code.replace(VIEWER, INSTALLED)
    }
  }
  await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [Places.modules(target, join("adapters", "cli")), dependencies],
    ssr: { noExternal: Object.keys(manifest.dependencies), external: Object.keys(manifest.optionalDependencies) },
    build: {
      ssr: join(folder, "main.js"),
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      target: "node20",
      rollupOptions: {
        output: {
          entryFileNames: "main.js",
          chunkFileNames: `${PARTS}/[name].js`,
          // Names stay, for the traces of errors.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
        }
      }
    }
  })
  writeFileSync(join(folder, PARTS, "LICENSES.txt"), Platform.licencesOf([...packages].sort()))
}
