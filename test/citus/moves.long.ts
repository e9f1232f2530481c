/**
 * The rows of organizations move from one server to another under the load of two services. Nothing
 * that was acknowledged is lost, and nothing is refused for good.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { createSimplan, RequestInProgressError, StorageUnavailableError } from "simplan/promise"
import { expect, it } from "vitest"
import { admin } from "../conformance/postgres/PostgresWorld.ts"
import * as Citus from "./Citus.ts"
import { type Acknowledged, lost, openAll, serversOf } from "./Shops.ts"

const { url } = Citus.options

/** How many of the organizations move, one after the other. */
const MOVED = 2

/** More than are created meanwhile. */
const STOCK = 500

const run = <A>(effect: Effect.Effect<A, unknown>) => Effect.runPromise(Effect.orDie(effect))

/** Moves the rows of an organization, with those that stand beside them, to another server. */
const move = (schema: string, organizationId: string, from: string) =>
  run(
    Effect.gen(function* () {
      const sql = yield* admin(url)
      const [row] = yield* sql<{ readonly to: string }>`
        select nodename || ':' || nodeport as to from pg_dist_node
        where isactive and shouldhaveshards and nodename || ':' || nodeport <> ${from} order by 1 limit 1`
      const [[fromHost, fromPort], [host, port]] = [from.split(":"), (row?.to ?? "").split(":")]
      const begun = performance.now()
      yield* sql`
        select citus_move_shard_placement(
          get_shard_id_for_distribution_column(${`${schema}.organization`}::text::regclass, ${organizationId}::text),
          ${fromHost}::text, ${fromPort}::text::int, ${host}::text, ${port}::text::int, 'auto'
        )`
      return { to: row?.to, seconds: Math.round((performance.now() - begun) / 1_000) }
    }).pipe(Effect.scoped)
  )

it("rows move to another server under load, and nothing is lost", async () => {
  const { schema } = await run(Citus.place)
  const webhooks = { send: () => Promise.resolve({ status: 200 }) }
  const options = { database: url, schema, telco: "simulator", webhooks } as const
  const services = [createSimplan(options), createSimplan(options)] as const
  try {
    const shops = await openAll(services[0], STOCK)
    const servers = await serversOf(schema, shops)
    let isLoaded = true
    const acknowledged: Array<Acknowledged & { readonly millis: number }> = []
    const repeated: Array<string> = []
    const failures: Array<string> = []
    const loads = shops.map(async (of, number) => {
      const simplan = services[number % 2] ?? services[0]
      const { organizationId, planId } = of
      for (let key = 0, isAnswered = true; isLoaded || !isAnswered; ) {
        const begun = performance.now()
        isAnswered = false
        try {
          const { sim, subscriptionId } = await simplan.subscriptions.create(
            { organizationId, planId },
            { idempotencyKey: String(key) }
          )
          await simplan.subscriptions.get({ organizationId, iccid: sim.iccid })
          acknowledged.push({ of, id: subscriptionId, millis: performance.now() - begun })
          isAnswered = true
          key++
        } catch (error) {
          // It is asked again under its key until it is answered, also after the load.
          const isForNow = error instanceof StorageUnavailableError || error instanceof RequestInProgressError
          const list = isForNow ? repeated : failures
          list.push(`${organizationId}: ${String(error)}`)
          if (!isForNow) return
        }
        await sleep(1_000)
      }
    })
    const moved: Array<unknown> = []
    for (const { organizationId } of shops.slice(0, MOVED)) {
      const from = servers.get(organizationId) ?? ""
      moved.push({ organizationId, from, ...(await move(schema, organizationId, from)) })
    }
    isLoaded = false
    await Promise.all(loads)
    console.table(moved)
    console.log([...new Set(repeated)].join("\n"))
    console.log(
      `${acknowledged.length} creations, ${repeated.length} asked again, the longest ${Math.round(Math.max(...acknowledged.map(({ millis }) => millis)))} ms`
    )
    const after = await serversOf(schema, shops)
    for (const { organizationId } of shops.slice(0, MOVED)) {
      expect(after.get(organizationId)).not.toBe(servers.get(organizationId))
    }
    expect(failures).toEqual([])
    expect(await lost(services[1], shops, acknowledged)).toEqual([])
  } finally {
    await Promise.all(services.map((one) => one.close()))
    await run(Citus.drop(schema))
  }
}, 900_000)
