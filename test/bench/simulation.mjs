// How fast time is simulated, and how that scales:
//
//     npm run bench:simulation
//
// Each line is a process of its own, the last one two side by side, one on each of two cores. An
// event is one package or one usage report, all that it causes included; the ratio compares what
// one costs with the line of 100. A process has lived a little before it is measured.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { bundle } from "../setup/bundle.mjs"

const folder = mkdtempSync(join(tmpdir(), "simplan-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const script = await bundle("test/bench/simulation.ts", folder)

// Left alone, V8 lets garbage lie while there is memory, or looks for it long before the room is
// used up: the processes of the last line get less than 1 GB together, and use it.
const HEAP_MEGABYTES = 800

// What an event makes lives shortly: with more room for new values, and nothing put among the old
// ones early, a quarter of the time is saved.
const YOUNG = ["--max-semi-space-size=32", "--no-allocation-site-pretenuring"]

const heapOf = (processes) => {
  const megabytes = Math.floor(HEAP_MEGABYTES / processes)
  if (processes === 1) return YOUNG
  return [...YOUNG, `--max-old-space-size=${megabytes}`, `--initial-old-space-size=${megabytes}`]
}

const live = async (subscriptions, days, processes) => {
  const heap = heapOf(processes)
  const { stdout } = await promisify(execFile)(process.execPath, [...heap, script, String(subscriptions), String(days)])
  return JSON.parse(stdout)
}

/** Several simulations at once, each with its part of the subscriptions, as one. */
const measure = async ({ days, processes = 1, subscriptions }) => {
  const parts = await Promise.all(
    Array.from({ length: processes }, () => live(subscriptions / processes, days, processes))
  )
  return {
    processes,
    subscriptions,
    days,
    events: parts.reduce((sum, { events }) => sum + events, 0),
    seconds: Math.max(...parts.map(({ seconds }) => seconds)),
    peakMegabytes: parts.reduce((sum, { peakMegabytes }) => sum + peakMegabytes, 0)
  }
}

const measured = []
for (const run of [
  { subscriptions: 1, days: 365 },
  { subscriptions: 10, days: 365 },
  { subscriptions: 100, days: 365 },
  { subscriptions: 1_000, days: 100 },
  { subscriptions: 10_000, days: 10 },
  { subscriptions: 100_000, days: 2 },
  { subscriptions: 2_000, days: 365, processes: 2 }
]) {
  measured.push(await measure(run))
}

const perEvent = ({ events, seconds }) => (seconds * 1e6) / events
const base = perEvent(measured.find(({ subscriptions }) => subscriptions === 100))
console.table(
  measured.map((one) => ({
    subscriptions: one.subscriptions,
    days: one.days,
    processes: one.processes,
    events: one.events,
    seconds: Number(one.seconds.toFixed(1)),
    "subscription-years/s": Number((one.events / 2 / 365 / one.seconds).toFixed(1)),
    "µs per event": Number(perEvent(one).toFixed(1)),
    "peak MB": Math.round(one.peakMegabytes),
    ratio: Number((perEvent(one) / base).toFixed(2))
  }))
)
