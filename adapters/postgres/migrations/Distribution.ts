/**
 * Places the tables on the servers of a database that the extension Citus distributes: by
 * organization those whose rows have one, ICCIDs by themselves, a copy on each server of what
 * events are joined to. What is left stays on the first server: API keys, whose key has no
 * organization, and what the service has once.
 *
 * Each table is placed in a transaction of its own, and one that is placed already is left out, so
 * it can be run again. Statements on a table wait while it is placed.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import type { DatabaseSchema } from "../database/DatabaseSchema.ts"
import * as Placement from "../database/Placement.ts"
import * as BookTables from "./initial/BookTables.ts"
import * as EventTables from "./initial/EventTables.ts"

/** The first one has the others beside it: rows of an organization are on one server. */
const FIRST = "organization"

const byOrganization = [
  FIRST,
  ...["sim", "subscription", "attachment", "package", "smdp_entry", "import_sequence", "stock_level", "plan", "region"],
  ...["webhook_endpoint", "event", "delivery_count", "delivery", "delivery_attempt", "idempotency", "command"],
  ...["usage_entry", "usage_total", "taken_report", "audit_entry", "cost", "job"]
]

/** A key of a distributed table has its organization. */
const jobKey = [
  "alter table simplan.job drop constraint job_pkey",
  "alter table simplan.job add constraint job_pkey primary key (organization_id, job_id)"
]

/** What is done to place one table. */
export interface Step {
  /** What operators are shown of it, such as `places sim by organization`. */
  readonly does: string
  /** The table's name, without the schema. */
  readonly table: string
  /** Its SQL, run in this order in one transaction, as for the schema `simplan`. */
  readonly statements: ReadonlyArray<string>
}

const steps: ReadonlyArray<Step> = [
  ...byOrganization.map((table): Step => {
    const beside = table === FIRST ? "none" : `simplan.${FIRST}`
    return {
      does: `places ${table} by organization`,
      table,
      statements: [
        ...(table === "job" ? jobKey : []),
        `select create_distributed_table('simplan.${table}', 'organization_id', colocate_with => '${beside}')`
      ]
    }
  }),
  {
    does: "places iccid by ICCID",
    table: "iccid",
    statements: ["select create_distributed_table('simplan.iccid', 'iccid', colocate_with => 'none')"]
  },
  {
    does: "copies event_handler to each server",
    table: "event_handler",
    statements: ["select create_reference_table('simplan.event_handler')"]
  }
]

/** The tables that are placed. */
export const tables: ReadonlyArray<string> = steps.map(({ table }) => table)

/** As a distributed database has what goes by rows' places or writes from a trigger. */
const functions: Readonly<Record<string, string>> = {
  count_deliveries: EventTables.countingDistributed,
  keep_partition: BookTables.keepingDistributed
}

/** Those that are not so: a migration has made them as a database of one server has them. */
const otherFunctions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: DatabaseSchema) {
  const found = yield* sql<{ readonly name: string; readonly body: string }>`
    select pg_proc.proname::text as name, pg_proc.prosrc as body
    from pg_proc where pg_proc.pronamespace = to_regnamespace(${schema.quoted})`
  const bodies = new Map(found.map(({ body, name }) => [name, body]))
  return Object.entries(functions).filter(
    ([name, definition]) => !schema.text(definition).includes(bodies.get(name) ?? "")
  )
})

/** Makes those as a distributed database has them. */
export const replaceFunctions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: DatabaseSchema) {
  for (const [name, definition] of yield* otherFunctions(sql, schema)) {
    yield* sql.unsafe(schema.text(`create or replace function simplan.${name}${definition}`)).unprepared
  }
})

const refused = (message: string) => new Storage.StorageError({ message })

/** The tables that stay whole on the first server. */
const isWhole = (table: string): boolean => !tables.includes(table)

/**
 * Whether the tables are distributed. Fails if some are, and not as this build has them.
 */
export const check = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  schema: DatabaseSchema,
  all: ReadonlyArray<string>
) {
  const placed = yield* Placement.placed(sql, schema)
  if (placed.size === 0) return false
  const others = (yield* otherFunctions(sql, schema)).map(([name]) => `the function ${name}`)
  const missing = [...tables.filter((table) => !placed.has(table)), ...others]
  if (missing.length > 0) {
    return yield* refused(
      `Some tables of the schema ${schema.name} are distributed, but not ${missing.join(", ")}: run \`simplan migrate --distribute\``
    )
  }
  const strange = all.filter((table) => isWhole(table) && placed.has(table))
  if (strange.length > 0) {
    return yield* refused(
      `The schema ${schema.name} has ${strange.join(", ")} distributed, which must be whole: undo it with undistribute_table`
    )
  }
  return true
})

/** What is left to do. Fails if the database has no other servers. */
export const pending = Effect.fnUntraced(function* (client: SqlClient.SqlClient, schema: DatabaseSchema) {
  const sql = schema.client(client)
  if (!(yield* Placement.hasExtension(sql))) {
    return yield* refused(
      "The database has not the extension Citus, which distributes tables: create extension citus, and add its other servers with citus_add_node"
    )
  }
  const [row] = yield* sql<{ readonly servers: number }>`
    select count(*)::int as servers from pg_dist_node where isactive and noderole = 'primary' and shouldhaveshards`
  if ((row?.servers ?? 0) === 0) {
    return yield* refused("The database has the extension Citus, but no servers for rows: add them with citus_add_node")
  }
  const placed = yield* Placement.placed(sql, schema)
  return steps.filter(({ table }) => !placed.has(table))
})

/** Does it. */
export const run = Effect.fnUntraced(function* (client: SqlClient.SqlClient, schema: DatabaseSchema) {
  const sql = schema.client(client)
  const left = yield* pending(client, schema)
  const run = (statement: string) => sql.unsafe(statement).unprepared
  yield* replaceFunctions(client, schema)
  for (const { statements } of left) {
    // The triggers of deliveries write beside the rows that they are for, on the same server.
    const all = ["set local citus.enable_unsafe_triggers = on", ...statements]
    yield* sql.withTransaction(Effect.forEach(all, run, { discard: true }))
  }
  return left
})
