/**
 * What each read goes over is what `ReadCosts` declares (rule W13). The rows and the entries of
 * indexes are counted that the server has read for it; no time is measured.
 *
 * What has no bound is filled by two shares of its whole. The rows of a read at the whole are those
 * of the larger share, and as many more for each further share as the larger one has more than the
 * smaller one.
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Jobs, Outbox, ReadCosts, Storage } from "simplan/ports"
import { describe, expect } from "vitest"
import { plannerSettings } from "../../../../adapters/postgres/connection/Connections.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as Tests from "../../../setup/Tests.ts"
import { type Adapter, admin, connectOverPool } from "../PostgresWorld.ts"
import * as Filled from "./Filled.ts"
import * as ReadCalls from "./ReadCalls.ts"

const SMALL = 1 / 80
const LARGE = 1 / 40

/**
 * How many times as many rows as declared may be gone over, and at least: an estimate far too high
 * says nothing.
 */
const FACTOR = { most: 1.25, least: 1 / 4 }

/**
 * What is made among other reads goes over at most so many rows, and what is made aside over more
 * than the other number.
 */
const CLASS = { light: 20_100, heavy: 1_000 }

/** Up to so many entries are read to plan a statement: the planner looks at the ends of indexes. */
const PLANNED = 8

/** Reads whose work rows do not show, and why. */
const unseen: Readonly<Record<string, string>> = {
  "overview.database": "it reads what the server keeps of itself",
  "regions.find": "servers since 18 skip in the index, earlier ones go over all of it"
}

/** The rows by table and index. */
type Work = ReadonlyMap<string, number>

const sum = (work: Work): number => [...work.values()].reduce((total, rows) => total + rows, 0)

const counted = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly rows: number }>`
      select relname as name, pg_stat_get_xact_tuples_returned(oid)::float8 as rows from pg_class
      where relnamespace = 'simplan'::regnamespace and relkind in ('r', 'i')`.unprepared,
    (found) => new Map(found.map(({ name, rows }) => [name, rows]))
  )

/** What a call reads, planned for its own parameters or for any. */
const workOf = (sql: SqlClient.SqlClient, call: Effect.Effect<unknown, unknown>, plans: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      for (const [name, value] of Object.entries({ ...plannerSettings, plan_cache_mode: plans })) {
        yield* sql`select set_config(${name}, ${value}, true)`
      }
      const before = yield* counted(sql)
      yield* call
      const after = yield* counted(sql)
      return new Map(
        [...after].flatMap(([name, rows]) => {
          const more = rows - (before.get(name) ?? 0)
          return more > 0 ? [[name, more] as const] : []
        })
      )
    })
  )

/** What each read goes over at most, by its name. */
const measure = (share: number) => (adapter: Adapter) =>
  Effect.gen(function* () {
    const sql = Context.get(adapter, SqlClient.SqlClient)
    const [storage, jobs] = [Context.get(adapter, Storage.Storage), Context.get(adapter, Jobs.Jobs)]
    const calls = ReadCalls.calls({ storage, jobs, outbox: Context.get(adapter, Outbox.Outbox) }, share)
    const most = new Map<string, Work>()
    for (const [group, reads] of Object.entries(calls)) {
      for (const [name, ways] of Object.entries<ReadonlyArray<Effect.Effect<unknown, unknown>>>(reads)) {
        for (const plans of ["force_custom_plan", "force_generic_plan"]) {
          for (const call of ways) {
            const work = yield* workOf(sql, call, plans)
            const known = most.get(`${group}.${name}`)
            if (known === undefined || sum(work) > sum(known)) most.set(`${group}.${name}`, work)
          }
        }
      }
    }
    return most
  })

describe("W13: the rows that reads go over on PostgreSQL", () => {
  const url = Databases.forEachTest()

  Tests.scoped(
    "are those that are declared, and what is declared light does not grow with its tables",
    function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      for (const statement of Filled.bounded) yield* client.unsafe(statement)
      const measured = Effect.fnUntraced(function* (from: number, to: number) {
        for (const statement of Filled.growing(from, to)) yield* client.unsafe(statement)
        yield* client`vacuum analyze`
        return yield* Effect.scoped(Effect.flatMap(connectOverPool(url()), measure(to)))
      })
      const small = yield* measured(0, SMALL)
      const large = yield* measured(SMALL, LARGE)
      const wrong: Array<unknown> = []
      for (const [group, reads] of Object.entries(ReadCosts.costs)) {
        for (const [name, { isHeavy, rows }] of Object.entries<ReadCosts.ReadCost>(reads)) {
          const read = `${group}.${name}`
          const [before, after] = [small.get(read) ?? new Map(), large.get(read) ?? new Map()]
          const more = Math.max(0, sum(after) - sum(before) - PLANNED)
          const whole = sum(after) + (more * (1 - LARGE)) / (LARGE - SMALL)
          const isSeen = unseen[read] === undefined
          const isRight =
            whole <= FACTOR.most * rows + PLANNED &&
            (!isSeen || whole >= FACTOR.least * rows) &&
            (isHeavy ? !isSeen || whole > CLASS.heavy : whole <= CLASS.light)
          if (!isRight) wrong.push({ read, isHeavy, rows, whole, before, after })
        }
      }
      expect(wrong).toEqual([])
    },
    240_000
  )
})
