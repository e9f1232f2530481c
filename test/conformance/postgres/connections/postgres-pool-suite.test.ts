import { Effect, Layer } from "effect"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../../../src/testing/StorageSuite.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { poolOf } from "../PostgresWorld.ts"

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* Databases.scoped()
    const pool = yield* poolOf({ connectionString: url, max: 4 })
    return Postgres.layer({ pool, schema: "esim" })
  })
)

StorageSuite.run(
  "PostgreSQL over a pool of pg",
  layer,
  { describe, it, afterAll },
  { reference: Memory.layer, runs: 3 }
)
