import { Effect, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Changes, type Storage } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, connect, jobDue, on } from "./PostgresWorld.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const apiKey = (id: number) =>
  Values.apiKey({ organizationId: "org", apiKeyId: `key-${id}`, name: "", hash: `hash-${id}`, hint: "", createdAt: 0 })

const job = (dueAt: number) => ({ ...jobDue(dueAt), organizationId: "org" })

interface Listener {
  /** What was notified since this was last asked, and how often. */
  readonly received: () => { readonly changes: Changes.Changes; readonly times: number }
  /** Ends when something is notified that is so, however long it takes. */
  readonly until: (isSo: (changes: Changes.Changes) => boolean) => Effect.Effect<void>
}

const listenTo = (adapter: Adapter): Effect.Effect<Listener, never, Scope.Scope> =>
  Effect.gen(function* () {
    let changes = Changes.nothing
    let times = 0
    const scope = yield* Effect.scope
    yield* on(adapter, (storage) =>
      Effect.provideService(
        storage.watch((published) => {
          changes = Changes.and(changes, published)
          times += 1
        }),
        Scope.Scope,
        scope
      )
    )
    return {
      received: () => {
        const seen = { changes, times }
        changes = Changes.nothing
        times = 0
        return seen
      },
      until: (isSo) =>
        Effect.gen(function* () {
          while (!isSo(changes)) yield* Effect.sleep(5)
        })
    }
  })

const isAnything = (changes: Changes.Changes) => changes.jobsDueAt === Number.NEGATIVE_INFINITY

const commit = (adapter: Adapter, written: Storage.Commit) => on(adapter, (storage) => storage.commit(written))

describe("Changes on PostgreSQL", () => {
  const url = Databases.forEachTest()

  Tests.scoped("are notified to the other processes, merged, and still after all connections were cut", function* () {
    const [one, other] = yield* Effect.all([connect(url()), connect(url())])
    const listener = yield* listenTo(other)
    const speaker = yield* listenTo(one)
    // They come up in the background.
    for (let id = 2_000; !listener.received().changes.apiKeys; id++) {
      yield* commit(one, { apiKeys: [apiKey(id)] })
      yield* Effect.sleep(50)
    }
    yield* commit(one, { jobs: { put: [{ job: job(900), lease: null }] } })
    yield* listener.until(({ jobsDueAt }) => jobsDueAt === 900)
    listener.received()

    yield* commit(one, { jobs: { put: [{ job: job(700), lease: null }] } })
    yield* listener.until(({ jobsDueAt }) => jobsDueAt === 700)
    expect(listener.received().changes).toEqual({ ...Changes.nothing, jobsDueAt: 700 })

    const put = Array.from({ length: 300 }, (_, index) => commit(one, { apiKeys: [apiKey(index)] }))
    yield* Effect.all(put, { concurrency: "unbounded" })
    yield* commit(one, { jobs: { put: [{ job: job(500), lease: null }] } })
    yield* listener.until(({ jobsDueAt }) => jobsDueAt === 500)
    const { changes, times } = listener.received()
    expect(changes).toEqual({ ...Changes.nothing, apiKeys: true, jobsDueAt: 500 })
    // Merged: fewer than there were commits.
    expect(times).toBeLessThan(300)

    const admin = yield* Effect.provide(SqlClient.SqlClient, one)
    yield* Effect.ignore(
      admin`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
    )
    yield* Effect.all([listener.until(isAnything), speaker.until(isAnything)])
    listener.received()
    yield* Effect.retry(commit(one, { apiKeys: [apiKey(1_000)] }), { times: 3 })
    yield* listener.until(({ apiKeys }) => apiKeys)
  })
})
