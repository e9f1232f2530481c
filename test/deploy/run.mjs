// The files of examples/deploy with real programs: `npm run test:deploy`.
//
// nginx with TLS before two servers with --production, on one PostgreSQL and a fake of a charging
// system: what callers reach and what not, whose address is limited, how large a body may be, and
// that no request fails while the servers are replaced one by one. Prometheus scrapes both, and
// answers the query of each panel. nginx and Prometheus are installed where they are missing.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { fail, install, runs } from "../setup/debian.mjs"
import { start } from "../fakes/ocs/Fake.mjs"

process.env.PATH += ":/usr/sbin"
for (const name of ["nginx", "prometheus", "openssl"]) install(name)

const root = fileURLToPath(new URL("../..", import.meta.url))
const example = (name) => readFileSync(join(root, "examples/deploy", name), "utf8")
const directory = mkdtempSync(join(tmpdir(), "simplan-deploy-"))
const token = "token-of-the-deployment-0123456789"
const children = []

const run = (command, args, options) => {
  const child = spawn(command, args, { cwd: directory, stdio: ["pipe", "pipe", "inherit"], ...options })
  child.stdout.resume()
  children.push(child)
  return child
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  return port
}

const until = async (what, holds) => {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return
    await sleep(100)
  }
  throw new Error(`${what} has not come within a minute`)
}

const stopped = async (child) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  return child.exitCode
}

const makeCertificate = () => {
  const files = ["-keyout", join(directory, "key.pem"), "-out", join(directory, "cert.pem")]
  const made = runs("openssl", ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" "), ...files)
  if (made.status !== 0) fail(made.stderr)
}

/** The file as it is, with ports and places of this run. */
const configure = (ports, tlsPort) => {
  const changes = [
    ["127.0.0.1:3000", `127.0.0.1:${ports[0]}`],
    ["127.0.0.1:3002", `127.0.0.1:${ports[1]}`],
    ["listen 443", `listen 127.0.0.1:${tlsPort}`],
    ["/etc/ssl/api.example.com.pem", join(directory, "cert.pem")],
    ["/etc/ssl/api.example.com.key", join(directory, "key.pem")],
    ["/var/log/nginx/simplan.log", join(directory, "access.log")]
  ]
  const sites = changes.reduce((text, [from, to]) => {
    assert(text.includes(from), `nginx.conf has no ${from}`)
    return text.replace(from, to)
  }, example("nginx.conf"))
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const user = process.getuid?.() === 0 ? "user root; " : ""
  const main = `${user}pid ${directory}/nginx.pid; daemon off; error_log stderr crit; events {}
    http { ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ")}\n${sites} }`
  writeFileSync(join(directory, "nginx.conf"), main)
  const { status, stderr } = runs("nginx", "-t", "-e", "stderr", "-c", join(directory, "nginx.conf"))
  assert.equal(status, 0, stderr)
  assert(!stderr.includes("[warn]"), stderr)
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

/** Over TLS, on connections that are kept. */
const call = (port, path, { body, headers, localAddress } = {}) =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const options = { host: "127.0.0.1", port, path, method, headers, agent, localAddress }
    const sent = request(options, async (response) => {
      const parts = []
      for await (const part of response) parts.push(part)
      resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() })
    })
    sent.on("error", reject)
    sent.end(body)
  })

