/**
 * The statements of the book of usage (rule U1): its entries by SIM, and the sums of organizations,
 * which are kept beside them so that a month of a million SIMs is read at once.
 *
 * Both tables are partitioned by month (`Partitions`). A commit adds to rows of either: first to
 * those of SIMs, which it has locked with their SIMs, then to the sums. Each connection has sums of
 * its own, as far as there are enough of them, so that commits which are written at the same time
 * do not wait for one another. What is taken from an entry may have been added by another
 * connection, so a part of a sum may be less than 0. A row in which nothing is left stays until its
 * month goes, and no reader gets it.
 */
import { type Storage, UsageBook } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"

/** What stands for the day of usage from before the book began. */
const BEFORE = -8_640_000_000_000_000

/** What stands for a country that is not known. */
const UNKNOWN = ""

/** The largest sum; a larger one stays there, and fails no commit. */
const LARGEST = String(Number.MAX_SAFE_INTEGER)

const added = (table: string): string => `bytes = least(${table}.bytes, ${LARGEST} - excluded.bytes) + excluded.bytes`

const summed = (table: string): string => `least(sum(${table}.bytes), ${LARGEST})`

interface EntryRow {
  readonly organizationId: string
  readonly iccid: string
  readonly attachmentId: string
  readonly day: number
  readonly country: string
  readonly bytes: number
}

const entryKey = ["organizationId", "iccid", "attachmentId", "day", "country"] as const

const entryColumns = Columns.of<EntryRow>(
  {
    organizationId: "text",
    iccid: "text",
    attachmentId: "text",
    day: "bigint",
    country: "text",
    bytes: "bigint"
  },
  entryKey,
  ["organizationId", "country", "day"]
)

const addEntries = Columns.insert(
  "usage_entry_added",
  "usage_entry",
  entryColumns,
  `on conflict (${entryKey.map(Columns.columnOf).join(", ")}) do update set ${added("usage_entry")}`
)

interface TotalRow {
  readonly organizationId: string
  readonly day: number
  readonly country: string
  readonly planId: string
  readonly label: string
  readonly bytes: number
}

const totalKey = ["organizationId", "day", "country", "planId", "label"] as const

const totalColumns = Columns.of<TotalRow>(
  { organizationId: "text", day: "bigint", country: "text", planId: "text", label: "text", bytes: "bigint" },
  totalKey,
  ["organizationId"]
)

/** How many sums there are at most of what is one for readers. */
const SHARDS = 16

const addTotals = Columns.clause(
  "usage_total_added",
  totalColumns,
  (rows) => `insert into simplan.usage_total (${totalKey.map(Columns.columnOf).join(", ")}, shard, bytes)
select ${totalKey.map((name) => `r.${Columns.quoted(name)}`).join(", ")}, pg_backend_pid() % ${SHARDS}, r.bytes
from ${rows}
on conflict (${totalKey.map(Columns.columnOf).join(", ")}, shard) do update set ${added("usage_total")}
returning 1`
)

const totalsOf = (entries: ReadonlyArray<UsageBook.Entry>): ReadonlyArray<TotalRow> => {
  const found = new Map<string, TotalRow>()
  for (const { bytes, countryAlpha2, day, label, organizationId, planId } of entries) {
    const key = `${organizationId} ${day} ${countryAlpha2} ${label} ${planId}`
    const known = found.get(key)
    const row = known ?? {
      organizationId,
      day: day ?? BEFORE,
      country: countryAlpha2 ?? UNKNOWN,
      planId,
      label,
      bytes: 0
    }
    found.set(key, { ...row, bytes: UsageBook.plus(row.bytes, bytes) })
  }
  return [...found.values()]
}

/** Adds to the book. */
export const add = (sql: Sql, entries: ReadonlyArray<UsageBook.Entry>): Columns.Clause => {
  const rows = entries.map(
    ({ attachmentId, bytes, countryAlpha2, day, iccid, organizationId }): EntryRow => ({
      organizationId,
      iccid,
      attachmentId,
      day: day ?? BEFORE,
      country: countryAlpha2 ?? UNKNOWN,
      bytes
    })
  )
  const [first, second] = [addEntries(sql, rows), addTotals(sql, totalsOf(entries))]
  return { ctes: [...first.ctes, ...second.ctes], outcome: sql`${first.outcome}, ${second.outcome}` }
}

/** After all days. */
const AFTER = 8_640_000_000_000_001

const DAY_MILLIS = 86_400_000

/** The field of each group in a total, and the SQL of what is grouped and of what is read. */
const groups = {
  day: { field: "day", column: "usage_total.day", shown: "used.day" },
  month: {
    field: "month",
    column: `(extract(epoch from date_trunc('month',
        timestamp 'epoch' + (usage_total.day / ${DAY_MILLIS}) * interval '1 day')) * 1000)::bigint`,
    shown: "used.month"
  },
  country: { field: "countryAlpha2", column: "usage_total.country", shown: `nullif(used.country, '${UNKNOWN}')` },
  plan: { field: "planId", column: "usage_total.plan_id", shown: "used.plan" },
  label: { field: "label", column: "usage_total.label", shown: "used.label" }
} as const satisfies Readonly<
  Record<
    UsageBook.TotalGroup,
    { readonly field: keyof UsageBook.Total; readonly column: string; readonly shown: string }
  >
>

