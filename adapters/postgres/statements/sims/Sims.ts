/**
 * The page of SIMs, one of them, and by what its telco knows it.
 */
import { Effect } from "effect"
import { Label, type Sim, type SimIdentities, type Storage } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as Batching from "../../fast/Batching.ts"
import * as SimRows from "../../sql/SimRows.ts"
import * as SizedPage from "../../sql/SizedPage.ts"
import * as CommitClause from "../../sql/CommitClause.ts"
import * as SimReservations from "./SimReservations.ts"

interface Query extends Storage.Page<number> {
  readonly isEsim: boolean | null
  readonly label: Label.Label | null
}

/** A SIM by itself. */
export const byIccid = (database: Database) => {
  const lookup = Batching.reads<Batching.OfSim, SimRows.Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<SimRows.Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(SimRows.value)})::text as value
      from ${CommitClause.rows(sql, asked, Batching.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid`
  )
  return (of: Batching.OfSim) =>
    Effect.map(lookup(of), (found) => (found === null ? null : SimRows.unpack(of.organizationId, found)))
}

/** A page, by import sequence; one row of a result has it all. */
export const page = (database: Database) =>
  SizedPage.make<number, Query, NonNullable<SimRows.PackedPage>, Sim.Sim>(database, {
    statement: (sql, of) => {
      const filters = [
        sql`sim.organization_id = ${of.organizationId}`,
        ...(of.after === null ? [] : [sql`sim.import_sequence > ${of.after}::bigint`]),
        ...(of.isEsim === null ? [] : [sql`sim.is_esim = ${of.isEsim}`]),
        ...(of.label === null ? [] : [sql`sim.label = ${of.label}`])
      ]
      return sql`
        select (${sql.literal(SimRows.page)})::text as value
        from (
          ${CommitClause.first(sql, sql`select * from simplan.sim where ${sql.and(filters)} order by sim.import_sequence`, of.limit)}
        ) sim`
    },
    unpack: (found, { organizationId }) => SimRows.unpackPage(organizationId, found),
    cursorOf: ({ importSequence }) => importSequence
  })

// The orders are for the planner, which goes by the index of each: those of free eSIMs, and of an organization's by label.
/** How many free eSIMs organizations have, by label. */
export const stock = (database: Database) => (of: { readonly organizationIds: ReadonlyArray<string> }) =>
  database.rows(
    (sql) => sql<Row<Sim.Stock>>`
      select json_build_object('organizationId', asked.organization_id, 'label', known.label, 'free', found.free)::text
        as value
      from json_array_elements_text(${JSON.stringify(of.organizationIds)}::json) as asked(organization_id)
      cross join json_array_elements_text(${JSON.stringify(Label.labels)}::json) as known(label)
      cross join lateral (
        select count(*) as free from (
          select from simplan.sim
          where sim.organization_id = asked.organization_id and sim.label = known.label
            and ${sql.literal(SimReservations.isFree)}
          order by sim.recycled_at nulls first, sim.import_sequence
          limit 1000
        ) free
      ) found
      where found.free > 0 or exists (
        select from (
          select sim.is_esim from simplan.sim
          where sim.organization_id = asked.organization_id and sim.label = known.label
          order by sim.import_sequence
          limit 1000
        ) first
        where first.is_esim
      )`
  )

/** By what its telco knows a SIM. */
export const identities =
  (database: Database) =>
  ({ iccid, organizationId }: Storage.OfOrganization & { readonly iccid: string }) =>
    database.row(
      (sql) => sql<Row<SimIdentities.SimIdentities>>`
        select json_build_object('imsi', sim.imsi, 'msisdn', sim.msisdn, 'subscriberId', sim.subscriber_id)::text as value
        from simplan.sim
        where sim.organization_id = ${organizationId} and sim.iccid = ${iccid}`
    )
