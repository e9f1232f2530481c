/** Organizations under load: each has SIMs, a plan and a webhook endpoint. */
import { Effect } from "effect"
import type { Simplan } from "simplan/promise"
import { admin } from "../conformance/postgres/PostgresWorld.ts"
import { plan } from "../promise/World.ts"
import * as Citus from "./Citus.ts"

const { url } = Citus.options

/** How many there are under load. */
const ORGANIZATIONS = 8

/** The ICCID of a shop's SIM. */
export const iccidOf = (shop: number, index: number): string =>
  `89${String(Citus.options.seed % 1e6).padStart(6, "0")}${String(shop * 10_000 + index).padStart(11, "0")}`

/** What a creation names. */
export interface Shop {
  readonly organizationId: string
  readonly planId: string
}

const open = async (simplan: Simplan, number: number, stock: number): Promise<Shop> => {
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

/** Makes all of them, each with so many SIMs, an endpoint and a plan. */
export const openAll = async (simplan: Simplan, stock: number): Promise<ReadonlyArray<Shop>> => {
  const shops: Array<Shop> = []
  for (let number = 0; number < ORGANIZATIONS; number++) shops.push(await open(simplan, number, stock))
  return shops
}

/** The server of each one's organization, such as `10.0.0.2:5432`. */
export const serversOf = (schema: string, shops: ReadonlyArray<Shop>) =>
  Effect.gen(function* () {
    const sql = yield* admin(url)
    const found = yield* Effect.forEach(shops, ({ organizationId }) =>
      Effect.map(
        sql<{ readonly server: string }>`
          select pg_dist_node.nodename || ':' || pg_dist_node.nodeport as server
          from pg_dist_placement
          join pg_dist_node on pg_dist_node.groupid = pg_dist_placement.groupid and pg_dist_node.noderole = 'primary'
          where pg_dist_placement.shardid =
            get_shard_id_for_distribution_column(${`${schema}.organization`}::text::regclass, ${organizationId}::text)`,
        ([row]): readonly [string, string] => [organizationId, row?.server ?? ""]
      )
    )
    return new Map(found)
  }).pipe(Effect.scoped, Effect.runPromise)

/** A subscription that a service has acknowledged. */
export interface Acknowledged {
  readonly of: Shop
  readonly id: string
}

/** The ids of those that are not stored. */
export const lost = async (
  simplan: Simplan,
  shops: ReadonlyArray<Shop>,
  acknowledged: ReadonlyArray<Acknowledged>
): Promise<ReadonlyArray<string>> => {
  const missing: Array<string> = []
  for (const { organizationId } of shops) {
    const stored = new Set<string>()
    for await (const one of simplan.subscriptions.list({ organizationId })) stored.add(one.subscriptionId)
    const own = acknowledged.filter(({ of }) => of.organizationId === organizationId)
    missing.push(...own.map(({ id }) => id).filter((id) => !stored.has(id)))
  }
  return missing
}