export const usage = (database: Database): Storage.Reads["usage"] => ({
  /** A SIM's entries of these days, and from before the book. */
  entries: ({ after, from, iccid, limit, organizationId, until }) =>
    database.rows((sql) => {
      const ordered = sql`
      select usage_entry.attachment_id, usage_entry.day, usage_entry.country, usage_entry.bytes
      from simplan.usage_entry
      where usage_entry.organization_id = ${organizationId} and usage_entry.iccid = ${iccid}
        and (usage_entry.day >= ${from}::bigint and usage_entry.day < ${until}::bigint
          or usage_entry.day = ${BEFORE}::bigint)
        and usage_entry.bytes > 0
        and (usage_entry.day, usage_entry.country, usage_entry.attachment_id)
          > (${after === null ? BEFORE - 1 : (after.day ?? BEFORE)}::bigint, ${after?.countryAlpha2 ?? UNKNOWN}::text,
            ${after?.attachmentId ?? ""}::text)
      order by usage_entry.day, usage_entry.country, usage_entry.attachment_id`
      return sql<Row<UsageBook.SimEntry>>`
      select json_build_object(
        'attachmentId', used.attachment_id, 'day', nullif(used.day, ${BEFORE}::bigint),
        'countryAlpha2', nullif(used.country, ${UNKNOWN}::text), 'bytes', used.bytes
      )::text as value
      from (${Columns.first(sql, ordered, limit)}) used`
    }),
  /** A SIM's entries that have a day, newest first. */
  latest: ({ before, iccid, limit, organizationId }) =>
    database.rows((sql) => {
      const day = before === null ? AFTER : (before.day ?? BEFORE)
      const ordered = sql`
      select usage_entry.attachment_id, usage_entry.day, usage_entry.country, usage_entry.bytes
      from simplan.usage_entry
      where usage_entry.organization_id = ${organizationId} and usage_entry.iccid = ${iccid}
        and usage_entry.day > ${BEFORE}::bigint and usage_entry.day <= ${day}::bigint and usage_entry.bytes > 0
        and (usage_entry.day, usage_entry.country, usage_entry.attachment_id)
          < (${day}::bigint, ${before?.countryAlpha2 ?? UNKNOWN}::text, ${before?.attachmentId ?? ""}::text)
      order by usage_entry.day desc, usage_entry.country desc, usage_entry.attachment_id desc`
      return sql<Row<UsageBook.SimEntry>>`
      select json_build_object(
        'attachmentId', used.attachment_id, 'day', used.day, 'countryAlpha2', nullif(used.country, ${UNKNOWN}::text),
        'bytes', used.bytes
      )::text as value
      from (${Columns.first(sql, ordered, limit)}) used`
    }),
  /** What the usage of attachments is booked under. */
  bookings: ({ attachmentIds, organizationId }) =>
    database.rows(
      (sql) => sql<Row<UsageBook.Booking>>`
        select json_build_object(
          'attachmentId', attachment.attachment_id, 'planId', attachment.plan_id, 'label', attachment.terms->>'label',
          'createdAt', attachment.created_at
        )::text as value
        from simplan.attachment
        join simplan.subscription on subscription.organization_id = attachment.organization_id
          and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted'
        where attachment.organization_id = ${organizationId}
          and attachment.attachment_id = any(array(
            select json_array_elements_text(${JSON.stringify(attachmentIds)}::json)
          ))`
    ),
  /**
   * What an organization used on these days, from the sums that are kept. Of the day or the month
   * of the total before, it goes over what comes after its other groups; then over all later days.
   * So a page by day goes no further in the index than it has to.
   */
  totals: ({ after, by, from, limit, organizationId, until }) =>
    database.rows((sql) => {
      const others = by.filter((group) => group !== "day" && group !== "month")
      const later = after === null ? from : (UsageBook.endOf(after) ?? until)
      const start = others.length === 0 ? later : (after?.day ?? after?.month ?? from)
      const listed = (part: (group: UsageBook.TotalGroup) => string, of = by) => sql.literal(of.map(part).join(", "))
      const rest =
        others.length === 0
          ? sql``
          : sql`
        and (usage_total.day >= ${later}::bigint or
          (${listed((group) => groups[group].column, others)}) > (${sql.csv(
            others.map((group) => sql`${after?.[groups[group].field] ?? UNKNOWN}::text`)
          )}))`
      const places = sql.literal(by.map((_, index) => index + 1).join(", "))
      const ordered = sql`
      select ${listed((group) => `${groups[group].column} as ${group}`)}, ${sql.literal(summed("usage_total"))} as bytes
      from simplan.usage_total
      where usage_total.organization_id = ${organizationId}
        and usage_total.day >= ${Math.max(from, start)}::bigint and usage_total.day < ${until}::bigint${rest}
      group by ${places}
      having sum(usage_total.bytes) > 0
      order by ${places}`
      return sql<Row<UsageBook.Total>>`
      select json_build_object(${listed((group) => `'${groups[group].field}', ${groups[group].shown}`)}, 'bytes', used.bytes)::text as value
      from (${Columns.first(sql, ordered, limit)}) used`
    }),
  /** What each SIM used on these days. */
  sims: ({ after, from, limit, organizationId, until }) =>
    database.rows((sql) => {
      const ordered = sql`
      select usage_entry.iccid, ${sql.literal(summed("usage_entry"))} as bytes
      from simplan.usage_entry
      where usage_entry.organization_id = ${organizationId} and usage_entry.iccid > ${after ?? ""}::text
        and usage_entry.day >= ${from}::bigint and usage_entry.day < ${until}::bigint
      group by usage_entry.iccid
      having sum(usage_entry.bytes) > 0
      order by usage_entry.iccid`
      return sql<Row<{ readonly iccid: string; readonly bytes: number }>>`
      select json_build_object('iccid', used.iccid, 'bytes', used.bytes)::text as value
      from (${Columns.first(sql, ordered, limit)}) used`
    })
})
