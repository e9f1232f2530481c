/**
 * The same commands on memory and on a PostgreSQL server give the same history: a fixed set of
 * runs.
 */
import { Effect, Layer, Redacted } from "effect"
import * as fc from "fast-check"
import * as Postgres from "simplan/postgres"
import { describe, it } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import { comparing, runs } from "./Comparing.ts"

const layer = Layer.unwrap(
  Effect.map(Databases.scoped(), ({ url }) => Postgres.layer({ url: Redacted.make(url), maxConnections: 4 }))
)

const corpus = Array.from({ length: 10 }, (_, index) => index + 1)

describe("PostgreSQL", () => {
  const compare = comparing(() => layer)

  it.each(corpus)("has the same history as memory for run %i", async (seed) => {
    const [commands = []] = fc.sample(runs, { seed, numRuns: 1 })
    await compare(seed, commands)
  })
})
