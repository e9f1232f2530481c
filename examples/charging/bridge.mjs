// A bridge from simplan's contract for telcos to a charging system that knows no idempotency keys, without a library:
//
//     CHARGING_URL=http://127.0.0.1:9000 BRIDGE_TOKEN=secret node bridge.mjs
//
// A bundle of that system has a note, which keeps the package's id: so what came of a call whose answer was lost can be
// looked up. What the system cannot tell is kept in a file.
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"

const { BRIDGE_FILE = "keys.jsonl", BRIDGE_PORT = "8090", BRIDGE_TOKEN, CHARGING_URL } = process.env
if (!CHARGING_URL || !BRIDGE_TOKEN) throw new Error("CHARGING_URL and BRIDGE_TOKEN have to be set")

// What is known by key, one JSON array a line. A bridge of several processes needs a table with a primary key.
const lines = existsSync(BRIDGE_FILE) ? readFileSync(BRIDGE_FILE, "utf8").trim().split("\n").filter(Boolean) : []
const known = new Map(lines.map((line) => JSON.parse(line)))
const remember = (key, value) => {
  appendFileSync(BRIDGE_FILE, `${JSON.stringify([key, value])}\n`, { flush: true })
  known.set(key, value)
}

class Refusal extends Error {}

const send = async (method, path, body) => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(CHARGING_URL + path, { method, headers, body: body && JSON.stringify(body) })
  const text = await response.text()
  if (response.status === 422) throw new Refusal(text)
  if (!response.ok) throw new Error(`The charging system answers ${response.status}`)
  return text && JSON.parse(text)
}

const find = async ({ iccid, package_id }) =>
  (await send("GET", `/sims/${iccid}/bundles`)).find(({ note }) => note === package_id)

const calls = {
  "/packages": async (order) => {
    const { iccid, package_id, terms, window } = order
    if (known.has(`cancelled ${package_id}`)) throw new Refusal("The package was cancelled")
    const asked = { sim: iccid, note: package_id, mb: terms.data_mega_bytes, days: terms.period_days }
    const { id } = (await find(order)) ?? (await send("POST", "/bundles", { ...asked, start: window?.start ?? null }))
    return { telco_package_id: id, activation_at: window?.start ?? null, expiration_at: window?.end ?? null }
  },
  "/packages/suspend": async (ref) => {
    const found = await find(ref)
    if (found) await send("POST", `/bundles/${found.id}/stop`)
  },
  "/packages/cancel": async (ref) => {
    // First: a creation that comes later must find it.
    remember(`cancelled ${ref.package_id}`, true)
    const found = await find(ref)
    if (found) await send("DELETE", `/bundles/${found.id}`)
  },
  "/messages": async ({ from, iccid, message_id, text }) => {
    const state = known.get(`message ${message_id}`)
    if (state === "sent") return
    // Nothing tells whether a message was sent. Twice is worse than not at all.
    if (state === "sending") throw new Refusal("The message may have been sent, and is not sent again")
    remember(`message ${message_id}`, "sending")
    await send("POST", "/texts", { sim: iccid, from, text })
    remember(`message ${message_id}`, "sent")
  },
  "/profiles/release": ({ iccid }) => send("POST", `/sims/${iccid}/release`).then(() => undefined),
  "/mobile-plans": async ({ applied, iccid }, key) => {
    // A change that comes again must undo no later one.
    if (known.has(`mobile plan ${key}`)) return
    await send("PUT", `/sims/${iccid}/roaming`, { on: applied })
    remember(`mobile plan ${key}`, applied)
  }
}

// One call after the other: who reads and then acts must be alone. A lock for each SIM does, too.
let turn = Promise.resolve()
const inTurn = (work) => {
  const done = turn.then(work)
  turn = done.catch(() => undefined)
  return done
}

const answer = async (request) => {
  let text = ""
  for await (const part of request.setEncoding("utf8")) text += part
  const { authorization, "idempotency-key": key } = request.headers
  if (authorization !== `Bearer ${BRIDGE_TOKEN}`) return [401, { code: "unauthorized", message: "The token is wrong" }]
  const call = request.method === "POST" ? calls[request.url] : undefined
  if (!call || !key) return [400, { code: "malformed", message: "There is no such call" }]
  try {
    const done = await inTurn(() => call(JSON.parse(text), key))
    return done === undefined ? [204] : [200, done]
  } catch (error) {
    if (error instanceof Refusal) return [422, { code: "refused", message: error.message }]
    return [503, { code: "unavailable", message: error.message }]
  }
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request)
  response.writeHead(status, { "content-type": "application/json" }).end(body && JSON.stringify(body))
})
server.listen(Number(BRIDGE_PORT), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`))
