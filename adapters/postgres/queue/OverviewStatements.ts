/**
 * The statements of what operators see first. Each counts up to a bound along an index, so that it
 * costs the same however much waits.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Label, Overview, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import type { Living } from "../database/LivingServers.ts"
import * as Deliveries from "./Deliveries.ts"
import * as JobQueue from "./JobQueue.ts"
import { freeOf, hasSome } from "../statements/sims/SimReservations.ts"

/**
 * The organizations with the first levels, low ones first, and those that have sold last, among the
 * first of all.
 */
const holders = (sql: Sql, living: Living): Fragment => sql`(
          select watched.organization_id from (
            select stock_level.organization_id
            from simplan.stock_level
            where stock_level.level > 0 ${living("stock_level")}
            order by stock_level.is_low desc, stock_level.organization_id, stock_level.label
            limit ${Overview.STOCKS}::int
          ) watched
          union
          select seller.organization_id from (
            select found.organization_id
            from (
              select organization.organization_id, (
                select max(subscription.created_at)
                from simplan.subscription
                where subscription.organization_id = organization.organization_id and subscription.status = 'Live'
                  ${living("subscription")}
              ) as sold_at
              from simplan.organization
              ${living.areAll ? sql.literal("") : sql`where true ${living("organization")}`}
              order by organization.created_at, organization.organization_id
              limit ${Overview.ORGANIZATIONS}::int
            ) found
            order by found.sold_at desc nulls last, found.organization_id
            limit ${Overview.STOCKS}::int
          ) seller
        )`

/** With what is pending to each, which stands by organization where tables are distributed. */
const withPending = (database: Database, endpoints: ReadonlyArray<Overview.FailingEndpoint>) =>
  Effect.map(
    database.rowsOfAll(
      (sql, living) => sql<Row<readonly [organizationId: string, endpointId: string, pending: number]>>`
        select json_build_array(
          delivery_count.organization_id, delivery_count.endpoint_id,
          least(greatest(sum(delivery_count.pending), 0), ${Overview.COUNTED_OF_ENDPOINT}::int)
        )::text as value
        from simplan.delivery_count
        where delivery_count.organization_id = any(array(
            select json_array_elements_text(${JSON.stringify(endpoints.map((one) => one.organizationId))}::json)
          ))
          and delivery_count.endpoint_id = any(array(
            select json_array_elements_text(${JSON.stringify(endpoints.map((one) => one.endpointId))}::json)
          )) ${living("delivery_count")}
        group by delivery_count.organization_id, delivery_count.endpoint_id`
    ),
    (counted) => {
      const pending = new Map(counted.map(([owner, endpoint, count]) => [`${owner} ${endpoint}`, count]))
      return endpoints.map((one) => ({
        ...one,
        pending: pending.get(`${one.organizationId} ${one.endpointId}`) ?? 0
      }))
    }
  )

