/**
 * The lists of SIMs and of subscriptions with a filter (rule L1).
 *
 * What a search finds is looked up in the index of each thing that it may be, and paused SIMs in an
 * index of theirs. If those are no more than the rows that may be scanned, they are all that is
 * left to filter and to sort. If they are more, the list is scanned in its order, as other
 * filtered lists are: rows that fit stand close together there.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { type Sim, type SimSearch, Storage, type Subscription } from "simplan/ports"
import type { Database, Planning, Row, Sql } from "../../database/Database.ts"
import * as NoteWords from "../../migrations/NoteWords.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as SimsStatements from "./SimsStatements.ts"
import * as SubscriptionsStatements from "./SubscriptionsStatements.ts"

/** The text after all that begin with the prefix, by code point; null if there is none. */
const beyond = (prefix: string): string | null => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === 0x10_ff_ff) points.pop()
  const last = points.pop()
  // Surrogates are no characters.
  return last === undefined ? null : String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1)
}

/** Whether a text of an index begins so. */
export const begins = (sql: Sql, text: string, prefix: string): Fragment => {
  const end = beyond(prefix)
  return sql.and([
    sql`${sql.literal(text)} >= ${prefix}::text`,
    ...(end === null ? [] : [sql`${sql.literal(text)} < ${end}::text`])
  ])
}

export const foldedMetadata = (table: string): string => `(simplan.folded(${table}.metadata) collate "C")`

export const reversed = (text: string): string => Array.from(text).reverse().join("")

const hasWords = (sql: Sql, table: string, words: ReadonlyArray<string>): Fragment =>
  sql`${sql.literal(NoteWords.words(`${table}.metadata`))} @> ${words}::text[]`

/** Whether metadata of the table begin with the text, or have all of its words. */
export const hasText = (sql: Sql, table: string, { metadata, words }: SimSearch.Search): Fragment =>
  sql.or([
    sql`starts_with(simplan.folded(${sql.literal(table)}.metadata), ${metadata}::text)`,
    ...(words.length === 0 ? [] : [hasWords(sql, table, words)])
  ])

/** A search is planned once for all. The parts of distributed tables are chosen by its values. */
export const planning = ({ isDistributed }: Pick<Database, "isDistributed">): Planning => ({
  isGeneric: !isDistributed
})

/** How many rows of any organizations are read before those of one are asked for. */
const ANYONES = 1_024

/** The rows of a table whose metadata have all words, of one organization or of all, by buckets. */
const inBuckets = (
  sql: Sql,
  table: NoteWords.Table,
  words: ReadonlyArray<string>,
  organizationId: string | null,
  narrowed = sql.literal("")
): Fragment => {
  const buckets = NoteWords.buckets.map((bucket) => words.map((word) => bucket + word).join(" "))
  return sql`
      select ${sql.literal(table)}.* from unnest(${buckets}::text[]) bucket (words)
      join simplan.${sql.literal(table)} on ${sql.and([
        sql.literal(NoteWords.indexed[table].rows),
        // Costs less than the words, if a table is so small that no index is used.
        sql.literal(`starts_with(bucket.words, ${NoteWords.bucketOfRow(table)})`),
        sql`${sql.literal(NoteWords.indexedWords(table))} @> string_to_array(bucket.words, ' ')`,
        ...(organizationId === null
          ? []
          : [sql`array[${sql.literal(table)}.organization_id] @> array[${organizationId}]::text[]`])
      ])} ${narrowed}`
}

/**
 * The rows of a table whose metadata have all words, of one organization or of all. They are to be
 * read as far as they are needed: common words are in most rows, and nothing has them in an order.
 *
 * Whether a row is the organization's costs an index of arrays more than the words do. So the rows
 * of all organizations are read first, unless those are many, or on other servers.
 */
export const worded = (
  { isDistributed }: Pick<Database, "isDistributed">,
  sql: Sql,
  table: NoteWords.Table,
  words: ReadonlyArray<string>,
  organizationId: string | null,
  narrowed?: Fragment
): Fragment => {
  if (organizationId === null || isDistributed) return inBuckets(sql, table, words, organizationId, narrowed)
  return sql`
      with rows_of_all as materialized (${inBuckets(sql, table, words, null)}),
      anyones as materialized (select * from rows_of_all limit ${sql.literal(String(ANYONES + 1))}),
      are_many as materialized (select count(*) > ${sql.literal(String(ANYONES))} as are_many from anyones),
      own as materialized (${inBuckets(sql, table, words, organizationId)})
      select * from anyones
      where not (select are_many from are_many) and anyones.organization_id = ${organizationId}
      union all
      select * from own where (select are_many from are_many)`
}

