// Runs hunt.ts against the engine's faults, in a copy of the repository: everything but the dependencies in one file.
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "vite"

const bundle = (root) => {
  const conditions = ["simplan-source", "node", "import", "module", "default"]
  return build({
    configFile: false,
    root,
    logLevel: "error",
    resolve: { conditions },
    ssr: { noExternal: [/^simplan/], resolve: { conditions } },
    build: {
      ssr: "test/mutants/hunt.ts",
      outDir: join(root, "hunt"),
      emptyOutDir: true,
      target: "node22",
      minify: false,
      rollupOptions: { output: { entryFileNames: "hunt.mjs" } }
    }
  })
}

/** What the simulations find with that text in the file; null where they find nothing. */
export const hunt = async (root, file, text, seed, patience) => {
  const path = join(root, file)
  const right = readFileSync(path, "utf8")
  writeFileSync(path, text)
  try {
    await bundle(root)
  } finally {
    writeFileSync(path, right)
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, "hunt/hunt.mjs"), String(seed)], { timeout: patience }, (error, found) => {
      if (error?.killed) resolve("a run that never ends")
      else resolve(error === null ? found.slice(0, 120) || null : `an error: ${error.message.slice(0, 80)}`)
    })
  })
}
