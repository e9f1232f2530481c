/**
 * A receiver's `Retry-After` (rule W7), over real sockets while the business clock is moved.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Result } from "effect"
import { HttpSender } from "simplan/webhooks"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as World from "../http/World.ts"

/** What the next calls are answered; 200 where nothing is left. */
const answers: Array<readonly [status: number, retryAfter: string]> = []
let calls = 0

const receiver = createServer((request, response) => {
  request.resume()
  calls += 1
  const [status, retryAfter] = answers.shift() ?? [200, ""]
  response.writeHead(status, retryAfter === "" ? {} : { "retry-after": retryAfter }).end()
})

const world = await World.forFile({
  sender: HttpSender.layer({ allowPrivateAddresses: true }),
  checkUrl: (url) => Result.succeed(url)
})
const acme = await World.tenant(world)
const at = (path: string) => `/organizations/${acme.organizationId}${path}`
const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  await world.admin("POST", at("/sims"), { sims: [{ iccid: World.iccid(1), label: "Green", is_esim: true }] })
  await world.admin("POST", at("/webhook-endpoints"), { url: `http://127.0.0.1:${port}/` })
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

let reports = 0

/** An event, of which the attempts meet these answers. */
const cause = async (...given: typeof answers): Promise<void> => {
  answers.splice(0, answers.length, ...given)
  calls = 0
  reports++
  const { now } = (await world.admin("GET", "/clock")).body.data
  const state = reports % 2 === 0 ? "Enable" : "Disable"
  await world.telco([{ id: `r-${reports}`, type: "smdp_state", iccid: World.iccid(1), occurred_at: now, state }])
  await advance("0 seconds")
}

it.each([429, 503])("after a %i with seconds nothing is sent sooner, and then the next attempt is", async (status) => {
  await cause([status, "40"])
  expect(calls).toBe(1)
  await advance("39 seconds")
  expect(calls).toBe(1)
  await advance("9 seconds")
  expect(calls).toBe(2)
})

it("a date is one of the machine's time", async () => {
  await cause([503, new Date(Date.now() + 7_200_000).toUTCString()])
  await advance("119 minutes")
  expect(calls).toBe(1)
  await advance("26 minutes")
  expect(calls).toBe(2)
})

it.each([
  [429, "1"],
  [429, "soon"],
  [500, "3600"]
])("after a %i with %j the schedule alone counts", async (status, retryAfter) => {
  await cause([status, retryAfter])
  await advance("4 seconds")
  expect(calls).toBe(1)
  await advance("2 seconds")
  expect(calls).toBe(2)
})

it("no receiver is waited for longer than a day, and a delivery is given up as ever", async () => {
  const forever = "99999999999999999999"
  await cause(...Array.from({ length: 20 }, () => [429, forever] as const))
  await advance("24 hours")
  await advance("5 hours")
  expect(calls).toBe(2)
  for (let days = 0; days < 12; days++) await advance("24 hours")
  expect(calls).toBeLessThanOrEqual(10)
  const { body } = await world.admin("GET", at("/deliveries?status=pending"))
  expect(body.data).toEqual([])
})

it("a replay sends at once", async () => {
  const { body } = await world.admin("GET", at("/webhook-endpoints"))
  await world.admin("PATCH", at(`/webhook-endpoints/${body.data[0].webhook_endpoint_id}`), { enabled: true })
  await cause([429, "3600"])
  await advance("1 minute")
  expect(calls).toBe(1)
  await world.admin("POST", at("/deliveries/replay"), { status: "pending" })
  await advance("1 second")
  expect(calls).toBe(2)
})