export const overview = (database: Database): Storage.Reads["overview"] => ({
  /** The jobs that wait, by kind, reason and telco. */
  waitingJobs: ({ organizationId }) =>
    Effect.map(
      database.rowsOfAll((sql, living) => {
        const isAsked = organizationId === null ? sql`true` : sql`found.organization_id = ${organizationId}`
        return sql<Row<Overview.WaitingGroup>>`
          select json_build_object(
            'kind', waiting.kind, 'reason', waiting.reason, 'telco', waiting.telco, 'count', count(*),
            'since', min(waiting.since), 'nextAt', min(waiting.due_at)
          )::text as value
          from (
            select found.work->>'_tag' as kind, found.waiting->>'reason' as reason, found.waiting->>'telco' as telco,
              (found.waiting->>'since')::bigint as since, found.due_at
            from (
              select job.organization_id, job.work, job.waiting, job.due_at
              from simplan.job
              where ${sql.literal(JobQueue.waits)} ${living("job")}
              order by job.created_at, job.job_id
              limit ${Overview.COUNTED}::int
            ) found
            where ${isAsked}
          ) waiting
          group by waiting.kind, waiting.reason, waiting.telco`
      }, organizationId),
      Overview.ordered
    ),
  /**
   * The endpoints that fail, and those that are disabled for it, with what is pending to each. The
   * texts of the conditions are those of the indexes.
   */
  failingEndpoints: ({ organizationId }) => {
    const counting = (sql: Sql): Fragment => sql`cross join lateral (
          select least(greatest(coalesce(sum(delivery_count.pending), 0), 0), ${Overview.COUNTED_OF_ENDPOINT}::int) as pending
          from simplan.delivery_count
          where delivery_count.organization_id = asked.organization_id
            and delivery_count.endpoint_id = asked.endpoint_id
        ) counted`
    const failing = (pending: string, counted: (sql: Sql) => Fragment) =>
      database.rowsOfAll((sql, living) => {
        const isAsked = organizationId === null ? sql`true` : sql`failing.organization_id = ${organizationId}`
        return sql<Row<Overview.FailingEndpoint>>`
        select json_build_object(
          'organizationId', asked.organization_id, 'endpointId', asked.endpoint_id, 'url', asked.url,
          'since', asked.since, 'disabledAt', asked.disabled_at, 'pending', ${sql.literal(pending)}
        )::text as value
        from (
          select failing.*
          from (
            (
              select webhook_endpoint.organization_id, webhook_endpoint.endpoint_id, webhook_endpoint.url,
                webhook_endpoint.failing_since as since, webhook_endpoint.disabled_at
              from simplan.webhook_endpoint
              where webhook_endpoint.failing_since is not null and webhook_endpoint.disabled_at is null
                and webhook_endpoint.deleted_at is null ${living("webhook_endpoint")}
              order by webhook_endpoint.failing_since
              limit ${Overview.COUNTED}::int
            )
            union all
            (
              select webhook_endpoint.organization_id, webhook_endpoint.endpoint_id, webhook_endpoint.url,
                coalesce(webhook_endpoint.failing_since, webhook_endpoint.disabled_at) as since,
                webhook_endpoint.disabled_at
              from simplan.webhook_endpoint
              where webhook_endpoint.disabled_at is not null and webhook_endpoint.disabled_reason <> 'Organization'
                and webhook_endpoint.deleted_at is null ${living("webhook_endpoint")}
              order by coalesce(webhook_endpoint.failing_since, webhook_endpoint.disabled_at)
              limit ${Overview.COUNTED}::int
            )
          ) failing
          where ${isAsked}
          order by failing.since, failing.endpoint_id
          limit ${Overview.ENDPOINTS}::int
        ) asked
        ${counted(sql)}
        order by asked.since, asked.endpoint_id`
      }, organizationId)
    return Effect.map(
      database.isDistributed
        ? Effect.flatMap(
            failing("0", (sql) => sql.literal("")),
            (found) => withPending(database, found)
          )
        : failing("counted.pending", counting),
      (found) =>
        found.map((one) => ({
          ...one,
          url: database.cipher.decrypt(one.url, ["URL", one.organizationId, one.endpointId])
        }))
    )
  },
  /** The stocks of organizations by label, and what was sold of them lately. */
  stocks: ({ organizationId, sellAfter, since }) => {
    const stocks = (organizationId: string | null) =>
      database.rowsOfAll((sql, living) => {
        const owner = organizationId === null ? sql`asked.organization_id` : sql`${organizationId}`
        const asked =
          organizationId === null ? holders(sql, living) : sql`(select ${organizationId}::text as organization_id)`
        return sql<Row<Overview.WatchedStock>>`
        select json_build_object(
          'organizationId', asked.organization_id, 'label', known.label, 'level', watched.level,
          'isLow', coalesce(watched.is_low, false), 'free', stocked.free,
          'sold', coalesce(cardinality(array_positions(lately.labels, known.label)), 0), 'soldSince', lately.sold_since
        )::text as value
        from ${asked} asked
        cross join lateral (
          select array_agg(sim.label) filter (where sim.is_esim) as labels,
            case when count(*) < ${Overview.RATE_SAMPLE}::int then ${since}::bigint else min(newest.created_at) end
              as sold_since
          from (
            select subscription.iccid, subscription.created_at
            from simplan.subscription
            where subscription.organization_id = ${owner} and subscription.status = 'Live'
              and subscription.created_at >= ${since}::bigint
            order by subscription.created_at desc, subscription.subscription_id desc
            limit ${Overview.RATE_SAMPLE}::int
          ) newest
          cross join lateral (
            select sim.label, sim.is_esim from simplan.sim
            where sim.organization_id = ${owner} and sim.iccid = newest.iccid
            limit 1
          ) sim
        ) lately
        cross join json_array_elements_text(${JSON.stringify(Label.labels)}::json) as known(label)
        left join simplan.stock_level watched
          on watched.organization_id = ${owner} and watched.label = known.label and watched.level > 0
        cross join lateral ${freeOf(sql, { owner, label: sql.literal("known.label"), atMost: sql.literal("greatest(1000, watched.level)"), sellAfter })} stocked
        where stocked.free > 0 or watched.level is not null or ${hasSome(sql, owner)}`
      }, organizationId)
    if (organizationId !== null || !database.isDistributed) return stocks(organizationId)
    // Each organization's rows are read where they are.
    const owners = database.rowsOfAll(
      (sql, living) =>
        sql<Row<string>>`select to_json(asked.organization_id)::text as value from ${holders(sql, living)} asked`
    )
    return Effect.flatMap(owners, (found) => Effect.map(Effect.forEach(found, stocks), (all) => all.flat()))
  },
  /** Whose the work is that waits. */
  loads: database.rowsOfAll(
    (sql, living) => sql<Row<Overview.Load>>`
      select json_build_object(
        'organizationId', work.organization_id, 'waitingJobs', sum(work.job), 'pendingDeliveries', sum(work.delivery)
      )::text as value
      from (
        (
          select job.organization_id, 1 as job, 0 as delivery
          from simplan.job
          where ${sql.literal(JobQueue.waits)} ${living("job")}
          order by job.created_at, job.job_id
          limit ${Overview.COUNTED}::int
        )
        union all
        (
          select delivery.organization_id, 0, 1
          from simplan.delivery
          where ${sql.literal(Deliveries.queue.waits)} and delivery.next_attempt_at is not null ${living("delivery")}
          order by delivery.next_attempt_at, delivery.delivery_id
          limit ${Overview.COUNTED}::int
        )
      ) work
      group by work.organization_id
      order by count(*) desc, work.organization_id
      limit ${Overview.LOADS}::int`
  ),
  /** What the server says of the database. */
  database: database.row(
    (sql) => sql<Row<Overview.DatabaseFigures>>`
      select json_build_object(
        'bytes', pg_database_size(current_database()),
        'connections', (select count(*) from pg_stat_activity where pg_stat_activity.datname = current_database()),
        'mostConnections', current_setting('max_connections')::int
      )::text as value`
  )
})
