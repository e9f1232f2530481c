/**
 * The page of SIMs.
 */
import { Effect } from "effect"
import type { Label, Storage } from "simplan/ports"
import type { Database, Row } from "../connection/Database.ts"
import * as SimRows from "../sql/SimRows.ts"
import * as CommitClause from "../sql/CommitClause.ts"

/** A page, by import sequence; one row of a result has it all. */
export const page =
  (database: Database) =>
  (of: Storage.Page<number> & { readonly isEsim: boolean | null; readonly label: Label.Label | null }) =>
    Effect.map(
      database.row((sql) => {
        const filters = [
          sql`sim.organization_id = ${of.organizationId}`,
          ...(of.after === null ? [] : [sql`sim.import_sequence > ${of.after}::bigint`]),
          ...(of.isEsim === null ? [] : [sql`sim.is_esim = ${of.isEsim}`]),
          ...(of.label === null ? [] : [sql`sim.label = ${of.label}`])
        ]
        return sql<Row<SimRows.PackedPage>>`
          select ${sql.literal(SimRows.page)} as value
          from (
            ${CommitClause.first(sql, sql`select * from simplan.sim where ${sql.and(filters)} order by sim.import_sequence`, of.limit)}
          ) sim`
      }),
      (found) => SimRows.unpackPage(of.organizationId, found)
    )
