/** The storage's suite where the tables are distributed. */
import { Effect, Layer } from "effect"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { StorageSuite } from "simplan/testing"
import { afterAll, describe, it } from "vitest"
import * as Citus from "./Citus.ts"

const layer = Layer.unwrap(
  Effect.map(Citus.placed, ({ schema }) => Postgres.layer({ url: Citus.url, schema, maxConnections: 4 }))
)

const { runs, seed } = Citus.options

StorageSuite.run(
  "PostgreSQL that Citus distributes",
  layer,
  { describe, it, afterAll },
  { reference: Memory.layer, runs, seed, shrinkFor: 0 }
)
