/**
 * Reads of all organizations where tables are distributed over several servers, some of which may
 * be dead.
 *
 * The extension fails a read of which it cannot reach a server. What is asked next names the
 * organizations whose rows are on servers that answer, and the extension asks those alone: of a
 * dead server nothing is found, and nothing is held up. While one is dead the list is read anew
 * every few seconds.
 */
import { Effect, Semaphore } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { SqlError } from "effect/sql/SqlError"
import type { Storage } from "simplan/ports"
import * as Failure from "../connection/Failure.ts"
import type { Query, Row, Sql } from "./SqlRows.ts"

/** The condition that a table's rows are on servers that answer; empty while all of them do. */
export interface Living {
  (table: string): Fragment
  /** Whether all of them do. */
  readonly areAll: boolean
}

/** What was found when the servers were asked last. */
interface Found {
  readonly at: number
  /** The servers that do not answer. */
  readonly dead: ReadonlyArray<string>
  /** The organizations of the others. */
  readonly organizationIds: ReadonlyArray<string>
}

/** How long a list counts, in milliseconds. */
const FRESH = 5_000

type Rows = <A>(query: Query<A>) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>

/** A read of all organizations. */
export type QueryOfAll<A> = (sql: Sql, living: Living) => ReturnType<Query<A>>

export interface LivingServers {
  /**
   * All rows of a read of all organizations. Where a server with rows does not answer, those of the
   * others. Fails if what is asked for is of one organization, whose server does not answer.
   */
  readonly rowsOfAll: <A>(
    query: QueryOfAll<A>,
    organizationId?: string | null
  ) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  /** The servers with rows that do not answer, such as `10.0.0.2:5432`. */
  readonly dead: Effect.Effect<ReadonlyArray<string>, Storage.StorageError>
}

/** Of which all servers answer. */
export const everywhere = (sql: Sql): Living => {
  const nothing = sql.literal("")
  return Object.assign(() => nothing, { areAll: true })
}

// The extension finds the servers of organizations that it is given as a list of texts.
const within = (sql: Sql, { organizationIds }: Found): Living =>
  Object.assign((table: string) => sql`and ${sql.literal(table)}.organization_id = any(${organizationIds}::text[])`, {
    areAll: false
  })

/** Those of a database that has one server. */
export const one = (rows: Rows): LivingServers => ({
  rowsOfAll: (query) => rows((sql) => query(sql, everywhere(sql))),
  dead: Effect.succeed([])
})

const isUnreached = ({ cause }: Storage.StorageError): boolean =>
  cause instanceof SqlError && Failure.isServerUnreached(cause)

interface Shard {
  readonly server: string
  readonly answers: boolean
  /** Of the organizations on it; null if it has none. */
  readonly organizationIds: ReadonlyArray<string> | null
}

/** Logs what has changed. */
const logged = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Effect.Effect<void> =>
  before.join() === after.join()
    ? Effect.void
    : after.length === 0
      ? Effect.logInfo("all servers of the database answer again")
      : Effect.logWarning("servers of the database do not answer: the organizations on them are not served", {
          servers: after
        })

/** Those of a database that the extension distributes. */
export const make = (rows: Rows): LivingServers => {
  const turn = Semaphore.makeUnsafe(1)
  let last: Found | null = null

  const ask = Effect.map(
    rows(
      (sql) => sql<Row<Shard>>`
        select json_build_object(
          'server', pg_dist_node.nodename || ':' || pg_dist_node.nodeport, 'answers', asked.success,
          'organizationIds', case when asked.success then nullif(asked.result, '')::json end
        )::text as value
        from run_command_on_shards('simplan.organization', 'select json_agg(organization_id) from %s') asked
        join pg_dist_placement on pg_dist_placement.shardid = asked.shardid
        join pg_dist_node on pg_dist_node.groupid = pg_dist_placement.groupid and pg_dist_node.noderole = 'primary'`
    ),
    (shards): Found => ({
      at: performance.now(),
      dead: [...new Set(shards.filter(({ answers }) => !answers).map(({ server }) => server))].toSorted(),
      organizationIds: shards.flatMap(({ organizationIds }) => organizationIds ?? [])
    })
  )

  const isFresh = (found: Found | null): found is Found => found !== null && performance.now() - found.at < FRESH

  /** The list, which one asks for and the others wait for. */
  const asked = turn.withPermit(
    Effect.suspend(() =>
      isFresh(last)
        ? Effect.succeed(last)
        : Effect.tap(ask, (found) => {
            const known = last?.dead ?? []
            last = found.dead.length > 0 ? found : null
            return logged(known, found.dead)
          })
    )
  )

  const rowsOfAll: LivingServers["rowsOfAll"] = (query, organizationId = null) => {
    const whole = rows((sql: Sql) => query(sql, everywhere(sql)))
    const isNarrowed = (found: Found): boolean =>
      found.dead.length > 0 && (organizationId === null || found.organizationIds.includes(organizationId))
    const ofLiving = Effect.flatMap(asked, (found) =>
      isNarrowed(found) ? rows((sql: Sql) => query(sql, within(sql, found))) : whole
    )
    return Effect.suspend(() => (last === null ? Effect.catchIf(whole, isUnreached, () => ofLiving) : ofLiving))
  }

  return {
    rowsOfAll,
    dead: Effect.andThen(
      rowsOfAll(
        (sql, living) => sql<Row<number>>`
        select to_json(count(*))::text as value from simplan.organization where true ${living("organization")}`
      ),
      Effect.sync(() => last?.dead ?? [])
    )
  }
}
