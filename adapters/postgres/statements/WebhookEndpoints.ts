/**
 * The statements about webhook endpoints.
 */
import { Effect } from "effect"
import { type Storage, WebhookEndpoint, type WebhookEvent } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

/** An endpoint as its row has it. */
interface Stored extends Omit<WebhookEndpoint.WebhookEndpoint, "disabled"> {
  readonly disabledReason: WebhookEndpoint.DisabledReason | null
  readonly disabledAt: number | null
}

/** Of an endpoint's row. */
export const columns = Columns.of<Stored>(
  {
    organizationId: "text",
    endpointId: "text",
    url: "text",
    events: "text[]",
    description: "text",
    disabledReason: "text",
    disabledAt: "bigint",
    failingSince: "bigint",
    signingKeys: "jsonb",
    createdAt: "bigint",
    deletedAt: "bigint",
    version: "bigint"
  },
  ["organizationId", "endpointId"]
)

const value = Columns.json("webhook_endpoint", columns)

const rowOf = ({ disabled, ...endpoint }: WebhookEndpoint.WebhookEndpoint): Stored => ({
  ...endpoint,
  disabledReason: disabled?.reason ?? null,
  disabledAt: disabled?.at ?? null
})

/** The endpoint of a row. */
const ofRow = ({ disabledAt, disabledReason, ...endpoint }: Stored): WebhookEndpoint.WebhookEndpoint => ({
  ...endpoint,
  disabled: WebhookEndpoint.disabledBy(disabledReason, disabledAt)
})

const putVersions = Columns.putVersions("webhook_endpoint_put", "webhook_endpoint", columns)

/** Writes them, each guarded by its version. */
export const put = (
  sql: Sql,
  endpoints: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>,
  { cipher }: Pick<Database, "cipher">,
  ending?: string
): Columns.Clause => putVersions(sql, endpoints.map(Secrets.ofEndpoint(cipher.encrypt)).map(rowOf), undefined, ending)

export const webhookEndpoints = (database: Database): Storage.Reads["webhookEndpoints"] => ({
  get: (of) =>
    Secrets.decoded(
      database.row(
        (sql) => sql<Row<Stored>>`
          select (${sql.literal(value)})::text as value
          from simplan.webhook_endpoint
          where webhook_endpoint.organization_id = ${of.organizationId} and webhook_endpoint.endpoint_id = ${of.endpointId}
            and webhook_endpoint.deleted_at is null`
      ),
      (found) => (found === null ? null : Secrets.ofEndpoint(database.cipher.decrypt)(ofRow(found)))
    ),
  page: ({ after, limit, organizationId }) =>
    Secrets.decoded(
      database.rows(
        (sql) => sql<Row<Stored>>`
          select (${sql.literal(value)})::text as value
          from simplan.webhook_endpoint
          where webhook_endpoint.organization_id = ${organizationId} and webhook_endpoint.deleted_at is null
            and ${Pages.after(sql, "webhook_endpoint.created_at, webhook_endpoint.endpoint_id", after)}
          order by webhook_endpoint.created_at, webhook_endpoint.endpoint_id
          limit ${limit}::int`
      ),
      (found) => found.map(ofRow).map(Secrets.ofEndpoint(database.cipher.decrypt))
    ),
  /**
   * The types that the filters name of endpoints that are enabled or miss events, and those of
   * handlers.
   */
  namedTypes: (of) =>
    database.rows(
      (sql) => sql<Row<WebhookEvent.Type>>`
        select to_json(named.type)::text as value
        from (
          select unnest(webhook_endpoint.events) as type
          from simplan.webhook_endpoint
          where webhook_endpoint.organization_id = ${of.organizationId} and webhook_endpoint.deleted_at is null
            and webhook_endpoint.disabled_reason is distinct from 'Organization'
          union
          select unnest(event_handler.types)
          from simplan.event_handler
          where event_handler.organization_id is null or event_handler.organization_id = ${of.organizationId}
        ) named`
    ),
  /** When an attempt at an endpoint first failed after the last one that succeeded. */
  failingSince: (of) =>
    database.row(
      (sql) => sql<Row<number | null>>`
        with made as materialized (
          select delivery_attempt.at, delivery_attempt.error is null as succeeded
          from simplan.delivery
          join simplan.delivery_attempt on delivery_attempt.organization_id = delivery.organization_id
            and delivery_attempt.delivery_id = delivery.delivery_id
          where delivery.organization_id = ${of.organizationId} and delivery.endpoint_id = ${of.endpointId}
            and delivery.handler is null
            and delivery.created_at >= ${of.createdFrom}::bigint and delivery_attempt.at >= ${of.from}::bigint
        )
        select to_json(min(made.at))::text as value from made
        where not made.succeeded
          and made.at > coalesce((select max(done.at) from made done where done.succeeded), ${of.from}::bigint - 1)`
    ),
  /** The endpoints that fail. The text of the condition is that of the index. */
  failing: Effect.map(
    database.rowsOfAll(
      (sql, living) => sql<Row<WebhookEndpoint.Failing>>`
        select json_build_object('count', count(*), 'since', min(found.failing_since))::text as value
        from (
          select webhook_endpoint.failing_since from simplan.webhook_endpoint
          where webhook_endpoint.failing_since is not null and webhook_endpoint.disabled_at is null
            and webhook_endpoint.deleted_at is null ${living("webhook_endpoint")}
          order by webhook_endpoint.failing_since
          limit 10000
        ) found`
    ),
    ([row]): WebhookEndpoint.Failing => row ?? { count: 0, since: null }
  ),
  /** What is kept of endpoints beside the log. */
  health: (of) =>
    database.rows(
      (sql) => sql<Row<WebhookEndpoint.Health>>`
        select json_build_object(
          'endpointId', asked.endpoint_id, 'pending', greatest(coalesce(sum(delivery_count.pending), 0), 0),
          'lastSuccessAt', max(delivery_count.delivered_at)
        )::text as value
        from json_array_elements_text(${JSON.stringify(of.endpointIds)}::json) as asked(endpoint_id)
        left join simplan.delivery_count on delivery_count.organization_id = ${of.organizationId}
          and delivery_count.endpoint_id = asked.endpoint_id
        group by asked.endpoint_id`
    )
})
