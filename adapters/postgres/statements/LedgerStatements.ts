/**
 * The statements of the ledger of costs (rules C1 to C4). Amounts are decimals of the database,
 * which adds them without rounding; they leave it as texts.
 */
import { Effect } from "effect"
import { Amount, Cost, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"

/** A row as it is stored. */
interface Stored extends Omit<Cost.Entry, "amount"> {
  /** A decimal; null: the supplier does not say. */
  readonly amount: string | null
  readonly currency: string | null
}

const columns = Columns.of<Stored>(
  {
    organizationId: "text",
    costId: "text",
    kind: "text",
    at: "bigint",
    telco: "text",
    load: "text",
    label: "text",
    regionCode: "text",
    iccid: "text",
    amount: "text",
    currency: "text",
    attachmentId: "text",
    planId: "text",
    occurrence: "bigint"
  },
  ["organizationId", "costId"]
)

const insert = Columns.clause(
  "cost_put",
  columns,
  (rows) => `${Columns.insertion("cost", columns, { amount: "r.amount::numeric" })}
from ${rows}
on conflict (organization_id, cost_id) do nothing
returning 1`
)

/** Adds rows that are not there. */
export const put = (sql: Sql, entries: ReadonlyArray<Cost.Entry>): Columns.Clause =>
  insert(
    sql,
    entries.map(({ amount, ...entry }) => ({
      ...entry,
      amount: amount === null ? null : Amount.decimal(amount),
      currency: amount?.currency ?? null
    }))
  )

const allotments = Columns.pick(columns, [
  "organizationId",
  "costId",
  "attachmentId",
  "planId",
  "occurrence",
  "regionCode"
])

const set = Columns.clause<Cost.Allotment>(
  "cost_allotted",
  allotments,
  (rows) => `update simplan.cost set attachment_id = r."attachmentId", plan_id = r."planId", occurrence = r.occurrence,
  region_code = coalesce(r."regionCode", cost.region_code)
from ${rows}
where cost.organization_id = r."organizationId" and cost.cost_id = r."costId"
returning 1`
)

/** Allots rows. */
export const allot = (sql: Sql, rows: ReadonlyArray<Cost.Allotment>): Columns.Clause => set(sql, rows)

/** The field of each group in a total, its column, and how it is read: '' stands for null. */
const groups = {
  plan: { field: "planId", column: "coalesce(cost.plan_id, '')", shown: "nullif(summed.plan, '')" },
  label: { field: "label", column: "cost.label", shown: "summed.label" },
  supplier: { field: "telco", column: "coalesce(cost.telco, '')", shown: "nullif(summed.supplier, '')" },
  country: { field: "regionCode", column: "coalesce(cost.region_code, '')", shown: "nullif(summed.country, '')" }
} as const satisfies Readonly<
  Record<Cost.Group, { readonly field: keyof Cost.Total; readonly column: string; readonly shown: string }>
>

const DAY_MILLIS = 86_400_000

const MONTH = `(extract(epoch from date_trunc('month',
        timestamp 'epoch' + (cost.at / ${DAY_MILLIS}) * interval '1 day')) * 1000)::bigint`

const CURRENCY = "coalesce(cost.currency, '')"

const countOf = (kind: Cost.Kind): string => `count(*) filter (where cost.kind = '${kind}')`

/** A total as the database writes it. */
interface Summed extends Omit<Cost.Total, "cost" | "price"> {
  readonly cost: string
  readonly price: string
}

export const ledger = (database: Database): Storage.Reads["ledger"] => ({
  /** What an organization has spent since an instant. */
  spent: ({ organizationId, since }) =>
    Effect.map(
      database.rows(
        (sql) => sql<Row<Omit<Cost.Spent, "sum"> & { readonly sum: string }>>`
          select json_build_object(
            'telco', nullif(spent.telco, ''), 'load', spent.load, 'currency', spent.currency, 'sum', spent.sum::text
          )::text as value
          from (
            select coalesce(cost.telco, '') as telco, cost.load, cost.currency, sum(cost.amount) as sum
            from simplan.cost
            where cost.organization_id = ${organizationId} and cost.at >= ${since}::bigint
              and cost.kind in ('purchase', 'top_up') and cost.currency is not null and cost.load is not null
            group by 1, 2, 3
            order by 1, 2, 3
          ) spent`
      ),
      (found) => found.map(({ sum, ...spent }): Cost.Spent => ({ ...spent, sum: Cost.parse(sum) }))
    ),
  /** The amount of one row. */
  booked: ({ costId, organizationId }) =>
    Effect.map(
      database.row(
        (sql) => sql<Row<Omit<Cost.Booked, "sum"> & { readonly sum: string }>>`
          select json_build_object('currency', cost.currency, 'sum', coalesce(cost.amount, 0)::text)::text as value
          from simplan.cost
          where cost.organization_id = ${organizationId} and cost.cost_id = ${costId}`
      ),
      (found): Cost.Booked | null => found && { ...found, sum: Cost.parse(found.sum) }
    ),
  /** What was charged and sold in these months, by these groups. */
  totals: ({ after, by, from, limit, organizationId, until }) =>
    Effect.map(
      database.rowsOfAll((sql, living) => {
        const ofOne = organizationId === null ? sql`` : sql`cost.organization_id = ${organizationId} and`
        const keys = [MONTH, ...by.map((group) => groups[group].column), CURRENCY]
        const names = ["month", ...by, "currency"]
        const places = sql.literal(names.map((_, index) => index + 1).join(", "))
        const beyond = sql.csv([
          sql`${after?.month ?? 0}::bigint`,
          ...by.map((group) => sql`${after?.[groups[group].field] ?? ""}::text`),
          sql`${after?.currency ?? ""}::text`
        ])
        const rest = after === null ? sql`` : sql`and (${sql.literal(keys.join(", "))}) > (${beyond})`
        const ordered = sql`
      select ${sql.literal(keys.map((key, index) => `${key} as ${names[index]}`).join(", "))},
        coalesce(sum(cost.amount) filter (where cost.kind <> 'sale'), 0) as cost,
        coalesce(sum(cost.amount) filter (where cost.kind = 'sale'), 0) as price,
        ${sql.literal(`${countOf("purchase")} as purchases, ${countOf("top_up")} as top_ups,
        ${countOf("refund")} as refunds, ${countOf("sale")} as sales`)}
      from simplan.cost
      where ${ofOne} cost.at >= ${from}::bigint and cost.at < ${until}::bigint ${rest} ${living("cost")}
      group by ${places}
      order by ${places}`
        const shown = by.map((group) => `'${groups[group].field}', ${groups[group].shown}, `).join("")
        return sql<Row<Summed>>`
      select json_build_object(
        'month', summed.month, ${sql.literal(shown)}'currency', nullif(summed.currency, ''),
        'cost', summed.cost::text, 'price', summed.price::text, 'purchases', summed.purchases,
        'topUps', summed.top_ups, 'refunds', summed.refunds, 'sales', summed.sales
      )::text as value
      from (${Columns.first(sql, ordered, limit)}) summed`
      }, organizationId),
      (found) =>
        found.map(
          ({ cost, price, ...total }): Cost.Total => ({ ...total, cost: Cost.parse(cost), price: Cost.parse(price) })
        )
    )
})
