// Scripts that run the sources outside the test runner: everything in one file, as it would run in
// an application.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "vite"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Bundles an entry, named from the root of the repository, into a folder; gives the file to run.
 */
export const bundle = async (entry, folder) => {
  const conditions = ["simplan-source", "node", "import", "module", "default"]
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: true,
      target: "node20",
      minify: false,
      rollupOptions: { output: { entryFileNames: "bundle.mjs" } }
    }
  })
  return join(folder, "bundle.mjs")
}
