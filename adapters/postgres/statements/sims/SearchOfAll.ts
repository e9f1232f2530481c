/**
 * Finds SIMs in all organizations at once, or in one (rule L4).
 *
 * Each thing that a search may be is looked up in an index of its own: of all organizations in one
 * that does not begin with the organization, of one organization in the index that its lists are
 * searched by (`Search`). Words inside metadata are looked up if all else is not enough: common
 * ones are in most rows.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Sim, SimSearch, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as LivingServers from "../../database/LivingServers.ts"
import * as Columns from "../../sql/Columns.ts"
import { begins, foldedMetadata, hasText, planning, reversed, worded } from "./Search.ts"
import * as SimsStatements from "./SimsStatements.ts"

/** The organization of rows that were found: the one that was asked for, else that of the row. */
const ownerOf = (sql: Sql, { organizationId }: Asked, row: string): Fragment =>
  organizationId === null ? sql.literal(`${row}.organization_id`) : sql`${organizationId}`

interface Asked {
  readonly search: SimSearch.Search
  readonly organizationId: string | null
  readonly limit: number
}

/** The rank of a row which says that not all attachments were looked at. */
const CUT = -1

/**
 * A place of each index where the search finds something, with its rank in `SimSearch.places`; and
 * the attachments that were looked at.
 */
const placesOf = (database: Database, sql: Sql, asked: Asked, living: LivingServers.Living) => {
  const { limit, organizationId, search } = asked
  const { iccid, imsi, metadata, msisdns, subscriptionId, words } = search
  const rank = (place: SimSearch.Place): Fragment => sql.literal(String(SimSearch.places.indexOf(place)))
  // The order names the index, so that the planner has no other one, and none to sort by.
  const rows = (table: string, order: string, fits: ReadonlyArray<Fragment>, most: Fragment): Fragment => {
    const isOwn = organizationId === null ? [] : [sql`${sql.literal(table)}.organization_id = ${organizationId}`]
    return sql`
      select ${sql.literal(table)}.* from simplan.${sql.literal(table)}
      where ${sql.and([...isOwn, ...fits])} ${living(table)}
      order by ${sql.literal(organizationId === null ? order : `${table}.organization_id, ${order}`)}
      limit ${most}`
  }
  const rowsOf = (
    place: SimSearch.Place,
    table: string,
    order: string,
    ...fits: ReadonlyArray<Fragment>
  ): Fragment => sql`
    select ${rank(place)} as rank, found.organization_id, found.iccid
    from (${rows(table, order, fits, sql`${limit}::int`)}) found`
  const equal = (column: string, value: string): Fragment => sql`${sql.literal(column)} = ${value}`
  const most = sql.literal(String(Storage.SCAN_LIMIT))
  const [ofSubscription, ofAttachment] = [foldedMetadata("subscription"), foldedMetadata("attachment")]
  const isLive = sql.literal("subscription.status = 'Live'")
  const attached = rows(
    "attachment",
    ofAttachment,
    [sql.literal("attachment.metadata <> ''"), begins(sql, ofAttachment, metadata)],
    most
  )
  const live = (table: string): Fragment => sql`
    select ${rank("metadata")} as rank, attachment.organization_id, attachment.iccid
    from ${sql.literal(table)} attachment
    ${
      database.isDistributed
        ? sql`join simplan.subscription on subscription.organization_id = attachment.organization_id
      and subscription.subscription_id = attachment.subscription_id and ${isLive} ${living("subscription")}`
        : sql`cross join lateral (
      select from simplan.subscription
      where subscription.organization_id = ${ownerOf(sql, asked, "attachment")}
        and subscription.subscription_id = attachment.subscription_id and ${isLive}
      limit 1
    ) subscription`
    }
    where attachment.confirmed`
  const inside =
    words.length === 0
      ? null
      : {
          attached: sql`
    with found as materialized (${worded(database, sql, "attachment", words, organizationId, living("attachment"))})
    select found.* from found where (select asked.more from asked) limit ${most}`,
          places: [
            sql`
    with found as materialized (${worded(database, sql, "subscription", words, organizationId, living("subscription"))})
    select ${rank("metadata")} as rank, found.organization_id, found.iccid
    from found where (select asked.more from asked) limit ${limit}::int`,
            live("attached_inside")
          ]
        }
  const places = [
    rowsOf(
      "subscriptionId",
      "subscription",
      "subscription.subscription_id",
      isLive,
      equal("subscription.subscription_id", subscriptionId)
    ),
    ...(imsi === null ? [] : [rowsOf("imsi", "sim", "sim.imsi", equal("sim.imsi", imsi))]),
    ...(msisdns.length === 0 ? [] : [rowsOf("msisdn", "sim", "sim.msisdn", sql`sim.msisdn = any(${msisdns}::text[])`)]),
    ...(iccid === null
      ? []
      : [
          // The inventory's key has the organization before the ICCID, the table of ICCIDs has the
          // ICCID alone, and its rows are on any servers.
          organizationId === null && living.areAll
            ? rowsOf("iccid", "iccid", "iccid.iccid", begins(sql, "iccid.iccid", iccid))
            : rowsOf("iccid", "sim", "sim.iccid", begins(sql, "sim.iccid", iccid)),
          ...(living.areAll
            ? [rowsOf("iccid", "iccid", "reverse(iccid.iccid)", begins(sql, "reverse(iccid.iccid)", reversed(iccid)))]
            : [])
        ]),
    rowsOf(
      "metadata",
      "subscription",
      ofSubscription,
      isLive,
      sql.literal("subscription.metadata <> ''"),
      begins(sql, ofSubscription, metadata)
    ),
    live("attached")
  ]
  return { attached, places, inside }
}

