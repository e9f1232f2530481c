// The load tool: autocannon in a process of its own. It takes a task as JSON and prints what it
// measured as JSON. What it asks for is made before it begins: one request costs it about 13 µs. A
// task with a rate is paced evenly, which autocannon does not do: it sends what is due in a second
// at its beginning.
import autocannon from "autocannon"
import { Agent, request } from "node:http"

const task = JSON.parse(process.argv[2])
const { connections, url } = task

/** Whole requests in random order, other ones for each connection. */
const requestsOf = () => {
  if (task.requests !== undefined) return task.requests
  const { count, from, path, to } = task.paths
  return Array.from({ length: count }, () => {
    const number = from + Math.floor(Math.random() * (to - from + 1))
    return { method: "GET", path: path.replace("{iccid}", task.paths.prefix + String(number).padStart(12, "0")) }
  })
}

/**
 * Batches of reports, each of another SIM, with ids that nobody has used; one in a hundred passes
 * half its allowance.
 */
const batches = () => {
  const { of, prefix, run, size, sims, token } = task.reports
  const occurredAt = new Date(Date.now() - 1_000).toISOString()
  const report = (batch, index) => {
    const at = batch * size + index
    const number = (at % sims) + 1
    const pass = run * 20 + Math.floor(at / sims)
    return {
      id: `${run}-${batch}-${index}`,
      type: "usage",
      iccid: prefix + String(number).padStart(12, "0"),
      occurred_at: occurredAt,
      total_bytes: (number % 100 === pass % 100 ? 6_144 : 1 + pass) * 1_048_576
    }
  }
  return Array.from({ length: of }, (_, batch) => ({
    method: "POST",
    path: "/telco/v1/events",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ events: Array.from({ length: size }, (__, index) => report(batch, index)) })
  }))
}

const prepared = task.reports === undefined ? null : batches()
let next = 0

const latencies = []
let failed = 0
let sample = ""
let bytes = 0
let began = 0
let ended = 0

const record = (status, millis) => {
  latencies.push(millis)
  ended = performance.now()
  if (status >= 200 && status <= 299) return
  failed += 1
  sample ||= `status ${status}`
}

const report = () => {
  latencies.sort((left, right) => left - right)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  const seconds = (ended - began) / 1000
  const { system, user } = process.cpuUsage()
  const measured = {
    requests: latencies.length,
    failed,
    sample,
    seconds,
    perSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    bytes,
    loaderShare: (user + system) / 1e6 / seconds
  }
  process.stdout.write(`${JSON.stringify(measured)}\n`)
}

const flatOut = () => {
  const limit = task.amount === undefined ? { duration: task.seconds } : { amount: task.amount }
  const setupClient = (client) => {
    if (prepared === null) client.setRequests(requestsOf())
    else client.setRequests(prepared.filter((_, index) => index % connections === next))
    next += 1
  }
  const instance = autocannon({ url, connections, timeout: 30, ...limit, setupClient }, (error, result) => {
    if (error) throw error
    failed += result.errors
    if (result.errors > 0) sample ||= `${result.errors} errors, ${result.timeouts} time-outs`
    bytes = result.throughput.total
    report()
  })
  instance.on("start", () => {
    began = performance.now()
  })
  instance.on("response", (_client, status, _bytes, millis) => record(status, millis))
}

const paced = () => {
  const [{ body = "", headers, method, path }] = task.requests
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const options = { agent, method, headers: { ...headers, "content-length": Buffer.byteLength(body) } }
  const total = Math.floor(task.rate * task.seconds)
  let sent = 0
  let done = 0
  // What was due before the pace had settled is sent and not recorded.
  const settled = (task.settleSeconds ?? 0) * 1000
  const finish = (status, at) => {
    if (at - began >= settled || status < 200 || status > 299) record(status, performance.now() - at)
    done += 1
    if (done < total) return
    agent.destroy()
    report()
  }
  // A request's time begins when it is due, whether or not there is a connection free for it.
  const send = (at) => {
    const one = request(url + path, options, (response) => {
      response.resume()
      response.once("end", () => finish(response.statusCode, at))
    })
    one.once("error", () => finish(0, at))
    one.end(body)
  }
  began = performance.now()
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - began) * task.rate) / 1000))
    while (sent < due) send(began + (sent++ * 1000) / task.rate)
    if (sent === total) clearInterval(timer)
  }, 1)
}

if (task.rate === undefined) flatOut()
else paced()
