// How far one request goes through the code:
//
//     npm run walks              # a line for each walk
//     npm run walks -- --files   # and the files that each one enters
//
// A built server on a PostgreSQL of the script's own answers a creation, a report up to its
// webhook, and a read of a subscription. V8 counts the calls. A walk is what each of several
// repetitions enters, so that what the server does beside them is left out.
import { createServer } from "node:http"
import { createServer as createProbe } from "node:net"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import { ensureBuilt } from "../../adapters/cli/build/build.mjs"
import * as Postgres from "../bench/Postgres.mjs"

const REPETITIONS = 5

const { values } = parseArgs({ options: { files: { type: "boolean", default: false } } })

await ensureBuilt()
const Processes = await import("../bench/Processes.mjs")
const Seed = await import("../bench/Seed.mjs")

const freePort = () =>
  new Promise((resolve) => {
    const server = createProbe().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const must = async (status, url, { body, headers, method = "GET" } = {}) => {
  const type = body === undefined ? {} : { "content-type": "application/json" }
  const response = await fetch(url, { method, headers: { ...type, ...headers }, body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== status) throw new Error(`${method} ${url} was answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** What each of the counts has, with the fewest functions. */
const common = ([first, ...others]) =>
  first.flatMap(({ file, functions }) => {
    const same = others.map((count) => count.find((one) => one.file === file)?.functions ?? 0)
    const least = Math.min(functions, ...same)
    return least === 0 ? [] : [{ file, functions: least }]
  })

const postgres = await Postgres.start()
let receive = () => {}
const receiver = createServer((request, response) => {
  request.resume().on("end", () => {
    response.end()
    receive()
  })
})
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve))
let server
try {
  const database = await postgres.create("walks")
  await Processes.migrate(postgres.urlOf(database))
  await postgres.query(database, ...Seed.inventory(50, Date.now()), ...Seed.settled)
  const probePort = await freePort()
  const settings = {
    NODE_OPTIONS: `--import=${new URL("Probe.mjs", import.meta.url).href}`,
    WALKS_PROBE_PORT: String(probePort),
    SIMPLAN_ADMIN_TOKEN: "walks-admin-token-0123456789",
    SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true"
  }
  server = await Processes.serve(
    postgres.urlOf(database),
    settings,
    fileURLToPath(new URL("serve.mjs", import.meta.url))
  )
  const key = { "x-api-key": Seed.keys[Seed.FREE] }
  const served = { "x-api-key": Seed.keys[Seed.SERVED] }
  const admin = { authorization: "Bearer walks-admin-token-0123456789" }
  await must(201, `${server.url}/admin/v1/organizations/${Seed.SERVED}/webhook-endpoints`, {
    method: "POST",
    headers: admin,
    body: { url: `http://127.0.0.1:${receiver.address().port}/` }
  })

  let sims = 0
  const walks = {
    creation: () =>
      must(201, `${server.url}/v3/subscription`, {
        method: "POST",
        headers: key,
        body: { plan_id: Seed.PLAN, metadata: "walk" }
      }),
    report: async () => {
      const delivered = new Promise((resolve) => {
        receive = resolve
      })
      // More than half of its package, of which an event notifies the organization.
      const event = {
        id: `walk-${++sims}`,
        type: "usage",
        iccid: Seed.iccid(Seed.SERVED, sims),
        occurred_at: new Date(Date.now() - 1_000).toISOString(),
        total_bytes: 6_144 * 1_048_576
      }
      await must(200, `${server.url}/telco/v1/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${Processes.TELCO_TOKEN}` },
        body: { events: [event] }
      })
      await delivered
    },
    read: () => must(200, `${server.url}/v3/subscriptions/${Seed.iccid(Seed.SERVED, 20)}`, { headers: served })
  }

  for (const [name, walk] of Object.entries(walks)) {
    await walk()
    const counts = []
    for (let n = 0; n < REPETITIONS; n++) {
      await sleep(300)
      await must(200, `http://127.0.0.1:${probePort}/`)
      await walk()
      await sleep(50)
      counts.push(await must(200, `http://127.0.0.1:${probePort}/`))
    }
    const files = common(counts)
    const few = files.filter(({ functions }) => functions <= 2).length
    const functions = files.reduce((sum, one) => sum + one.functions, 0)
    console.log(`${name}: ${files.length} files, ${functions} functions; ${few} files run at most two`)
    if (values.files) for (const one of files) console.log(`  ${String(one.functions).padStart(4)}  ${one.file}`)
  }
} finally {
  await server?.stop()
  Processes.stopAll()
  receiver.close()
  await postgres.stop()
}
