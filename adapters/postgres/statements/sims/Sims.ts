/**
 * The page of SIMs, and by what its telco knows one of them.
 */
import type { Label, Sim, SimIdentities, Storage } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as SimRows from "../../sql/SimRows.ts"
import * as SizedPage from "../../sql/SizedPage.ts"
import * as CommitClause from "../../sql/CommitClause.ts"

interface Query extends Storage.Page<number> {
  readonly isEsim: boolean | null
  readonly label: Label.Label | null
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
