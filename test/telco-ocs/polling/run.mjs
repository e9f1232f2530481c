// How late the thresholds of many SIMs are found with few calls per second (see Usage.ts and
// Simulation.ts):
//
//     npm run test:ocs-polling -- --sims 100000 --rate 20 --days 3 --notified 50,80 --thresholds 50,80,100
//
// The days are virtual; three of 100,000 SIMs take some minutes.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundle } from "../../setup/bundle.mjs"

const folder = mkdtempSync(join(tmpdir(), "simplan-polling-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const script = await bundle("test/telco-ocs/polling/main.ts", folder)
const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: "inherit" })
process.exitCode = status ?? 1