/** What indexes find: what a search does, or the SIMs that are paused. */
type Indexed = SimSearch.Search | "paused"

/** An ICCID for each place of an index where it is found, perhaps the same one more than once. */
const places = (
  database: Database,
  sql: Sql,
  organizationId: string,
  most: Fragment,
  indexed: Indexed
): ReadonlyArray<Fragment> => {
  // The order names the index, so that the planner has no other one, and none to sort by.
  const placesOf = (table: string, column: string, fits: Fragment, more: Fragment = sql.literal("")): Fragment => sql`(
      select ${sql.literal(table)}.iccid from simplan.${sql.literal(table)}
      where ${sql.literal(table)}.organization_id = ${organizationId} and ${fits} ${more}
      order by ${sql.literal(`${table}.organization_id, ${column}`)}
      limit ${most}
    )`
  if (indexed === "paused") return [placesOf("sim", "sim.iccid", sql.literal(PAUSED))]
  const { iccid, imsi, metadata, msisdns, subscriptionId, words } = indexed
  const wordsOf = (table: NoteWords.Table): Fragment => sql`(
      with worded as materialized (${worded(database, sql, table, words, organizationId)})
      select worded.iccid from worded limit ${most}
    )`
  const equal = (column: string, value: string): Fragment => sql`${sql.literal(column)} = ${value}`
  const [ofSubscription, ofAttachment] = [foldedMetadata("subscription"), foldedMetadata("attachment")]
  return [
    ...(iccid === null
      ? []
      : [
          placesOf("sim", "sim.iccid", begins(sql, "sim.iccid", iccid)),
          placesOf("iccid", "reverse(iccid.iccid)", begins(sql, "reverse(iccid.iccid)", reversed(iccid)))
        ]),
    ...(imsi === null ? [] : [placesOf("sim", "sim.imsi", equal("sim.imsi", imsi))]),
    ...(msisdns.length === 0 ? [] : [placesOf("sim", "sim.msisdn", sql`sim.msisdn = any(${msisdns}::text[])`)]),
    placesOf("subscription", "subscription.subscription_id", equal("subscription.subscription_id", subscriptionId)),
    placesOf(
      "subscription",
      ofSubscription,
      begins(sql, ofSubscription, metadata),
      sql.literal("and subscription.status = 'Live' and subscription.metadata <> ''")
    ),
    placesOf(
      "attachment",
      ofAttachment,
      begins(sql, ofAttachment, metadata),
      sql.literal("and attachment.metadata <> ''")
    ),
    // The last, as they are read only if the others are not enough.
    ...(words.length === 0 ? [] : [wordsOf("subscription"), wordsOf("attachment")])
  ]
}

/** `SimSearch.isFound`, of `sim`. */
const isFound = (sql: Sql, organizationId: string, search: SimSearch.Search): Fragment => {
  const { iccid, imsi, msisdns, subscriptionId } = search
  // With an offset the planner takes these lookups for what they are, and never reads the whole
  // table instead.
  const subscribed = sql`exists (
        select from simplan.subscription found
        where found.organization_id = ${organizationId} and found.iccid = sim.iccid
          and found.status <> 'Deleted' and found.status = 'Live' and (
            found.subscription_id = ${subscriptionId}
            or ${hasText(sql, "found", search)}
            or exists (
              select from simplan.attachment
              where attachment.organization_id = ${organizationId}
                and attachment.subscription_id = found.subscription_id and attachment.confirmed
                and ${hasText(sql, "attachment", search)}
              offset 0
            )
          )
        offset 0
      )`
  return sql.or([
    ...(iccid === null
      ? []
      : [sql`starts_with(sim.iccid, ${iccid}::text)`, sql`starts_with(reverse(sim.iccid), ${reversed(iccid)}::text)`]),
    ...(imsi === null ? [] : [sql`sim.imsi = ${imsi}`]),
    ...(msisdns.length === 0 ? [] : [sql`sim.msisdn = any(${msisdns}::text[])`]),
    subscribed
  ])
}

const PAUSED = "sim.paused_at is not null"

const services: { readonly [Status in Subscription.ServiceStatus]: string } = {
  active: "sim.paused_at is null",
  paused: PAUSED
}

/**
 * A list of rows that each have one SIM. What is beside them is looked up: a join may read all of
 * the organization.
 */
