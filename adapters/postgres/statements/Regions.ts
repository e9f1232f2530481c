/**
 * The statements about custom regions: never changed, never removed. A name is unique in its organization, and so is a set
 * of countries.
 */
import { Region, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

const value = `json_build_object(
  'organizationId', region.organization_id, 'coverageId', region.coverage_id, 'regionCode', region.region_code,
  'regionName', region.region_name, 'label', region.label, 'iso2List', region.iso2_list,
  'createdAt', region.created_at
)`

const columns = CommitClause.columns<Region.Region & { readonly countries: string }>(
  {
    text: ["organizationId", "coverageId", "regionCode", "regionName", "label", "countries"],
    "text[]": ["iso2List"],
    bigint: ["createdAt"]
  },
  ["organizationId", "regionName"]
)

/** Inserts them. */
export const add = (sql: Sql, regions: ReadonlyArray<Region.Region>): CommitClause.CommitClause => {
  const rows = regions.map((region) => ({ ...region, countries: Region.countriesKey(region.iso2List) }))
  return {
    ctes: [
      sql`region_added as (
        insert into simplan.region (
          organization_id, coverage_id, region_code, region_name, label, iso2_list, countries, created_at
        )
        select r."organizationId", r."coverageId", r."regionCode", r."regionName", r.label, r."iso2List", r.countries,
          r."createdAt"
        from ${CommitClause.rows(sql, rows, columns)}
        returning 1
      )`
    ],
    outcome: sql`(select count(*) from region_added)`
  }
}

/** The region of an id, of whichever organization. */
export const find = (database: Database) => (coverageId: string) =>
  database.row(
    (sql) => sql<Row<Region.Region>>`
      select (${sql.literal(value)})::text as value from simplan.region where region.coverage_id = ${coverageId}`
  )

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly coverageId: string }) =>
  database.row(
    (sql) => sql<Row<Region.Region>>`
      select (${sql.literal(value)})::text as value
      from simplan.region
      where region.organization_id = ${of.organizationId} and region.coverage_id = ${of.coverageId}`
  )

/** A page, by creation and id. */
export const page = (database: Database) => (of: Storage.Page<Storage.CreatedCursor>) =>
  database.rows(
    (sql) => sql<Row<Region.Region>>`
      select (${sql.literal(value)})::text as value
      from simplan.region
      where region.organization_id = ${of.organizationId} ${
        of.after === null
          ? sql.literal("")
          : sql`and (region.created_at, region.coverage_id) > (${of.after.createdAt}::bigint, ${of.after.id}::text)`
      }
      order by region.created_at, region.coverage_id
      limit ${of.limit}::int`
  )

export const like =
  (database: Database) =>
  (of: { readonly organizationId: string; readonly regionName: string; readonly iso2List: ReadonlyArray<string> }) =>
    database.rows(
      (sql) => sql<Row<Region.Region>>`
        select (${sql.literal(value)})::text as value
        from simplan.region
        where region.organization_id = ${of.organizationId}
          and (region.region_name = ${of.regionName} or region.countries = ${Region.countriesKey(of.iso2List)})`
    )
