/** The console's files, built into a folder of the test's own. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const builder = fileURLToPath(new URL("../../adapters/console/build.mjs", import.meta.url))

export interface Built {
  readonly folder: string
  readonly remove: () => void
}

export const make = (): Built => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-console-"))
  execFileSync(process.execPath, [builder, folder])
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
