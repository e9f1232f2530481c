/**
 * The storage on tables that are partitioned by organization, as an operator may have them (see the README of `adapters/cli`).
 */
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { StorageSuite } from "simplan/testing"
import { expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { connect } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const tables = [
  ...["plan", "webhook_endpoint", "sim", "subscription", "attachment", "package"],
  ...["smdp_entry", "idempotency", "event", "delivery", "delivery_attempt", "command"]
]

const partition = (table: string): ReadonlyArray<string> => [
  `alter table simplan.${table} rename to ${table}_whole`,
  `create table simplan.${table} (like simplan.${table}_whole including defaults including identity including indexes)
    partition by hash (organization_id)`,
  ...[0, 1, 2, 3].map(
    (part) =>
      `create table simplan.${table}_${part} partition of simplan.${table}
        for values with (modulus 4, remainder ${part})`
  ),
  `drop table simplan.${table}_whole`
]

Tests.scoped(
  "the storage's suite passes on partitioned tables",
  function* () {
    const adapter = yield* connect(url(), 2)
    const sql = yield* Effect.provide(SqlClient.SqlClient, adapter)
    for (const statement of tables.flatMap(partition)) yield* sql.unsafe(statement).unprepared
    const failed: Array<string> = []
    for (const { effect, name } of StorageSuite.cases()) {
      if (Exit.isFailure(yield* Effect.exit(Effect.provide(effect, adapter)))) failed.push(name)
    }
    expect(failed).toEqual([])
  },
  120_000
)
