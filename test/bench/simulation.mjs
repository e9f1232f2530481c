// How fast time is simulated, and how that scales:
//
//     npm run bench:simulation
//
// Each line is a process of its own. "Per event" is what one package or one usage report costs, all that it causes
// included; the last column compares it with the line of 100 subscriptions.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundle } from "../setup/bundle.mjs"

const folder = mkdtempSync(join(tmpdir(), "simplan-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const script = await bundle("test/bench/simulation.ts", folder)

const runs = [
  [1, 365],
  [10, 365],
  [100, 365],
  [1_000, 100],
  [2_000, 365],
  [10_000, 10],
  [100_000, 3]
]
const measure = ([subscriptions, days]) =>
  JSON.parse(execFileSync(process.execPath, [script, String(subscriptions), String(days)], { encoding: "utf8" }))

const measured = runs.map(measure)
const perEvent = ({ events, seconds }) => (seconds * 1e6) / events
const base = perEvent(measured.find(({ subscriptions }) => subscriptions === 100))
console.table(
  measured.map((one) => ({
    subscriptions: one.subscriptions,
    days: one.days,
    events: one.events,
    seconds: one.seconds.toFixed(1),
    "subscription-years/s": ((one.subscriptions * one.days) / 365 / one.seconds).toFixed(1),
    "µs per event": perEvent(one).toFixed(1),
    "peak MB": one.peakMegabytes.toFixed(0),
    ratio: (perEvent(one) / base).toFixed(2)
  }))
)
