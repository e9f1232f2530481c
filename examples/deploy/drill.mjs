// Sees the alert rules fire on a real server: the telco down, an endpoint at 500, no stock. Where DRILL_DATABASE_URL names a
// database on a disk of its own, and DRILL_DISK a directory on that disk, the disk is filled too.
//
//   npm run build && node examples/deploy/drill.mjs
//
// It needs `prometheus`. The rules are those of rules.yml with shorter times, so that a drill takes a minute.
import { spawn } from "node:child_process"
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync, closeSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../dist/adapters/cli/main.js", import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "simplan-drill-"))
const token = "token-of-the-drill-0123456789"
const children = []

const run = (command, args, options) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options })
  children.push(child)
  return child
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const serve = async (name, env) => {
  const port = await freePort()
  const cwd = mkdtempSync(join(directory, `${name}-`))
  const own = { PATH: process.env.PATH, SIMPLAN_ADMIN_TOKEN: token, SIMPLAN_PORT: String(port), ...env }
  run(process.execPath, [main, "serve"], { cwd, env: own })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const ready = await fetch(`${url}/readyz`).catch(() => null)
    if (ready?.ok) break
    await sleep(200)
  }
  const call = async (path, body, key) => {
    const authorization = key === undefined ? { authorization: `Bearer ${token}` } : { "x-api-key": key }
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: await response.json() }
  }
  const { body } = await call("/admin/v1/organizations", { name })
  const of = `/admin/v1/organizations/${body.data.organization_id}`
  const { key } = (await call(`${of}/api-keys`, { name })).body.data
  const sims = [1, 2, 3].map((n) => ({
    iccid: `898830300000000000${n}0`,
    label: "Green",
    is_esim: true,
    lpa: "LPA:1$a$b"
  }))
  await call(`${of}/sims`, { sims })
  const [coverage] = (await call("/v3/coverage-profiles?label=Green&region_code=FR", undefined, key)).body.data
  const size = { data_MBs: 100, period_days: 30, recurring: false, throttling: false }
  const plan = await call("/v3/plans", { name, coverage_id: coverage.coverage_id, ...size }, key)
  const subscribe = () => call("/v3/subscription", { plan_id: plan.body.plan_id, metadata: "" }, key)
  return { name, port, of, call, subscribe }
}

const rules = readFileSync(new URL("rules.yml", import.meta.url), "utf8")
  .replace(/\bfor: \d+m/g, "for: 3s")
  .replace(/\binterval: 15s/, "interval: 1s")
  .replace(/\[\d+m\]/g, "[10s]")
  .replace("> 900", "> 5")

const expected = ["SimplanTelcoDown", "SimplanErrors", "SimplanWebhooksFail", "SimplanNoStock"]

try {
  const receiver = createServer((_, response) => response.writeHead(500).end()).listen(0, "127.0.0.1")
  const memory = { SIMPLAN_DATABASE_URL: "memory:", SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" }
  // Nothing listens at the telco's address.
  const down = { SIMPLAN_TELCO_URL: "http://127.0.0.1:1", SIMPLAN_TELCO_KEY: "key-of-the-telco" }
  const servers = [await serve("outage", { ...memory, ...down }), await serve("well", memory)]
  const [outage, well] = servers
  const disk = process.env.DRILL_DATABASE_URL
  if (disk !== undefined) {
    servers.push(await serve("disk", { SIMPLAN_DATABASE_URL: disk }))
    expected.push("SimplanStorage")
  }
  const targets = servers.map(({ port }) => `127.0.0.1:${port}`)
  writeFileSync(join(directory, "rules.yml"), rules)
  const scraped = { job_name: "simplan", static_configs: [{ targets }] }
  const config = { global: { scrape_interval: "1s", evaluation_interval: "1s" }, rule_files: ["rules.yml"] }
  writeFileSync(join(directory, "prometheus.yml"), JSON.stringify({ ...config, scrape_configs: [scraped] }))
  const port = await freePort()
  const address = `--web.listen-address=127.0.0.1:${port}`
  const storage = `--storage.tsdb.path=${join(directory, "tsdb")}`
  run("prometheus", [`--config.file=${join(directory, "prometheus.yml")}`, address, storage], { cwd: directory })

  const url = `http://127.0.0.1:${receiver.address().port}/hook`
  const endpoint = (await well.call(`${well.of}/webhook-endpoints`, { url })).body.data.webhook_endpoint_id
  const fired = new Set()
  // Before anything goes wrong the series are there, and no alert fires.
  await sleep(5_000)
  if (disk !== undefined) {
    const ballast = openSync(join(process.env.DRILL_DISK, "ballast"), "w")
    try {
      for (;;) writeSync(ballast, Buffer.alloc(4096))
    } catch {
      closeSync(ballast)
    }
  }
  const end = performance.now() + 90_000
  while (performance.now() < end && expected.some((name) => !fired.has(name))) {
    await outage.subscribe()
    await well.subscribe()
    await well.call(`${well.of}/webhook-endpoints/${endpoint}/test`, {})
    const alerts = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).then(
      (answer) => answer.json(),
      () => null
    )
    for (const { labels, state } of alerts?.data.alerts ?? []) {
      if (state !== "firing" || fired.has(labels.alertname)) continue
      fired.add(labels.alertname)
      console.log(`fires: ${labels.alertname}`)
    }
    await sleep(1_000)
  }
  receiver.close()
  const silent = expected.filter((name) => !fired.has(name))
  if (silent.length > 0) throw new Error(`did not fire: ${silent.join(", ")}`)
} finally {
  for (const child of children) child.kill("SIGKILL")
  if (process.env.DRILL_DISK !== undefined) rmSync(join(process.env.DRILL_DISK, "ballast"), { force: true })
  rmSync(directory, { recursive: true, force: true })
}
