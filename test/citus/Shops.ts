/** Organizations under load: each has SIMs, a plan and a webhook endpoint. */
import { Effect } from "effect"
import type { Simplan } from "simplan/promise"
import { admin } from "../conformance/postgres/PostgresWorld.ts"
import { plan } from "../promise/World.ts"
import * as Citus from "./Citus.ts"

const { url } = Citus.options

/** The server of each organization, such as `10.0.0.2:5432`. */
export const serversOf = (schema: string, organizationIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* admin(url)
    const found = yield* Effect.forEach(
      organizationIds,
      (id) =>
        sql<{ readonly server: string }>`
        select pg_dist_node.nodename || ':' || pg_dist_node.nodeport as server
        from pg_dist_placement
        join pg_dist_node on pg_dist_node.groupid = pg_dist_placement.groupid and pg_dist_node.noderole = 'primary'
        where pg_dist_placement.shardid =
          get_shard_id_for_distribution_column(${`${schema}.organization`}::text::regclass, ${id}::text)`
    )
    return new Map(organizationIds.map((id, index) => [id, found[index]?.[0]?.server ?? ""]))
  }).pipe(Effect.scoped, Effect.runPromise)

/** How many there are under load. */
export const ORGANIZATIONS = 8
const STOCK = 60

/** The ICCID of a shop's SIM. */
export const iccidOf = (shop: number, index: number): string =>
  `89${String(Citus.options.seed % 1e6).padStart(6, "0")}${String(shop * 10_000 + index).padStart(11, "0")}`

/** What a creation names. */
export interface Shop {
  readonly organizationId: string
  readonly planId: string
}

/** Makes one with SIMs, an endpoint and a plan. */
export const open = async (simplan: Simplan, number: number, stock = STOCK): Promise<Shop> => {
  const { organizationId } = await simplan.organizations.create({ name: `Shop ${number}` })
  const rows = Array.from({ length: stock }, (_, index) => ({
    iccid: iccidOf(number, index),
    label: "Green",
    isEsim: true
  }))
  await simplan.sims.import({ organizationId, rows })
  await simplan.webhooks.create({ organizationId, url: "https://example.com/", events: ["subscription.created"] })
  const { planId } = await plan(simplan, organizationId)
  return { organizationId, planId }
}
