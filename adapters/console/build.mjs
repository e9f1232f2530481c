// Builds the console: a page, and files whose names have their hashes. The argument names the
// folder. A page's code is a file of its own.
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, defaultClientConditions } from "vite"

const here = fileURLToPath(new URL(".", import.meta.url))

/**
 * Builds it into a folder. All addresses are relative, so that it works below any prefix: the page
 * is at `…/console`.
 */
export const buildConsole = (outDir) =>
  build({
    configFile: false,
    root: here,
    base: "./",
    logLevel: "error",
    // The drawing's modules are of the core and of the timeline: what of these it does not use is
    // left out.
    resolve: { conditions: ["simplan-source", ...defaultClientConditions] },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      rolldownOptions: { treeshake: { moduleSideEffects: (id) => id.startsWith(here) || id.includes("preact") } },
      outDir,
      emptyOutDir: true,
      assetsDir: "console/assets",
      assetsInlineLimit: 0,
      modulePreload: false,
      license: { fileName: "LICENSES.txt" },
      reportCompressedSize: false,
      target: "es2022"
    }
  })

if (process.argv[1] !== undefined && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error("Name the folder to build the console into.")
  await buildConsole(folder)
}
