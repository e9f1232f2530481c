/**
 * `npm run test:plain`: the suite with every fast path off. The switches' defaults are rewritten as
 * the sources are loaded, and in the built copy that servers run from.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "vite"

const FILES = ["src/app/Settings.ts", "adapters/postgres/database/Database.ts"]

const DEFAULTS = ": FastPaths = {"

const off = (source: string): string => {
  const [before = "", defaults = ""] = source.split(DEFAULTS)
  if (!defaults.includes(": true")) throw new Error("There is no fast path to switch off")
  return `${before}${DEFAULTS}${defaults.replaceAll(": true", ": false")}`
}

export const fastPathsOff: Plugin = {
  name: "simplan-fast-paths-off",
  enforce: "pre",
  transform: (source, id) => (FILES.some((file) => id.split("?")[0]?.endsWith(file)) ? off(source) : undefined)
}

/** Switches them off in a copy of the sources, where the suite runs in the plain way. */
export const applyTo = (directory: string): void => {
  if (process.env["SIMPLAN_TEST_PLAIN"] !== "true") return
  for (const file of FILES) {
    const path = join(directory, file)
    writeFileSync(path, off(readFileSync(path, "utf8")))
  }
}