interface List {
  /** The table that the list is of. */
  readonly table: "sim" | "subscription"
  /** The columns that it is ordered by. */
  readonly order: string
  /** The cursor of a row, as JSON. */
  readonly cursor: string
  /** The item, as JSON. */
  readonly value: string
  /** What is joined to a row of the table: exactly one. */
  readonly beside: (sql: Sql, organizationId: string) => Fragment
  /** What is joined to the SIM for the row of the table: one, if it is in the list. */
  readonly ofSim: (sql: Sql, organizationId: string) => Fragment
}

const simList: List = {
  table: "sim",
  order: "sim.import_sequence",
  cursor: "sim.import_sequence",
  value: SimsStatements.value,
  beside: (sql) => sql.literal(""),
  ofSim: (sql) => sql.literal("")
}

const subscriptionList: List = {
  table: "subscription",
  order: "subscription.created_at, subscription.subscription_id",
  cursor: "json_build_object('createdAt', subscription.created_at, 'id', subscription.subscription_id)",
  value: SubscriptionsStatements.packed,
  beside: (sql, organizationId) => sql`cross join lateral (
          select * from simplan.sim
          where sim.organization_id = ${organizationId} and sim.iccid = subscription.iccid
          limit 1
        ) sim`,
  ofSim: (sql, organizationId) => sql`cross join lateral (
          select * from simplan.subscription
          where subscription.organization_id = ${organizationId} and subscription.iccid = sim.iccid
            and subscription.status <> 'Deleted'
          limit 1
        ) subscription`
}

interface Asked<Cursor> extends Storage.OfOrganization, Storage.FilteredKeyset<Cursor> {
  readonly search: SimSearch.Search | null
}

/** Which rows: those in the list, after the cursor, and those of them that are taken. */
interface Conditions {
  /** Has all rows that are taken; null: none, so that the list is scanned. */
  readonly indexed: Indexed | null
  readonly listed: ReadonlyArray<Fragment>
  readonly filters: ReadonlyArray<Fragment>
}

interface Found<Packed, Cursor> {
  /** Whether the list was scanned. */
  readonly isScan: boolean
  /** How many places the indexes have. */
  readonly places: number
  readonly found: ReadonlyArray<{ readonly at: number; readonly cursor: Cursor; readonly item: Packed | null }>
}

const page = <Packed, Cursor, A>(
  database: Database,
  list: List,
  asked: Asked<Cursor>,
  conditionsOf: (sql: Sql) => Conditions,
  unpack: (packed: Packed) => A
): Effect.Effect<Storage.Filtered<A, Cursor>, Storage.StorageError> => {
  const { limit, organizationId, scanLimit = Storage.SCAN_LIMIT, search } = asked
  const statement = (sql: Sql, hasAllServers: boolean): Fragment => {
    const { filters, indexed: everywhere, listed } = conditionsOf(sql)
    const indexed = hasAllServers ? everywhere : null
    const [literal, most] = [sql.literal, sql.literal(String(scanLimit))]
    const taken = [...filters, ...(search === null ? [] : [isFound(sql, organizationId, search)])]
    const beyondMost = literal(String(scanLimit + 1))
    const candidates =
      indexed === null
        ? sql`counted as (select 0 as places, true as is_scan)`
        : sql`candidate as materialized (
          select places.iccid from (${sql.join(" union all ", false)(places(database, sql, organizationId, beyondMost, indexed))}) places
          limit ${beyondMost}
        ), counted as materialized (select count(*) as places, count(*) > ${most} as is_scan from candidate)`
    const scanned = sql`
        select ${literal(list.table)}.scanned_at as at, ${literal(list.cursor)} as cursor,
          case when filtered.is_taken then ${literal(list.value)} end as item
        from (
          select ${literal(list.table)}.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from simplan.${literal(list.table)}
          where (select counted.is_scan from counted) and ${sql.and(listed)}
          window listed as (order by ${literal(list.order)})
          order by ${literal(list.order)}
          limit ${most}
        ) ${literal(list.table)}
        ${list.beside(sql, organizationId)}
        cross join lateral (select ${taken.length === 0 ? literal("true") : sql.and(taken)} as is_taken) filtered
        where filtered.is_taken or ${literal(list.table)}.is_last or ${literal(list.table)}.scanned_at = ${most}
        order by ${literal(list.order)}
        limit ${limit}::int`
    // All are sorted before they are filtered, so that only those of the page are.
    const fromIndexes = sql`
        select row_number() over (order by ${literal(list.order)}) as at, ${literal(list.cursor)} as cursor,
          ${literal(list.value)} as item
        from (
          select ${literal(list.table)}.*
          from (
            select * from simplan.sim
            where sim.organization_id = ${organizationId}
              and sim.iccid = any(array(select candidate.iccid from candidate where not (select counted.is_scan from counted)))
            offset 0
          ) sim
          ${list.ofSim(sql, organizationId)}
          where ${sql.and(listed)}
          order by ${literal(list.order)}
          offset 0
        ) ${literal(list.table)}
        ${list.beside(sql, organizationId)}
        where ${taken.length === 0 ? literal("true") : sql.and(taken)}
        order by ${literal(list.order)}
        limit ${limit}::int`
    return sql`
      with ${candidates}
      select json_build_object(
        'isScan', counted.is_scan, 'places', counted.places, 'found', coalesce(
          (
            select json_agg(json_build_object('at', found.at, 'cursor', found.cursor, 'item', found.item) order by found.at)
            from (${indexed === null ? scanned : sql`(${scanned}) union all (${fromIndexes})`}) found
          ),
          '[]'
        )
      )::text as value
      from counted`
  }
  const queried = (sql: Sql, hasAllServers = true) => sql<Row<Found<Packed, Cursor>>>`${statement(sql, hasAllServers)}`
  // ICCIDs stand by themselves where tables are distributed: if one of their servers is dead, the
  // list is scanned in their place.
  const isOnAllServers = database.isDistributed && search !== null && search.iccid !== null
  const read = isOnAllServers
    ? Effect.map(
        database.rowsOfAll((sql, living) => queried(sql, living.areAll), organizationId),
        ([row]) => row ?? null
      )
    : database.row((sql) => queried(sql), planning(database))
  return Secrets.decoded(read, (row): Storage.Filtered<A, Cursor> => {
    const { found, isScan, places } = row ?? { found: [], isScan: false, places: 0 }
    const items = found.flatMap(({ item }) => (item === null ? [] : [unpack(item)]))
    const last = found.at(-1)
    if (last === undefined) return { items, rows: isScan ? 0 : places, next: null }
    if (!isScan) return { items, rows: places, next: items.length < limit ? null : last.cursor }
    const hasEnded = items.length < limit && last.at < scanLimit
    return { items, rows: last.at, next: hasEnded ? null : last.cursor }
  })
}

