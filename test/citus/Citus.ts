/**
 * The database that was named, with tables in a schema of their own that are placed on its servers
 * by the command's own code.
 */
import { randomBytes } from "node:crypto"
import { Effect, Redacted, Schema } from "effect"
import * as Postgres from "simplan/postgres"
import { admin } from "../conformance/postgres/PostgresWorld.ts"

const Options = Schema.fromJsonString(
  Schema.Struct({
    url: Schema.String,
    runs: Schema.Number,
    seed: Schema.Number,
    stop: Schema.String,
    start: Schema.String
  })
)

/** What `run.mjs` was given. */
export const options = Schema.decodeUnknownSync(Options)(process.env["CITUS"])

/** The address of the coordinator. */
export const url = Redacted.make(options.url)

const make = Effect.gen(function* () {
  const schema = `citus_${randomBytes(6).toString("hex")}`
  const steps = yield* Postgres.distribute({ url, schema }, { isDry: false })
  return { schema, steps }
})

/** The name of a schema whose tables are placed. */
export const place = make

/** Drops the schema. */
export const drop = (schema: string) =>
  Effect.scoped(Effect.flatMap(admin(options.url), (sql) => sql.unsafe(`drop schema ${schema} cascade`).unprepared))

/** The same as `place`; it is dropped with the scope. */
export const placed = Effect.acquireRelease(make, ({ schema }) => Effect.orDie(drop(schema)))
