/**
 * The endpoints that fail, which are counted for operators, by since when they fail.
 *
 * A success did not end that before, as the log of attempts had it. So what the log has succeeded since is made up for, once.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `update simplan.webhook_endpoint set failing_since = null
    where failing_since is not null and disabled_at is null and exists (
      select from simplan.delivery
      where delivery.organization_id = webhook_endpoint.organization_id
        and delivery.endpoint_id = webhook_endpoint.endpoint_id and delivery.handler is null
        and delivery.status = 'Delivered' and delivery.last_attempt_at > webhook_endpoint.failing_since
    )`,
  `create index webhook_endpoint_failing on simplan.webhook_endpoint (failing_since)
    where failing_since is not null and disabled_at is null and deleted_at is null`
]
