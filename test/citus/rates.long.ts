/**
 * How many creations and reads a service makes in a second where the tables are distributed, beside
 * a schema of the same server whose tables are whole, by turns. It prints the figures, and judges
 * nothing: one machine cannot show what several gain.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { createSimplan, type Simplan } from "simplan/promise"
import { expect, it } from "vitest"
import * as Citus from "./Citus.ts"
import { openAll, type Shop } from "./Shops.ts"

const { url } = Citus.options

const STOCK = 1_500
const ROUNDS = 3
const MILLIS = 4_000

/** How many are under way for each organization. */
const AT_ONCE = 2

interface Side {
  readonly simplan: Simplan
  readonly shops: ReadonlyArray<Shop>
  readonly iccids: Array<{ readonly organizationId: string; readonly iccid: string }>
  readonly perSecond: { readonly create: Array<number>; readonly get: Array<number> }
}

const openSide = async (schema: string): Promise<Side> => {
  const simplan = createSimplan({ database: url, schema, telco: "simulator", worker: false })
  const shops = await openAll(simplan, STOCK)
  return { simplan, shops, iccids: [], perSecond: { create: [], get: [] } }
}

/** How many times a second it is done, by so many loops of each organization. */
const rate = async ({ shops }: Side, once: (shop: Shop) => Promise<unknown>): Promise<number> => {
  let count = 0
  const until = performance.now() + MILLIS
  const loop = async (shop: Shop) => {
    while (performance.now() < until) {
      await once(shop)
      count++
    }
  }
  await Promise.all(shops.flatMap((shop) => Array.from({ length: AT_ONCE }, () => loop(shop))))
  return count / (MILLIS / 1_000)
}

const round = async (side: Side): Promise<void> => {
  const { iccids, perSecond, simplan } = side
  perSecond.create.push(
    await rate(side, async ({ organizationId, planId }) => {
      const { sim } = await simplan.subscriptions.create({ organizationId, planId })
      iccids.push({ organizationId, iccid: sim.iccid })
    })
  )
  let next = 0
  perSecond.get.push(
    await rate(side, () =>
      simplan.subscriptions.get(iccids[next++ % iccids.length] ?? { organizationId: "", iccid: "" })
    )
  )
}

const middle = (values: ReadonlyArray<number>): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0)

it("creations and reads a second, distributed and whole", async () => {
  const { schema } = await Effect.runPromise(Citus.place)
  const whole = `whole_${randomBytes(6).toString("hex")}`
  const sides = { distributed: await openSide(schema), whole: await openSide(whole) }
  try {
    for (let turn = 0; turn < ROUNDS; turn++) for (const side of Object.values(sides)) await round(side)
    console.table(
      Object.entries(sides).map(([tables, { iccids, perSecond }]) => ({
        tables,
        ...{ creations: middle(perSecond.create), reads: middle(perSecond.get), made: iccids.length }
      }))
    )
    expect(Object.values(sides).flatMap(({ perSecond }) => [...perSecond.create, ...perSecond.get])).not.toContain(0)
  } finally {
    for (const { simplan } of Object.values(sides)) await simplan.close()
    for (const one of [schema, whole]) await Effect.runPromise(Citus.drop(one))
  }
}, 900_000)
