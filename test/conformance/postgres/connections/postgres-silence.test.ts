import { Effect, Layer, Redacted, Schedule } from "effect"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { describe, expect } from "vitest"
import * as Database from "../../../faults/Database.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as Tests from "../../../setup/Tests.ts"

describe("A PostgreSQL whose network swallows what it carries", () => {
  const url = Databases.forEachTest()

  Tests.scoped("is spoken to again over new connections", function* () {
    const { proxy, url: through } = yield* Effect.promise(() => Database.through(url()))
    yield* Effect.addFinalizer(() => Effect.promise(proxy.close))
    const context = yield* Layer.build(
      Postgres.layer({ url: Redacted.make(through), maxConnections: 2, waitLimit: "2 seconds" })
    )
    yield* Effect.gen(function* () {
      const storage = yield* Storage.Storage
      const commit = (clock: number) =>
        Effect.retry(storage.commit({ clock }), { schedule: Schedule.spaced("200 millis") })
      yield* Effect.all([commit(1), commit(2), storage.organizations.page({ after: null, limit: 10 })], {
        concurrency: "unbounded"
      })
      proxy.swallow()
      expect(yield* storage.organizations.page({ after: null, limit: 10 })).toEqual([])
      yield* Effect.forEach([3, 4, 5, 6, 7, 8], commit, { concurrency: "unbounded" })
      yield* commit(9)
      expect(yield* storage.virtualClock).toBe(9)
      expect(yield* Effect.exit(storage.ready)).toMatchObject({ _tag: "Success" })
    }).pipe(Effect.provideContext(context))
  })
})
