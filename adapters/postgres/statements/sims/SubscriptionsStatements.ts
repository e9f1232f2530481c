/**
 * The reads of subscriptions. They are written with their SIM (see `SimWrites`).
 */
import type { Storage, Subscription } from "simplan/ports"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Batching from "../../database/Batching.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as SimsStatements from "./SimsStatements.ts"
import * as Pages from "../../sql/Pages.ts"
import * as Columns from "../../sql/Columns.ts"

/** All columns of a subscription. */
export const columns = Columns.of<Subscription.Subscription>(
  {
    organizationId: "text",
    subscriptionId: "text",
    iccid: "text",
    metadata: "text",
    createdAt: "bigint",
    status: "text"
  },
  ["organizationId", "subscriptionId"]
)

const ofLive = Columns.omit(columns, ["organizationId", "iccid", "status"])

export type Packed = readonly [subscription: Columns.PackedOf<typeof ofLive>, sim: SimsStatements.Packed]

export const packed = `json_build_array(${Columns.packed("subscription", ofLive)}, ${SimsStatements.value})`

const at = Columns.places(ofLive)

export const unpack = (
  decrypt: Secrets.Turn,
  organizationId: string,
  [subscription, packedSim]: Packed
): Subscription.SubscriptionWithSim => {
  const sim = SimsStatements.unpack(decrypt, organizationId, packedSim)
  return {
    subscription: {
      organizationId,
      iccid: sim.iccid,
      status: "Live",
      subscriptionId: subscription[at.subscriptionId],
      metadata: subscription[at.metadata],
      createdAt: subscription[at.createdAt]
    },
    sim
  }
}

/** The live one of a SIM. */
export const byIccid = (database: Database) => {
  const lookup = Batching.reads<Batching.OfSim, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(packed)})::text as value
      from ${Columns.rows(sql, asked, SimsStatements.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      join simplan.subscription on subscription.organization_id = sim.organization_id
        and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'
      where subscription.status = 'Live'`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(lookup(of), (found) => (found === null ? null : unpack(decrypt, of.organizationId, found)))
}

const inOrder = (sql: Sql, { after, organizationId }: Storage.Page<Storage.CreatedCursor>) => sql`
  select * from simplan.subscription
  where subscription.organization_id = ${organizationId} and subscription.status = 'Live' ${
    after === null
      ? sql.literal("")
      : sql`and (subscription.created_at, subscription.subscription_id) > (${after.createdAt}::bigint, ${after.id}::text)`
  }
  order by subscription.created_at, subscription.subscription_id`

/** A page of live ones with their SIM, by creation and id; one row of a result has it all. */
export const page = (database: Database) =>
  Pages.sized<
    Storage.CreatedCursor,
    Storage.Page<Storage.CreatedCursor>,
    ReadonlyArray<Packed>,
    Subscription.SubscriptionWithSim
  >(database, {
    statement: (sql, of) => sql`
      select json_agg(
        ${sql.literal(packed)} order by subscription.created_at, subscription.subscription_id
      )::text as value
      from (
        ${Columns.first(sql, inOrder(sql, of), of.limit)}
      ) subscription
      join simplan.sim on sim.organization_id = ${of.organizationId} and sim.iccid = subscription.iccid`,
    unpack: (found, { organizationId }) =>
      (found ?? []).map((packed) => unpack(database.cipher.decrypt, organizationId, packed)),
    cursorOf: ({ subscription }) => ({ createdAt: subscription.createdAt, id: subscription.subscriptionId })
  })
