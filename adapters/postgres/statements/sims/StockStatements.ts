/**
 * The statements about how many SIMs there are, and about the levels of free eSIMs (rules I11 and
 * I12).
 */
import { Effect } from "effect"
import type { Stock, Storage } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as Columns from "../../sql/Columns.ts"
import * as SimsStatements from "./SimsStatements.ts"
import { fitting, freeOf } from "./SimReservations.ts"

/** How many SIMs an organization has, by label, kind and where they stand. */
export const counts =
  (database: Database) =>
  ({ organizationId, sellAfter }: Parameters<Storage.Sims["counts"]>[0]) =>
    database.rows(
      (sql) => sql<Row<Stock.Count>>`
        select json_build_object(
          'label', found.label, 'isEsim', found.is_esim, 'state', found.state, 'count', found.count
        )::text as value
        from (
          select sim.label, sim.is_esim, standing.state, count(*) as count
          from simplan.sim
          cross join lateral (
            select case
              when ${sql.literal(SimsStatements.standing("free"))}
                then case
                  when sim.is_esim and sim.downloaded then 'downloaded'
                  when (sim.purchase->>'sellBy')::bigint <= ${sellAfter}::bigint then 'lapsed'
                  else 'free'
                end
              when ${sql.literal(SimsStatements.standing("releasing"))} then 'releasing'
              when ${sql.literal(SimsStatements.standing("withdrawn"))} then 'withdrawn'
              else 'inUse'
            end as state
          ) standing
          where sim.organization_id = ${organizationId}
          group by sim.label, sim.is_esim, standing.state
        ) found`
    )

/** How many eSIMs of a label are free, and can be sold. */
export const countFree =
  (database: Database) =>
  ({ atMost, label, load, organizationId, sellAfter }: Parameters<Storage.Sims["countFree"]>[0]) =>
    Effect.map(
      database.row((sql) => {
        const [owner, most] = [sql`${organizationId}`, sql`${atMost}::int`]
        if (load === undefined) {
          const free = freeOf(sql, { owner, label: sql`${label}`, atMost: most, sellAfter })
          return sql<Row<number>>`select to_json(found.free)::text as value from ${free} found`
        }
        const wanted = { organizationId, label, load: { load, sellAfter }, purpose: "subscription" } as const
        const { fits, order } = fitting(sql, wanted)
        return sql<Row<number>>`
          select to_json(count(*))::text as value
          from (
            select from simplan.sim
            where sim.organization_id = ${owner} and sim.label = ${label} and ${fits}
            order by ${sql.literal(order)}
            limit ${most}
          ) free`
      }),
      (found) => found ?? 0
    )

const columns = Columns.of<Stock.Level>(
  { organizationId: "text", label: "text", level: "bigint", isLow: "boolean", version: "bigint" },
  ["organizationId", "label"]
)

const value = Columns.json("stock_level", columns)

/** Writes levels, each guarded by its version. */
export const putLevels = Columns.putVersions("stock_level_put", "stock_level", columns)

/** The levels of organizations. */
export const levels =
  (database: Database) =>
  ({ organizationIds }: { readonly organizationIds: ReadonlyArray<string> }) =>
    database.rows(
      (sql) => sql<Row<Stock.Level>>`
        select (${sql.literal(value)})::text as value
        from simplan.stock_level
        where stock_level.organization_id = any(array(
          select json_array_elements_text(${JSON.stringify(organizationIds)}::json)
        ))
        order by stock_level.organization_id, stock_level.label`
    )
