/**
 * A request that is cut off ends with its client or with the server. A body that breaks off creates
 * nothing, and is counted under the status 499.
 */
import { Context, Effect } from "effect"
import { get, request } from "node:http"
import { Subscriptions } from "simplan"
import { expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

it("a request ends with its client, and with the server", async () => {
  const [begun, ended]: [Array<string>, Array<string>] = [[], []]
  const world = await World.start({
    drainTimeout: "100 millis",
    replace: (context) => {
      const subscriptions = Context.get(context, Subscriptions.Subscriptions)
      const hanging: typeof subscriptions.get = ({ iccid }) =>
        Effect.suspend(() => {
          begun.push(iccid)
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(iccid)))
        })
      return Context.add(
        context,
        Subscriptions.Subscriptions,
        Subscriptions.Subscriptions.of({ ...subscriptions, get: hanging })
      )
    }
  })
  const { key } = await World.tenant(world)
  const ask = (n: number) => {
    const headers = { "x-api-key": key }
    const sent = get(`${world.url}/v3/subscriptions/${World.iccid(n)}`, { agent: false, headers })
    const status = new Promise((resolve) => {
      sent.on("error", () => resolve(null)).on("response", ({ statusCode }) => resolve(statusCode))
    })
    return { hangUp: () => sent.destroy(), status }
  }
  const [first, second] = [ask(1), ask(2)]
  await expect.poll(() => begun).toHaveLength(2)
  first.hangUp()
  await expect.poll(() => ended).toEqual([World.iccid(1)])
  await world.close()
  expect(ended).toEqual([World.iccid(1), World.iccid(2)])
  expect([await first.status, await second.status]).toEqual([null, 503])
})

it("a body that breaks off creates nothing, and the server goes on", async () => {
  const world = await World.start()
  const { planId, tenant } = await Inventory.stock(world, 1, 1)
  const count = async (): Promise<number> => {
    const { text } = await world.fetch("GET", "/metrics")
    return Number(/^http_requests_total\{[^}]*POST[^}]*499[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const before = await count()
  const body = JSON.stringify({ plan_id: planId, metadata: "", iccid: World.iccid(1) })
  const headers = {
    "content-type": "application/json",
    "x-api-key": tenant.key,
    "content-length": Buffer.byteLength(body) + 1
  }
  const sent = request(`${world.url}/v3/subscription`, { agent: false, method: "POST", headers })
  const failed = new Promise((resolve) => sent.on("error", resolve))
  sent.write(body, () => setTimeout(() => sent.destroy(), 50))
  await failed
  await expect.poll(count).toBe(before + 1)
  expect((await tenant.get(`/v3/subscriptions/${World.iccid(1)}`)).status).toBe(404)
  await world.close()
})
