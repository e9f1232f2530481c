/** The storage suite through poolers in transaction mode, with a direct address beside them. */
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as PgBouncer from "./PgBouncer.ts"

const pooled = (build: PgBouncer.Build) =>
  Effect.gen(function* () {
    const { url } = yield* Databases.scoped()
    const bouncer = yield* PgBouncer.scoped(url, ["pool_mode = transaction", "default_pool_size = 3"], build)
    return { direct: Redacted.make(url), url: bouncer.url }
  })

for (const build of PgBouncer.builds) {
  const layer = Layer.unwrap(
    Effect.map(pooled(build), ({ direct, url }) =>
      Postgres.layer({ url: Redacted.make(url), directUrl: direct, maxConnections: 4 })
    )
  )
  StorageSuite.run(
    `PostgreSQL through PgBouncer ${build.version}`,
    layer,
    { describe, it, afterAll },
    { reference: Memory.layer }
  )

  const overPool = Layer.unwrap(
    Effect.gen(function* () {
      const { direct, url } = yield* pooled(build)
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 4 })),
        (opened) => Effect.promise(() => opened.end())
      )
      return Postgres.layer({ pool, directUrl: direct, schema: "esim" })
    })
  )
  StorageSuite.run(
    `PostgreSQL over a pool of pg through PgBouncer ${build.version}`,
    overPool,
    { describe, it, afterAll },
    { reference: Memory.layer }
  )
}