const telco = await start({ port: 0, token: "token-of-the-charging-system", subscribers: 20 })
try {
  makeCertificate()
  const keeper = run(process.execPath, [join(root, "test/setup/databases/postgres-keeper.mjs")])
  const [line] = await once(createInterface({ input: keeper.stdout }), "line")
  const { url, error } = JSON.parse(line)
  if (url === undefined) throw new Error(error)
  writeFileSync(join(directory, "ocs.token"), "token-of-the-charging-system")
  const ocs = { kind: "ocs", url: telco.url, token: { file: "ocs.token" }, reseller_id: 1 }
  const telcos = { ocs: { ...ocs, zones: { Green: { FR: 27 } }, mobile_plan_id: 10 } }
  writeFileSync(join(directory, "telcos.json"), JSON.stringify({ telcos, routes: [{ packages: "ocs" }] }))

  const servers = []
  for (const name of ["a", "b"]) {
    const cwd = join(directory, name)
    mkdirSync(cwd)
    const port = await freePort()
    const adminPort = await freePort()
    const env = {
      PATH: process.env.PATH,
      SIMPLAN_DATABASE_URL: url,
      SIMPLAN_TELCO_FILE: join(directory, "telcos.json"),
      SIMPLAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      SIMPLAN_ADMIN_TOKEN: token,
      SIMPLAN_TRUST_PROXY: "1",
      SIMPLAN_PORT: String(port),
      SIMPLAN_ADMIN_PORT: String(adminPort)
    }
    const begin = async () => {
      const child = run(process.execPath, [join(root, "dist/adapters/cli/main.js"), "serve", "--production"], {
        cwd,
        env
      })
      const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
      await until(`server ${name}`, ready)
      return child
    }
    servers.push({ adminPort, begin, child: await begin(), port })
  }

  const tlsPort = await freePort()
  configure(
    servers.map(({ port }) => port),
    tlsPort
  )
  run("nginx", ["-e", "stderr", "-c", join(directory, "nginx.conf")])
  await until("nginx", async () => (await call(tlsPort, "/readyz")).status === 200)

  const manage = async (path, type, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type }
    const answer = await fetch(`http://127.0.0.1:${servers[0].adminPort}${path}`, { method: "POST", headers, body })
    assert(answer.ok, `${path}: ${answer.status}`)
    return (await answer.json()).data
  }
  const { organization_id } = await manage("/admin/v1/organizations", "application/json", '{"name":"deploy"}')
  const of = `/admin/v1/organizations/${organization_id}`
  const { key } = await manage(`${of}/api-keys`, "application/json", '{"name":"deploy"}')
  const headers = { "x-api-key": key, "content-type": "application/json" }

  for (const path of ["/admin/v1/organizations", "/metrics"]) {
    assert.equal((await call(tlsPort, path, { headers: { authorization: `Bearer ${token}` } })).status, 404, path)
  }
  console.log("operators' routes are not behind the proxy")

  const list = await call(tlsPort, "/v3/coverage-profiles", { headers })
  assert.equal(list.status, 200)
  assert(JSON.parse(list.text).data.length > 200)
  console.log(`a streamed list is whole: ${list.text.length} bytes`)

  const large = await call(tlsPort, "/v3/plans", { headers, body: " ".repeat(1_500_000) })
  assert.equal(large.status, 413)
  assert.equal(JSON.parse(large.text).code, "body_too_large")
  console.log("a body that is too large is answered by the server")

  const wrong = (n, localAddress) =>
    call(tlsPort, "/v3/plans", { headers: { "x-api-key": "wrong", "x-forwarded-for": `203.0.113.${n}` }, localAddress })
  const statuses = new Set()
  for (let n = 0; n < 240; n++) statuses.add((await wrong(n, "127.0.0.1")).status)
  assert.deepEqual(statuses, new Set([401, 429]))
  assert.equal((await wrong(1, "127.0.0.2")).status, 401)
  assert(!readFileSync(join(directory, "access.log"), "utf8").includes("203.0.113."))
  console.log("wrong keys are limited by the client's address, whatever header it sends")

  // Callers without a pause while each server is stopped and started again.
  const seen = new Map()
  let isOver = false
  const caller = async () => {
    while (!isOver) {
      const { status } = await call(tlsPort, "/v3/plans", { headers }).catch(({ code }) => ({ status: code }))
      seen.set(status, (seen.get(status) ?? 0) + 1)
      await sleep(100)
    }
  }
  const callers = Promise.all([caller(), caller(), caller(), caller()])
  for (const server of servers) {
    server.child.kill("SIGTERM")
    assert.equal(await stopped(server.child), 0)
    server.child = await server.begin()
    await sleep(2_500)
  }
  isOver = true
  await callers
  assert.deepEqual([...seen.keys()], [200], JSON.stringify([...seen]))
  console.log(`both servers were replaced: ${seen.get(200)} reads, all of them answered`)

  const prometheusPort = await freePort()
  const targets = servers.map(({ adminPort }) => `127.0.0.1:${adminPort}`)
  const scraped = [{ job_name: "simplan", scrape_interval: "1s", static_configs: [{ targets }] }]
  writeFileSync(join(directory, "prometheus.yml"), JSON.stringify({ scrape_configs: scraped }))
  const listen = `--web.listen-address=127.0.0.1:${prometheusPort}`
  const places = [`--config.file=${directory}/prometheus.yml`, `--storage.tsdb.path=${directory}/tsdb`]
  run("prometheus", [...places, listen, "--log.level=error"])
  const query = async (expression) => {
    const asked = `http://127.0.0.1:${prometheusPort}/api/v1/query?${new URLSearchParams({ query: expression })}`
    const answer = await (await fetch(asked)).json()
    assert.equal(answer.status, "success", `${expression}: ${answer.error}`)
    return answer.data.result
  }
  await until("a scrape of both", async () => (await query("count_over_time(up[1m]) > 3")).length === 2)
  // A metric that nothing has been counted in yet has no value: that the server has it is held by
  // test/documents.
  const { panels } = JSON.parse(example("dashboard.json"))
  const empty = []
  for (const { targets, title } of panels) {
    for (const { expr } of targets) if ((await query(expr)).length === 0) empty.push(title)
  }
  assert(empty.length < panels.length)
  console.log(`the queries of ${panels.length} panels are answered; without a value here: ${empty.join(", ")}`)
  const checked = runs("promtool", "test", "rules", join(root, "examples/deploy/rules.test.yml"))
  assert.equal(checked.status, 0, checked.stderr)
  for (const { child } of servers) child.kill("SIGTERM")
  for (const { child } of servers) assert.equal(await stopped(child), 0)
} finally {
  agent.destroy()
  // The keeper of PostgreSQL ends with its standard input.
  for (const child of children) child.stdin.end()
  for (const child of children.slice(1)) child.kill("SIGTERM")
  await Promise.all(children.map(stopped))
  await telco.close?.()
  rmSync(directory, { recursive: true, force: true })
}
