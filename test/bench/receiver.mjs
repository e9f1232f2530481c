// Receives webhooks on every address of the loopback network, each of which is a host of its own to
// a sender. What comes to `/dead` is never answered. When it is asked to stop it says in JSON what
// came in, and how late: the path names the endpoint, the body the event, and both together when
// the delivery was due.
import { createHash, createHmac } from "node:crypto"
import { createServer } from "node:http"

const { endpoints, everyMillis } = JSON.parse(process.argv[2])

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`)

let dueFrom = 0
const lateness = []
const seen = new Set()
let unsigned = 0
let repeated = 0
let last = 0

const signingKey = (endpoint) => `whsec_${createHash("sha256").update(String(endpoint)).digest("base64")}`

// Every hundredth signature is checked: the receiver shares the machine with the sender.
const isSigned = (endpoint, header, body) => {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (time === undefined) return false
  if (seen.size % 100 !== 0) return true
  return createHmac("sha256", signingKey(endpoint)).update(`${time}.${body}`).digest("hex") === signature
}

const take = (path, header, body) => {
  const endpoint = Number(path.split("/").at(-1))
  const event = Number.parseInt(JSON.parse(body).id.slice(-12), 16)
  const number = (event - 1) * endpoints + endpoint
  if (seen.has(number)) {
    repeated += 1
    return
  }
  if (!isSigned(endpoint, header, body)) unsigned += 1
  seen.add(number)
  last = Date.now()
  lateness.push(last - (dueFrom + (number - 1) * everyMillis))
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (chunk) => {
    body += chunk
  })
  request.on("end", () => {
    if (request.url.startsWith("/dead")) return
    take(request.url, request.headers["x-service-signature"], body)
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "0.0.0.0", 4_096, () => say({ port: server.address().port }))

process.stdin.setEncoding("utf8").on("data", (text) => {
  dueFrom = Number(text)
})
process.once("SIGTERM", () => {
  lateness.sort((left, right) => left - right)
  const at = (share) => lateness[Math.floor(lateness.length * share)] ?? 0
  say({ received: seen.size, repeated, unsigned, seconds: (last - dueFrom) / 1000, p50: at(0.5), p99: at(0.99) })
  process.exit(0)
})
