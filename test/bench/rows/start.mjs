// Starting on much data: the server is ready when it says that it listens.
import { PGlite } from "@electric-sql/pglite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { line } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const EMBEDDED = 100_000

const startedOn = async (url) => {
  const server = await Processes.serve(url)
  const ready = (await fetch(`${server.url}/readyz`)).ok
  await server.stop()
  if (!ready) throw new Error("The server says that it listens, and is not ready")
  return server.readyMillis / 1000
}

const embedded = async (sims) => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-bench-"))
  const data = join(folder, "data")
  try {
    await startedOn(`pglite://${data}`)
    const database = await PGlite.create(data)
    for (const statement of Seed.inventory(sims, Date.now())) await database.exec(statement)
    await database.close()
    return await startedOn(`pglite://${data}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const start = async (bench) => {
  const few = Math.min(bench.sims, EMBEDDED)
  const target = { unit: "s", atMost: 3 }
  return [
    line(`start with ${bench.sims.toLocaleString("en")} subscriptions on PostgreSQL`, {
      value: await startedOn(bench.urlOf(bench.seeded)),
      ...target
    }),
    line(`… with ${few.toLocaleString("en")} on PGlite`, { value: await embedded(few), ...target })
  ]
}
