/**
 * A server for rows dies under the load of two services, and comes back. Only the organizations on
 * it are not served meanwhile, and nothing that was acknowledged is lost.
 */
import { execSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { createSimplan, type Simplan } from "simplan/promise"
import { expect, it } from "vitest"
import * as Citus from "./Citus.ts"
import { type Acknowledged, iccidOf, lost, openAll, serversOf, type Shop } from "./Shops.ts"

const { start, stop, url } = Citus.options

const TOKEN = "a-token-of-this-test"

/** What operators ask for of all organizations. */
const paths = [
  "/admin/v1/overview",
  "/admin/v1/organizations",
  "/admin/v1/problems",
  "/admin/v1/jobs",
  "/admin/v1/costs?from=2026-01&to=2026-12",
  "/admin/v1/search?q=before",
  `/admin/v1/search?q=${iccidOf(0, 0).slice(0, 8)}`,
  "/metrics"
]

/** The answers, and how long they took in ms. */
const seenBy = async (simplan: Simplan) => {
  const seen: Array<{ readonly path: string; readonly status: number; readonly ms: number; readonly text: string }> = []
  for (const path of paths) {
    const begun = performance.now()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await simplan.handler(new Request(`http://host${path}`, { headers }))
    const text = await answer.text()
    seen.push({ path, status: answer.status, ms: Math.round(performance.now() - begun), text })
  }
  return seen
}

/** More than are created meanwhile. */
const STOCK = 60

it.runIf(stop !== "" && start !== "")(
  "one dead server costs the organizations on it alone",
  async () => {
    const { schema } = await Effect.runPromise(Citus.place)
    const arrived = new Set<string>()
    const webhooks = {
      send: async ({ body }: { readonly body: string }) => {
        arrived.add(String(JSON.parse(body).data.subscriptionId))
        return { status: 200 }
      }
    }
    const http = { adminToken: TOKEN, groups: ["admin", "metrics"], rateLimit: "off" } as const
    const options = { database: url, schema, telco: "simulator", webhooks, http } as const
    const services = [createSimplan(options), createSimplan(options)] as const
    try {
      const shops = await openAll(services[0], STOCK)
      const servers = await serversOf(schema, shops)
      let phase: "before" | "dead" | "after" = "before"
      let isLoaded = true
      const acknowledged: Array<Acknowledged & { readonly phase: string }> = []
      const refused: Array<{ readonly of: Shop; readonly phase: string; readonly why: string }> = []
      const loads = shops.map(async (of, number) => {
        const simplan = services[number % 2] ?? services[0]
        while (isLoaded) {
          const at = phase
          try {
            const { organizationId } = of
            const { sim, subscriptionId } = await simplan.subscriptions.create({ ...of, metadata: at })
            acknowledged.push({ of, id: subscriptionId, phase: at })
            await simplan.subscriptions.get({ organizationId, iccid: sim.iccid })
          } catch (error) {
            refused.push({ of, phase: at, why: String(error) })
          }
          await sleep(200)
        }
      })
      await sleep(4_000)
      execSync(stop, { stdio: "ignore" })
      phase = "dead"
      await sleep(12_000)
      const first = acknowledged.filter(({ phase: of }) => of === "dead")
      await expect.poll(() => first.filter(({ id }) => !arrived.has(id)).length, { timeout: 30_000 }).toBe(0)
      const seen = await seenBy(services[1])
      // A list by the last digits of an ICCID, which stand by themselves, of those that are served.
      const found: Array<ReadonlyArray<string>> = []
      const asked: Array<ReadonlyArray<string>> = []
      for (const [number, { organizationId }] of shops.entries()) {
        if (!first.some(({ of }) => of.organizationId === organizationId)) continue
        for (let index = 0; index < 10; index++) {
          const iccid = iccidOf(number, index)
          const { items } = await services[1].sims.list({ organizationId, search: iccid.slice(-9) }).page()
          asked.push([iccid])
          found.push(items.map((one) => one.iccid))
        }
      }
      phase = "after"
      execSync(start, { stdio: "ignore" })
      await sleep(5_000)
      isLoaded = false
      await Promise.all(loads)
      const counts = shops.map(({ organizationId }) => {
        const count = (list: ReadonlyArray<{ readonly of: Shop; readonly phase: string }>, of: string) =>
          list.filter((one) => one.of.organizationId === organizationId && one.phase === of).length
        return {
          server: servers.get(organizationId),
          ...{ before: count(acknowledged, "before"), dead: count(acknowledged, "dead") },
          ...{ refused: count(refused, "dead"), after: count(acknowledged, "after") }
        }
      })
      console.table(counts)
      console.log([...new Set(refused.map(({ phase, why }) => `${phase}: ${why}`))].join("\n"))
      console.table(seen.map(({ text, ...one }) => ({ ...one, text: text.slice(0, 160) })))
      expect(seen.filter(({ status }) => status !== 200)).toEqual([])
      expect(found).toEqual(asked)
      // Of each organization that was served, and of no other one.
      const served = new Set(first.map(({ of }) => of.organizationId))
      const listed = (path: string) =>
        new Set(
          shops.flatMap(({ organizationId }) =>
            seen.some((one) => one.path.startsWith(path) && one.text.includes(organizationId)) ? [organizationId] : []
          )
        )
      for (const path of paths.slice(0, 2)) expect([path, listed(path)]).toEqual([path, served])
      for (const path of paths.filter((one) => one.includes("/search"))) {
        const found = [...listed(path)]
        expect([path, found.length > 0, found.filter((id) => !served.has(id))]).toEqual([path, true, []])
      }
      expect(await lost(services[1], shops, acknowledged)).toEqual([])
      expect(counts.some(({ dead }) => dead === 0)).toBe(true)
      expect(counts.filter(({ dead, refused }) => dead > 0 && refused > 0)).toEqual([])
    } finally {
      await Promise.all(services.map((one) => one.close()))
      await Effect.runPromise(Citus.drop(schema))
    }
  },
  600_000
)
