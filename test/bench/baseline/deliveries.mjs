// The yardstick of webhook deliveries: signs the same events and posts them to the same receiver,
// and stores nothing. Endpoints that never answer are left out. Prints as JSON how many it
// delivered, and how many in a second.
import { createHash, createHmac } from "node:crypto"
import { Agent, request } from "node:http"

const { connections, each, endpoints, port } = JSON.parse(process.argv[2])

const agent = new Agent({ keepAlive: true, maxFreeSockets: 4 })
const keys = Array.from(
  { length: endpoints + 1 },
  (_, endpoint) => `whsec_${createHash("sha256").update(String(endpoint)).digest("base64")}`
)

const post = (endpoint, event) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({
      id: `01934000-0000-7000-8000-${event.toString(16).padStart(12, "0")}`,
      type: "attachment.allowanceConsumed",
      created_at: new Date().toISOString(),
      data: { usage_percentage: 50, data_usage_bytes: 5_368_709_120, plan_id: "01930000-0000-7000-8000-0000000000aa" }
    })
    const time = Math.floor(Date.now() / 1000)
    const signature = createHmac("sha256", keys[endpoint]).update(`${time}.${body}`).digest("hex")
    const call = request(
      {
        agent,
        method: "POST",
        host: `127.0.${1 + Math.floor(endpoint / 250)}.${1 + (endpoint % 250)}`,
        port,
        path: `/${endpoint}`,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "x-service-signature": `t=${time},v1=${signature}`
        }
      },
      (response) => response.resume().once("end", resolve)
    )
    call.once("error", reject)
    call.end(body)
  })

const calls = function* () {
  for (let event = 1; event <= each; event++) {
    for (let endpoint = 1; endpoint <= endpoints; endpoint++) if (endpoint % 20 !== 0) yield [endpoint, event]
  }
}

let count = 0
const all = calls()
const began = performance.now()
await Promise.all(
  Array.from({ length: connections }, async () => {
    for (const [endpoint, event] of all) {
      await post(endpoint, event)
      count += 1
    }
  })
)
const seconds = (performance.now() - began) / 1000
agent.destroy()
process.stdout.write(`${JSON.stringify({ count, perSecond: count / seconds })}\n`)