/** What lists of SIMs and of subscriptions ask of the SIM alone. */
const ofSim = (sql: Sql, { label, tag }: Pick<SimSearch.SimFilter, "label" | "tag">): ReadonlyArray<Fragment> => [
  ...(label === null ? [] : [sql`sim.label = ${label}`]),
  ...(tag === null
    ? []
    : [
        sql`exists (
          select from jsonb_array_elements_text(sim.tags) tags (tag) where simplan.folded(tags.tag) = ${tag}::text
        )`
      ])
]

/** SIMs by import sequence. */
export const sims =
  (database: Database) => (query: Storage.OfOrganization & Storage.FilteredKeyset<number> & SimSearch.SimFilter) =>
    page<SimsStatements.Packed, number, Sim.Sim>(
      database,
      simList,
      query,
      (sql) => ({
        indexed: query.search,
        listed: [
          sql`sim.organization_id = ${query.organizationId}`,
          sql`sim.import_sequence > ${query.after ?? 0}::bigint`
        ],
        filters: [
          ...ofSim(sql, query),
          ...(query.isEsim === null ? [] : [sql`sim.is_esim = ${query.isEsim}`]),
          ...(query.status === null ? [] : [sql.literal(SimsStatements.standing(query.status))]),
          ...(query.createdAfter === null ? [] : [sql`sim.created_at > ${query.createdAfter}::bigint`])
        ]
      }),
      (packed) => SimsStatements.unpack(database.cipher.decrypt, query.organizationId, packed)
    )

/** Live subscriptions by creation and id. */
export const subscriptions =
  (database: Database) => (query: Storage.OfOrganization & Storage.FilteredKeyset & SimSearch.SubscriptionFilter) =>
    page<SubscriptionsStatements.Packed, Storage.CreatedCursor, Subscription.SubscriptionWithSim>(
      database,
      subscriptionList,
      query,
      (sql) => ({
        indexed: query.search ?? (query.status === "paused" ? "paused" : null),
        listed: [
          sql`subscription.organization_id = ${query.organizationId}`,
          sql.literal("subscription.status = 'Live'"),
          ...(query.createdAfter === null ? [] : [sql`subscription.created_at > ${query.createdAfter}::bigint`]),
          ...(query.after === null
            ? []
            : [
                sql`(subscription.created_at, subscription.subscription_id)
              > (${query.after.createdAt}::bigint, ${query.after.id}::text)`
              ])
        ],
        filters: [...ofSim(sql, query), ...(query.status === null ? [] : [sql.literal(services[query.status])])]
      }),
      (packed) => SubscriptionsStatements.unpack(database.cipher.decrypt, query.organizationId, packed)
    )
