/**
 * The statements about plans, and about custom regions, which plans cover.
 *
 * A plan is written under the guard of its version. It is archived and deleted by a time that it
 * has, and its row stays. A region is never changed and never removed. Its name is unique in its
 * organization, and so is its set of countries.
 */
import { type Plan, Region, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Batching from "../database/Batching.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

// Lower case as JavaScript has it: servers differ in theirs.
const fold = (text: string): string => text.toLowerCase()

const columns = Columns.of<Plan.Plan>(
  {
    organizationId: "text",
    planId: "text",
    terms: "jsonb",
    metadata: "text",
    price: "jsonb",
    bundle: "jsonb",
    createdAt: "bigint",
    archivedAt: "bigint",
    deletedAt: "bigint",
    version: "bigint"
  },
  ["organizationId", "planId"]
)

const value = Columns.json("plan", columns)

/** A plan, and what of its terms lists go by. */
interface Put extends Plan.Plan, Pick<Plan.PlanTerms, "label" | "coverageId"> {
  readonly foldedName: string
}

const putVersions = Columns.putVersions(
  "plan_put",
  "plan",
  Columns.of<Put>({ ...columns.types, label: "text", coverageId: "text", foldedName: "text" }, columns.key)
)

/** Writes them, each guarded by its version. */
export const put = (sql: Sql, plans: ReadonlyArray<Plan.Plan>, _: unknown, ending?: string): Columns.Clause =>
  putVersions(
    sql,
    plans.map((plan): Put => {
      const { coverageId, label, name } = plan.terms
      return { ...plan, label, coverageId, foldedName: fold(name) }
    }),
    undefined,
    ending
  )

const versionColumns = Columns.of<Storage.PlanVersion>({ organizationId: "text", planId: "text", version: "bigint" })

/** Guards what rests on plans: each still has the version that was loaded. */
export const unchanged = (sql: Sql, plans: ReadonlyArray<Storage.PlanVersion>): Columns.Clause => ({
  ctes: [
    sql`plan_as_loaded as (
    select 1
    from ${Columns.rows(sql, plans, versionColumns)}
    join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId"
      and plan.version = r.version ${Columns.ofOwner(sql, "plan", plans)}
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from plan_as_loaded) = ${plans.length}::int, 'version')`
})

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

const requested = Columns.of<Batching.Placed<OfPlan>>({ at: "integer", organizationId: "text", planId: "text" })

const list: Pages.List<Plan.Plan> = {
  table: "plan",
  order: ["plan.created_at", "plan.plan_id"],
  isNewestFirst: false,
  value
}

export const plans = (database: Database): Storage.Reads["plans"] => ({
  get: Batching.reads<OfPlan, Plan.Plan>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Plan.Plan>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(value)})::text as value
      from ${Columns.rows(sql, asked, requested)}
      join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId"`,
    ({ organizationId, planId }) => `${organizationId} ${planId}`
  ),
  /** A page of those that are not deleted, by creation and id. */
  page: (of) =>
    Pages.filtered(database, list, of, (sql) => ({
      listed: [sql`plan.organization_id = ${of.organizationId}`, sql`plan.deleted_at is null`],
      filters: [
        ...(of.archived === null ? [] : [sql`(plan.archived_at is not null) = ${of.archived}`]),
        ...(of.label === null ? [] : [sql`plan.label = ${of.label}`]),
        ...(of.search === null ? [] : [sql`strpos(plan.folded_name, ${fold(of.search)}::text) > 0`]),
        ...(of.covering === null
          ? []
          : [
              sql`(
                plan.coverage_id in (select r.text from ${Columns.texts(sql, of.covering.coverageIds)})
                or exists (
                  select from simplan.region
                  where region.organization_id = ${of.organizationId} and region.coverage_id = plan.coverage_id
                    and region.iso2_list @> array(select r.text from ${Columns.texts(sql, of.covering.iso2List)})
                )
              )`
            ])
      ]
    })),
  /** How many plans of all organizations have each profile. */
  uses: database.rows(
    (sql) => sql<Row<Plan.Use>>`
      select json_build_object(
        'coverageId', plan.coverage_id, 'label', plan.label, 'iso2List', region.iso2_list, 'plans', count(*)
      )::text as value
      from simplan.plan
      left join simplan.region on region.organization_id = plan.organization_id
        and region.coverage_id = plan.coverage_id
      where plan.deleted_at is null
      group by plan.coverage_id, plan.label, region.iso2_list`
  )
})

const regionColumns = Columns.of<Region.Region>(
  {
    organizationId: "text",
    coverageId: "text",
    regionCode: "text",
    regionName: "text",
    label: "text",
    iso2List: "text[]",
    createdAt: "bigint"
  },
  ["organizationId", "regionName"]
)

const regionValue = Columns.json("region", regionColumns)

const insertRegions = Columns.insert(
  "region_added",
  "region",
  Columns.of<Region.Region & { readonly countries: string }>(
    { ...regionColumns.types, countries: "text" },
    regionColumns.key
  )
)

/** Inserts regions. */
export const addRegions = (sql: Sql, regions: ReadonlyArray<Region.Region>): Columns.Clause =>
  insertRegions(
    sql,
    regions.map((region) => ({ ...region, countries: Region.countriesKey(region.iso2List) }))
  )

export const regions = (database: Database): Storage.Reads["regions"] => ({
  /** The region of an id, of whichever organization. */
  find: (coverageId) =>
    database.row(
      (sql) => sql<Row<Region.Region>>`
        select (${sql.literal(regionValue)})::text as value from simplan.region where region.coverage_id = ${coverageId}`
    ),
  get: (of) =>
    database.row(
      (sql) => sql<Row<Region.Region>>`
      select (${sql.literal(regionValue)})::text as value
      from simplan.region
      where region.organization_id = ${of.organizationId} and region.coverage_id = ${of.coverageId}`
    ),
  /** A page of regions, by creation and id. */
  page: (of) =>
    database.rows(
      (sql) => sql<Row<Region.Region>>`
        select (${sql.literal(regionValue)})::text as value
        from simplan.region
        where region.organization_id = ${of.organizationId} ${
          of.after === null
            ? sql.literal("")
            : sql`and (region.created_at, region.coverage_id) > (${of.after.createdAt}::bigint, ${of.after.id}::text)`
        }
        order by region.created_at, region.coverage_id
        limit ${of.limit}::int`
    ),
  /** The regions of that name or of those countries. */
  like: (of) =>
    database.rows(
      (sql) => sql<Row<Region.Region>>`
        select (${sql.literal(regionValue)})::text as value
        from simplan.region
        where region.organization_id = ${of.organizationId}
          and (region.region_name = ${of.regionName} or region.countries = ${Region.countriesKey(of.iso2List)})`
    )
})
