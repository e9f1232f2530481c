/**
 * Lanes of work: an organization's jobs and an endpoint's deliveries, each in due order, so that each can have its turn
 * whatever lies before it in the order of all. The version before knows nothing of these indexes and needs nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create index job_of_organization on simplan.job (organization_id, due_at, job_id)`,
  `create index delivery_of_endpoint on simplan.delivery (endpoint_id, next_attempt_at, delivery_id)
    where status = 'Pending'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
})
