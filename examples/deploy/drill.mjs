// Sees every alert rule fire on real servers: a telco that is down, refuses or is silent, endpoints that answer 500 or nothing,
// queues that stand, no stock, a server that is killed, and one that is replaced by another build. Where DRILL_DATABASE_URL names a database on a disk of its own, and
// DRILL_DISK a directory on that disk, the disk is filled too.
//
//   npm run build && node examples/deploy/drill.mjs
//
// It needs `prometheus`. The rules are those of rules.yml with shorter times, so that a drill takes a minute.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { once } from "node:events"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const MAIN = "dist/adapters/cli/main.js"
const directory = mkdtempSync(join(tmpdir(), "simplan-drill-"))
const token = "token-of-the-drill-0123456789"
const children = []
const listeners = []

const run = (command, args, options) => {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "ignore"], ...options })
  children.push(child)
  return child
}

/** Listens on a free port. */
const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler).listen(0, "127.0.0.1", () => resolve(server))
    listeners.push(server)
  })

const urlOf = (server) => `http://127.0.0.1:${server.address().port}`

const freePort = async () => {
  const server = await listen()
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A telco behind the contract of a bridge. `answers` says what it does: it can be changed at any time. */
const bridge = async () => {
  const telco = { answers: "well", url: "" }
  const server = await listen((request, response) => {
    const json = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body)
    let body = ""
    request.on("data", (part) => (body += part))
    request.on("end", async () => {
      const isOrder = request.url.endsWith("/packages")
      if (telco.answers === "silent") return
      if (telco.answers === "late") await sleep(8_000)
      if (telco.answers === "unavailable") return json(503, '{"code":"unavailable","message":"down for a drill"}')
      if (telco.answers === "refuses" && !isOrder) return json(422, '{"code":"refused","message":"not today"}')
      if (request.url.endsWith("/packages/list")) return json(200, '{"package_ids":null}')
      if (isOrder) return json(200, JSON.stringify({ telco_package_id: `telco-${JSON.parse(body).package_id}` }))
      response.writeHead(204).end()
    })
  })
  telco.url = urlOf(server)
  return telco
}

let imported = 0

/** A copy of the build that says it was made of other sources. */
const otherBuild = () => {
  const copy = join(directory, "other")
  mkdirSync(copy)
  for (const name of ["package.json", "dist"]) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  writeFileSync(join(copy, "dist/adapters/cli/build.digest"), "of the drill")
  return copy
}