interface Found extends Omit<SimSearch.Hit, "place"> {
  readonly rank: number
}

const hitOf = ({ rank, ...found }: Found): ReadonlyArray<SimSearch.Hit> => {
  const place = SimSearch.places[rank]
  return place === undefined ? [] : [{ ...found, place }]
}

const status = `case ${Sim.statuses.map((one) => `when ${SimsStatements.standing(one)} then '${one}'`).join(" ")} end`

/** The CTEs up to `hit`, and whether not all attachments were looked at. */
const finding = (database: Database, sql: Sql, asked: Asked, living: LivingServers.Living) => {
  const { attached, inside, places } = placesOf(database, sql, { ...asked, limit: asked.limit + 1 }, living)
  const union = (of: ReadonlyArray<Fragment>): Fragment =>
    sql.join(" union all ", false)(of.map((place) => sql`(${place})`))
  const most = sql.literal(String(Storage.SCAN_LIMIT))
  const more =
    inside === null
      ? sql.literal("")
      : sql`, asked as materialized (
          select count(*) <= ${asked.limit}::int as more
          from (select distinct place.organization_id, place.iccid from place) found
        ), attached_inside as materialized (${inside.attached}), inside as materialized (${union(inside.places)})`
  const found =
    inside === null ? sql.literal("place") : sql.literal("(select * from place union all select * from inside) place")
  return {
    ctes: sql`attached as materialized (${attached}), place as materialized (${union(places)})${more},
        hit as materialized (
          select place.organization_id, place.iccid, min(place.rank) as rank
          from ${found}
          group by place.organization_id, place.iccid
          order by min(place.rank), place.organization_id, place.iccid
          limit ${asked.limit + 1}::int
        )`,
    isCut: sql`(select count(*) from attached) = ${most}${
      inside === null ? sql.literal("") : sql` or (select count(*) from attached_inside) = ${most}`
    }`
  }
}

