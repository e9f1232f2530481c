/**
 * A copy of the package in a directory of its own, built there by the package's own build: what a server process runs
 * from. The checkout gets no `dist/`, and nobody who works in it meanwhile is in the way.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

export interface BuiltCopy {
  readonly directory: string
  readonly main: string
  readonly remove: () => void
}

/** Copies and builds; throws what the compiler says. */
export const make = (): BuiltCopy => {
  const directory = mkdtempSync(join(tmpdir(), "simplan-built-"))
  for (const name of ["package.json", "package-lock.json", "tsconfig.json", "src", "adapters", ".pglite"]) {
    cpSync(join(root, name), join(directory, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"), "dir")
  const build = spawnSync(process.execPath, [join(directory, "adapters/cli/build/build.mjs")], { encoding: "utf8" })
  if (build.status !== 0) throw new Error(`The copy does not build:\n${build.stdout}${build.stderr}`)
  return {
    directory,
    main: join(directory, "dist/adapters/cli/main.js"),
    remove: () => rmSync(directory, { recursive: true, force: true })
  }
}