/** Starts a server with an organization that has a plan and so many eSIMs. */
const serve = async (name, stock, env, { build = root, port: given } = {}) => {
  const port = given ?? (await freePort())
  const cwd = mkdtempSync(join(directory, `${name}-`))
  const own = {
    PATH: process.env.PATH,
    SIMPLAN_PORT: String(port),
    SIMPLAN_ADMIN_TOKEN: token,
    SIMPLAN_TELCO_TOKEN: `telco-${token}`,
    SIMPLAN_DATABASE_URL: "memory:",
    SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true",
    SIMPLAN_RATE_LIMIT: "off",
    ...env
  }
  const child = run(process.execPath, [join(build, MAIN), "serve"], { cwd, env: own })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ${name} has ended`)
    const ready = await fetch(`${url}/readyz`).catch(() => null)
    if (ready?.ok) break
    await sleep(200)
  }
  const request = async (method, path, body, authorization) => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: await response.json() }
  }
  const admin = (method, path, body) => request(method, path, body, { authorization: `Bearer ${token}` })
  const { organization_id } = (await admin("POST", "/admin/v1/organizations", { name })).body.data
  const of = `/admin/v1/organizations/${organization_id}`
  const { key } = (await admin("POST", `${of}/api-keys`, { name })).body.data
  const call = (method, path, body) => request(method, path, body, { "x-api-key": key })
  const sims = Array.from({ length: stock }, () => ({
    iccid: `8988303${String(++imported).padStart(12, "0")}`,
    label: "Green",
    is_esim: true,
    lpa: "LPA:1$a$b"
  }))
  await admin("POST", `${of}/sims`, { sims })
  const [coverage] = (await call("GET", "/v3/coverage-profiles?label=Green&region_code=FR")).body.data
  const size = { data_MBs: 100, period_days: 30, recurring: false, throttling: false }
  const { plan_id } = (await call("POST", "/v3/plans", { name, coverage_id: coverage.coverage_id, ...size })).body
  const endpoint = async (address) =>
    `${of}/webhook-endpoints/${(await admin("POST", `${of}/webhook-endpoints`, { url: address })).body.data.webhook_endpoint_id}`
  const report = (events) => request("POST", "/telco/v1/events", { events }, { authorization: `Bearer telco-${token}` })
  const subscribe = (metadata = "") => call("POST", "/v3/subscription", { plan_id, metadata })
  const done = ({ body, status }) => {
    if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  /** The ICCIDs of so many new subscriptions. */
  const sell = (count) => Promise.all(Array.from({ length: count }, async () => done(await subscribe()).esimdata.iccid))
  const end = async (iccid) => done(await call("DELETE", `/v3/subscriptions/${iccid}`))
  const suspend = async (iccid) => {
    const [attachment] = done(await call("GET", `/v3/subscriptions/${iccid}/plan-attachments`)).data
    const path = `/v3/subscriptions/${iccid}/plan-attachments/${attachment.plan_attachment_id}/suspend`
    return done(await call("POST", path))
  }
  return { port, child, sims, admin, endpoint, report, subscribe, sell, end, suspend }
}

/** Bridges and servers, each of which something happens to. Before, all is well with them. */
const prepare = async () => {
  const [down, refusing, silent] = [await bridge(), await bridge(), await bridge()]
  const over = ({ url }) => ({
    SIMPLAN_TELCO_URL: url,
    SIMPLAN_TELCO_KEY: "key-of-the-telco",
    SIMPLAN_TELCO_TIMEOUT: "2m"
  })
  const failing = await listen((_, response) => response.writeHead(500).end())
  const asleep = await listen(() => {})
  // Nothing listens at the address of this telco.
  const file = join(directory, "telcos.json")
  const smdp = { kind: "es2plus", url: "http://127.0.0.1:1/gsma/rsp2/es2plus" }
  const telcos = { sandbox: { kind: "simulator" }, smdp }
  writeFileSync(file, JSON.stringify({ telcos, routes: [{ packages: "sandbox", profiles: "smdp" }] }))

  const shop = await serve("shop", 12, {})
  const outage = await serve("outage", 20, over(down))
  const refusal = await serve("refusal", 20, over(refusing))
  const queues = await serve("queues", 1_000, over(silent))
  const profiles = await serve("profiles", 30, { SIMPLAN_TELCO_FILE: file })
  const killed = await serve("killed", 20, {})
  const upgraded = await serve("upgraded", 20, {})
  const build = otherBuild()
  const servers = [shop, outage, refusal, queues, profiles, killed, upgraded]

  const atFailing = await shop.endpoint(`${urlOf(failing)}/hook`)
  await queues.endpoint(`${urlOf(asleep)}/hook`)
  const waiting = await outage.sell(2)
  const refused = await refusal.sell(2)
  const attached = await queues.sell(500)
  const released = await profiles.sell(10)

  /** What goes wrong, in no order. */
  const begin = async () => {
    down.answers = "unavailable"
    refusing.answers = "refuses"
    silent.answers = "silent"
    killed.child.kill("SIGKILL")
    upgraded.child.kill()
    await once(upgraded.child, "exit")
    await serve("upgraded", 20, {}, { build, port: upgraded.port })
    await shop.sell(12)
    await Promise.all([...waiting.map(outage.end), ...refused.map(refusal.end), ...released.map(profiles.end)])
    // More jobs than a process does at once, and more deliveries than it sends at once.
    const suspended = attached.map(queues.suspend)
    const states = queues.sims.map(({ iccid }) => ({
      id: `state-${iccid}`,
      type: "smdp_state",
      iccid,
      occurred_at: new Date().toISOString(),
      state: "Enable"
    }))
    await Promise.all([...suspended, queues.report(states)])
  }
  const goOn = () => Promise.all([outage.subscribe(), shop.admin("POST", `${atFailing}/test`, {})])
  return { servers, begin, goOn }
}

/** A server whose database has a small disk: it is filled while jobs are under way. */
const prepareDisk = async (url) => {
  const telco = await bridge()
  const env = { SIMPLAN_DATABASE_URL: url, SIMPLAN_TELCO_URL: telco.url, SIMPLAN_TELCO_KEY: "key-of-the-telco" }
  const server = await serve("disk", 80, env)
  const begin = async () => {
    telco.answers = "late"
    // What the telco answers later finds no room for rows that do not fit on the pages that there are.
    const creations = []
    for (let count = 0; count < 40; count++) {
      creations.push(server.subscribe(randomBytes(1_400).toString("base64")))
      await sleep(150)
    }
    void Promise.allSettled(creations)
    const ballast = openSync(join(process.env.DRILL_DISK, "ballast"), "w")
    try {
      for (;;) writeSync(ballast, Buffer.alloc(4096))
    } catch {
      closeSync(ballast)
    }
  }
  return { server, begin }
}

const rules = readFileSync(new URL("rules.yml", import.meta.url), "utf8")
  .replace(/\bfor: \d+[mh]/g, "for: 3s")
  .replace(/\binterval: 15s/, "interval: 1s")
  .replace(/\[\d+m\]/g, "[10s]")
  .replace(/ > (?:60|300|900|3600)$/gm, " > 5")

/** What needs a disk that is full. */
const ofDisk = ["SimplanStorage", "SimplanJobsFail"]

const drill = async () => {
  const { begin, goOn, servers } = await prepare()
  const url = process.env.DRILL_DATABASE_URL
  const disk = url === undefined ? null : await prepareDisk(url)
  const expected = Array.from(rules.matchAll(/alert: (\w+)/g), ([, name]) => name).filter(
    (name) => disk !== null || !ofDisk.includes(name)
  )
  if (disk === null) console.log(`without DRILL_DATABASE_URL nothing fills a disk: ${ofDisk.join(", ")} are left out`)

  const targets = [...servers, ...(disk === null ? [] : [disk.server])].map(({ port }) => `127.0.0.1:${port}`)
  writeFileSync(join(directory, "rules.yml"), rules)
  const scraped = { job_name: "simplan", static_configs: [{ targets }] }
  const config = { global: { scrape_interval: "1s", evaluation_interval: "1s" }, rule_files: ["rules.yml"] }
  writeFileSync(join(directory, "prometheus.yml"), JSON.stringify({ ...config, scrape_configs: [scraped] }))
  const port = await freePort()
  const address = `--web.listen-address=127.0.0.1:${port}`
  const storage = `--storage.tsdb.path=${join(directory, "tsdb")}`
  run("prometheus", [`--config.file=${join(directory, "prometheus.yml")}`, address, storage], { cwd: directory })
  const firing = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).then((found) => found.json())
    return answer.data.alerts.filter(({ state }) => state === "firing")
  }

  await sleep(15_000)
  const early = (await firing()).map(({ labels }) => labels.alertname)
  if (early.length > 0) throw new Error(`fire while all is well: ${early.join(", ")}`)
  const started = performance.now()
  await Promise.all([begin(), disk?.begin()])
  const fired = new Set()
  while (performance.now() < started + 120_000 && expected.some((name) => !fired.has(name))) {
    await goOn()
    for (const { annotations, labels } of await firing()) {
      if (fired.has(labels.alertname)) continue
      fired.add(labels.alertname)
      const seconds = Math.round((performance.now() - started) / 1_000)
      console.log(`fires after ${seconds} s: ${labels.alertname}: ${annotations.summary}`)
    }
    await sleep(1_000)
  }
  const silent = expected.filter((name) => !fired.has(name))
  if (silent.length > 0) throw new Error(`did not fire: ${silent.join(", ")}`)
}

try {
  await drill()
} finally {
  for (const child of children) child.kill("SIGKILL")
  for (const listener of listeners) {
    listener.close()
    listener.closeAllConnections()
  }
  if (process.env.DRILL_DISK !== undefined) rmSync(join(process.env.DRILL_DISK, "ballast"), { force: true })
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