/** What there is to say of each `hit`. */
const described = (sql: Sql, asked: Asked): Fragment => sql`select json_build_object(
          'organizationId', hit.organization_id, 'organizationName', organization.name, 'iccid', hit.iccid,
          'label', sim.label, 'subscriptionId', subscription.subscription_id, 'rank', hit.rank, 'status', sim.status,
          'isPaused', sim.is_paused, 'planName', newest.plan_name, 'metadata', left(case
            when ${hasText(sql, "subscription", asked.search)} then subscription.metadata
            else coalesce(noted.metadata, subscription.metadata)
          end, ${sql.literal(String(SimSearch.WORDS))})
        )::text as value
        from hit
        cross join lateral (
          select organization.name from simplan.organization
          where organization.organization_id = ${ownerOf(sql, asked, "hit")}
          limit 1
        ) organization
        cross join lateral (
          select sim.label, ${sql.literal(status)} as status, sim.paused_at is not null as is_paused from simplan.sim
          where sim.organization_id = ${ownerOf(sql, asked, "hit")} and sim.iccid = hit.iccid
          limit 1
        ) sim
        left join lateral (
          select subscription.subscription_id, subscription.metadata from simplan.subscription
          where subscription.organization_id = ${ownerOf(sql, asked, "hit")} and subscription.iccid = hit.iccid
            and subscription.status <> 'Deleted' and subscription.status = 'Live'
          limit 1
        ) subscription on true
        left join lateral (
          select attachment.terms->>'name' as plan_name from simplan.attachment
          where attachment.organization_id = ${ownerOf(sql, asked, "hit")}
            and attachment.subscription_id = subscription.subscription_id and attachment.confirmed
          order by attachment.created_at desc, attachment.attachment_id desc
          limit 1
        ) newest on true
        left join lateral (
          select attachment.metadata from simplan.attachment
          where attachment.organization_id = ${ownerOf(sql, asked, "hit")}
            and attachment.subscription_id = subscription.subscription_id and attachment.confirmed
            and ${hasText(sql, "attachment", asked.search)}
          order by attachment.created_at desc, attachment.attachment_id desc
          limit 1
        ) noted on true
        order by hit.rank, hit.organization_id, hit.iccid`

const cut = (sql: Sql): Fragment => sql`select json_build_object('rank', ${sql.literal(String(CUT))})::text`

/** All that is found, by one statement. */
const atOnce = (database: Database, asked: Asked) =>
  Effect.map(
    database.rows((sql) => {
      const { ctes, isCut } = finding(database, sql, asked, LivingServers.everywhere(sql))
      return sql<Row<Found>>`
        with ${ctes}
        (${described(sql, asked)})
        union all
        ${cut(sql)}
        where ${isCut}`
    }, planning(database)),
    (found) => ({ found, isCut: found.some(({ rank }) => rank === CUT) })
  )

type Hit = Pick<Found, "organizationId" | "iccid" | "rank">

const hitColumns = Columns.of<Hit>({ organizationId: "text", iccid: "text", rank: "integer" })

/**
 * The same where tables are distributed: what is found in all organizations first, and then what
 * there is to say of each one's, where its rows are.
 */
const byOwner = Effect.fnUntraced(function* (database: Database, asked: Asked) {
  const hits = yield* database.rowsOfAll((sql, living) => {
    const { ctes, isCut } = finding(database, sql, asked, living)
    return sql<Row<Hit>>`
        with ${ctes}
        select json_build_object('organizationId', hit.organization_id, 'iccid', hit.iccid, 'rank', hit.rank)::text as value
        from hit
        union all
        ${cut(sql)}
        where ${isCut}`
  }, asked.organizationId)
  const owners = new Set(hits.flatMap(({ organizationId, rank }) => (rank === CUT ? [] : [organizationId])))
  const found = yield* Effect.forEach(owners, (organizationId) =>
    database.rows((sql) => {
      const own = hits.filter((hit) => hit.organizationId === organizationId)
      return sql<Row<Found>>`
        with hit as materialized (
          select r."organizationId" as organization_id, r.iccid, r.rank from ${Columns.rows(sql, own, hitColumns)}
        )
        ${described(sql, { ...asked, organizationId })}`
    })
  )
  const order = new Map(hits.map(({ iccid }, place) => [iccid, place]))
  const placeOf = ({ iccid }: Hit): number => order.get(iccid) ?? 0
  const sorted = found.flat().toSorted((left, right) => left.rank - right.rank || placeOf(left) - placeOf(right))
  return { found: sorted, isCut: hits.some(({ rank }) => rank === CUT) }
})

/** The SIMs, by place, organization and ICCID. */
export const hits =
  (database: Database) =>
  (asked: Asked): ReturnType<Storage.Service["sims"]["search"]> =>
    Effect.map(database.isDistributed ? byOwner(database, asked) : atOnce(database, asked), ({ found, isCut }) => {
      const all = found.flatMap(hitOf)
      return { hits: all.slice(0, asked.limit), hasMore: all.length > asked.limit || isCut }
    })
