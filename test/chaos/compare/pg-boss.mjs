// A worker of pg-boss with its defaults, but for how many jobs it fetches and how often it does,
// and that it searches for jobs of 15 minutes each 5 seconds, and not each minute; or the process
// that adds its jobs.
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effects from "./Effects.mjs"

const { count, databaseUrl, effectsUrl, folder } = JSON.parse(process.argv[2])

const { PgBoss } = await import(pathToFileURL(createRequire(join(folder, "/")).resolve("pg-boss")).href)
const boss = new PgBoss({ connectionString: databaseUrl, superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 })
// It reports lost connections here, and goes on.
boss.on("error", () => {})
await boss.start()
await boss.createQueue("units")
if (count === undefined) {
  await boss.work("units", { batchSize: 10, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    await Promise.all(jobs.map(({ data }) => Effects.perform(effectsUrl, data.id)))
  })
  console.log(JSON.stringify({ running: true }))
} else {
  for (let id = 0; id < count; id++) await boss.send("units", { id: String(id) })
  await boss.stop()
  console.log(JSON.stringify({ added: count }))
}
