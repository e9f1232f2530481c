// Takes screenshots of the console, to be looked at:
//
//     npm run screenshots                    # into a temporary folder, whose name it prints
//     npm run screenshots -- FOLDER sim      # into a folder; only the page that is named
//     npm run screenshots -- --keep          # also writes the three that examples/console has
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const {
  positionals: [named, only = ""],
  values
} = parseArgs({ allowPositionals: true, options: { keep: { type: "boolean", default: false } } })

const folder = named === undefined ? mkdtempSync(join(tmpdir(), "simplan-screenshots-")) : resolve(named)
mkdirSync(folder, { recursive: true })

const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url))
const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs")
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", config], {
  stdio: "inherit",
  env: {
    ...process.env,
    SCREENSHOTS_FOLDER: folder,
    SCREENSHOTS_ONLY: only,
    SCREENSHOTS_KEEP: values.keep ? "true" : ""
  }
})
if (status === 0) process.stdout.write(`The screenshots are in ${folder}\n`)
process.exitCode = status ?? 1
