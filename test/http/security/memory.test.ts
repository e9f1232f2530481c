/**
 * The memory of a server on its embedded database: it does not grow with the number of requests.
 */
import * as Pglite from "simplan/pglite"
import { expect, it } from "vitest"
import * as Heap from "../../setup/Heap.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const REQUESTS = 20_000
const CLIENTS = 20
const MEGABYTE = 1_048_576

it("the heap of a server on PGlite does not grow with its requests", { timeout: 600_000 }, async () => {
  const world = await World.start({ storage: Pglite.layer() })
  try {
    const { planId, tenant } = await Inventory.stock(world, 1, CLIENTS)
    const key = `key=${tenant.key}`
    const iccids = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, n) => {
        const iccid = World.iccid(n + 1)
        const made = await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
        expect(made.status).toBe(201)
        return iccid
      })
    )

    /**
     * Each client asks in turn for a subscription, its attachments, a page of SIMs and reports some
     * usage.
     */
    const ask = async (requests: number): Promise<void> => {
      const client = async (iccid: string): Promise<void> => {
        const paths = [`/v3/subscriptions/${iccid}`, `/v3/subscriptions/${iccid}/plan-attachments`, "/v3/sims"]
        for (let n = 0; n < requests / CLIENTS; n++) {
          const path = paths[n % 4]
          const response = await (path === undefined
            ? fetch(`${world.url}/telco/v1/events`, {
                method: "POST",
                headers: { authorization: `Bearer ${World.TELCO_TOKEN}`, "content-type": "application/json" },
                body: JSON.stringify({
                  events: [
                    {
                      id: crypto.randomUUID(),
                      type: "usage",
                      iccid,
                      occurred_at: new Date(World.START).toISOString(),
                      delta_bytes: 1
                    }
                  ]
                })
              })
            : fetch(`${world.url}${path}?${key}`))
          if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
          await response.arrayBuffer()
        }
      }
      await Promise.all(iccids.map(client))
    }

    await ask(REQUESTS / 10)
    const before = Heap.inUse()
    await ask(REQUESTS)
    const grown = (Heap.inUse() - before) / MEGABYTE
    expect(grown, `MB that the heap grew by in ${REQUESTS} requests`).toBeLessThan(20)
  } finally {
    await world.close()
  }
})
