/**
 * The statements about plans.
 */
import type { Plan, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Batching from "../database/Batching.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Pages from "../sql/Pages.ts"

const value = `json_build_object(
  'organizationId', plan.organization_id, 'planId', plan.plan_id, 'terms', plan.terms, 'createdAt', plan.created_at,
  'archivedAt', plan.archived_at, 'deletedAt', plan.deleted_at, 'version', plan.version
)`

// Lower case as JavaScript has it: servers differ in theirs.
const fold = (text: string): string => text.toLowerCase()

const columns = CommitClause.columns<Plan.Plan & { readonly foldedName: string }>(
  {
    text: ["organizationId", "planId", "foldedName"],
    jsonb: ["terms"],
    bigint: ["createdAt", "archivedAt", "deletedAt", "version"]
  },
  ["organizationId", "planId"]
)

/** Writes them, each guarded by its version. */
export const put = (sql: Sql, plans: ReadonlyArray<Plan.Plan>): CommitClause.CommitClause => {
  const rows = plans.map((plan) => ({ ...plan, foldedName: fold(plan.terms.name) }))
  return {
    ctes: [
      sql`plan_put as (
        insert into simplan.plan as stored (
          organization_id, plan_id, label, coverage_id, folded_name, terms, created_at, archived_at, deleted_at, version
        )
        select r."organizationId", r."planId", r.terms->>'label', r.terms->>'coverageId', r."foldedName", r.terms,
          r."createdAt", r."archivedAt", r."deletedAt", r.version + 1
        from ${CommitClause.rows(sql, rows, columns)}
        where r.version = 0 or exists (
          select from simplan.plan known
          where known.organization_id = r."organizationId" and known.plan_id = r."planId"
        )
        on conflict (organization_id, plan_id) do update set
          label = excluded.label, coverage_id = excluded.coverage_id, folded_name = excluded.folded_name,
          terms = excluded.terms, created_at = excluded.created_at, archived_at = excluded.archived_at,
          deleted_at = excluded.deleted_at, version = excluded.version
        where stored.version = excluded.version - 1
        returning 1
      )`
    ],
    outcome: sql`simplan.ensure((select count(*) from plan_put) = ${rows.length}::int, 'version')`
  }
}

const loadedColumns = CommitClause.columns<Storage.PlanVersion>({
  text: ["organizationId", "planId"],
  bigint: ["version"]
})

/** Guards what rests on plans: each still has the version that was loaded. */
export const unchanged = (sql: Sql, plans: ReadonlyArray<Storage.PlanVersion>): CommitClause.CommitClause => ({
  ctes: [
    sql`plan_as_loaded as (
      select 1
      from ${CommitClause.rows(sql, plans, loadedColumns)}
      join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId"
        and plan.version = r.version
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from plan_as_loaded) = ${plans.length}::int, 'version')`
})

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

const requested = CommitClause.columns<Batching.Placed<OfPlan>>({
  integer: ["at"],
  text: ["organizationId", "planId"]
})

export const byId = (database: Database) =>
  Batching.reads<OfPlan, Plan.Plan>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Plan.Plan>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(value)})::text as value
      from ${CommitClause.rows(sql, asked, requested)}
      join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId"`,
    ({ organizationId, planId }) => `${organizationId} ${planId}`
  )

const list: Pages.List<Plan.Plan> = {
  table: "plan",
  order: ["plan.created_at", "plan.plan_id"],
  isNewestFirst: false,
  value
}

/** A page of those that are not deleted, by creation and id. */
export const page = (database: Database) => (of: Storage.PlanQuery) =>
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
              plan.coverage_id in (select r.text from ${CommitClause.texts(sql, of.covering.coverageIds)})
              or exists (
                select from simplan.region
                where region.organization_id = plan.organization_id and region.coverage_id = plan.coverage_id
                  and region.iso2_list @> array(select r.text from ${CommitClause.texts(sql, of.covering.iso2List)})
              )
            )`
          ])
    ]
  }))
