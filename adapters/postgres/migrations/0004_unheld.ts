/**
 * The eSIMs that can be given are those that nobody holds: the index over them looks at who holds a SIM, and no longer at
 * how. So a SIM that goes into service changes no index, but when it is taken: its five entries are written once, not
 * twice. Attachments get room beside them, as they are confirmed soon after they came.
 *
 * The version before looks for a free SIM by the label's index until its processes have ended.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create index sim_unheld on simplan.sim (organization_id, label, recycled_at nulls first, serial)
    where is_esim and held_by is null and not downloaded`,
  `drop index simplan.sim_free`,
  `alter table simplan.attachment set (fillfactor = 60)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
})
