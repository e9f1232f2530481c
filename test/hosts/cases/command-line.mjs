// `npx simplan serve` in an empty folder: a server on the embedded database, which answers and
// stops.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Host from "../Host.mjs"

/** In milliseconds; the embedded database is made at the first start. */
const LONGEST_START = 120_000

const addressOf = async (child, output) => {
  const until = Date.now() + LONGEST_START
  while (child.exitCode === null && Date.now() < until) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output())
    if (found !== null && output().includes("is listening.")) return found[0]
    await sleep(100)
  }
  throw new Error(`The server does not listen:\n${output()}`)
}

export const run = async (context) => {
  const host = Host.shared(context)
  const directory = join(host.directory, "serving")
  mkdirSync(directory, { recursive: true })
  const child = spawn("npx", ["--no-install", "simplan", "serve"], {
    cwd: directory,
    env: { ...process.env, SIMPLAN_PORT: "0" },
    // npx has the server as a child: the signal goes to the group.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk
    })
  }
  const closed = once(child, "close")
  try {
    const address = await addressOf(child, () => output)
    for (const path of ["/healthz", "/openapi.json", "/docs"]) {
      const { status } = await fetch(`${address}${path}`)
      Host.expect(`${path} of the server answers`, status, 200)
    }
  } finally {
    if (child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await closed
  }
}
