import { Effect, Layer, Redacted } from "effect"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"
import * as Databases from "../setup/databases/Databases.ts"

const layer = Layer.unwrap(
  Effect.map(Databases.scoped(), ({ url }) => Postgres.layer({ url: Redacted.make(url), maxConnections: 4 }))
)

StorageSuite.run("PostgreSQL", layer, { describe, it, afterAll }, { reference: Memory.layer, runs: 1, seed: 5 })
