/**
 * The page of SIMs, one of them, and by what its telco knows it.
 */
import type { Fragment } from "effect/sql/Statement"
import { Label, type Sim, type SimIdentities, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Batching from "../../database/Batching.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as SimRows from "../../sql/SimRows.ts"
import * as Pages from "../../sql/Pages.ts"
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
      from ${CommitClause.rows(sql, asked, SimRows.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(lookup(of), (found) => (found === null ? null : SimRows.unpack(decrypt, of.organizationId, found)))
}

/**
 * The rows of a page. Label and kind stand in the order, and are bounds and not equalities, so that the planner has no index
 * but the one that they lead: by its statistics another one may look as good, and be read as a whole. Of a label both kinds
 * are read.
 */
const listed = (sql: Sql, { after, isEsim, label, limit, organizationId }: Query): Fragment => {
  const of = (isEsim: boolean | null): Fragment => {
    const [columns, values] = [
      [...(label === null ? [] : ["sim.label"]), ...(isEsim === null ? [] : ["sim.is_esim"])],
      [...(label === null ? [] : [sql`${label}::text`]), ...(isEsim === null ? [] : [sql`${isEsim}::boolean`])]
    ]
    const filters = [
      sql`sim.organization_id = ${organizationId}`,
      sql`(${sql.literal([...columns, "sim.import_sequence"].join(", "))})
        > (${sql.csv([...values, sql`${after ?? 0}::bigint`])})`,
      ...(columns.length === 0 ? [] : [sql`(${sql.literal(columns.join(", "))}) <= (${sql.csv(values)})`])
    ]
    return CommitClause.first(
      sql,
      sql`
        select * from simplan.sim where ${sql.and(filters)}
        order by ${sql.literal([...columns, "sim.import_sequence"].join(", "))}`,
      limit
    )
  }
  return label === null || isEsim !== null
    ? of(isEsim)
    : sql`
        select * from ((${of(true)}) union all (${of(false)})) kinds order by import_sequence limit ${limit}::int`
}

/** A page, by import sequence; one row of a result has it all. */
export const page = (database: Database) =>
  Pages.sized<number, Query, NonNullable<SimRows.PackedPage>, Sim.Sim>(database, {
    statement: (sql, of) => sql`
      select (${sql.literal(SimRows.page)})::text as value from (${listed(sql, of)}) sim`,
    unpack: (found, { organizationId }) => SimRows.unpackPage(database.cipher.decrypt, organizationId, found),
    cursorOf: ({ importSequence }) => importSequence
  })

// The orders are for the planner, which goes by the index of each; it takes the order out of an `exists`.
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
      where found.free > 0 or (
        select true from simplan.sim
        where sim.organization_id = asked.organization_id and sim.label <= known.label
          and (sim.label, sim.is_esim) >= (known.label, true)
        order by sim.label, sim.is_esim
        limit 1
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
