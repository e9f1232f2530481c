/**
 * A database that a version of before has distributed. This build's migrations are done to it as to
 * one of one server; what they add is placed by the command, and the service does not start before.
 */
import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { expect } from "vitest"
import * as Distribution from "../../adapters/postgres/migrations/Distribution.ts"
import * as Migrations from "../../adapters/postgres/migrations/Migrations.ts"
import * as Step from "../../adapters/postgres/migrations/Step.ts"
import { admin } from "../conformance/postgres/PostgresWorld.ts"
import * as Tests from "../setup/Tests.ts"
import * as Citus from "./Citus.ts"

/** How many migrations the version of before has had. */
const BEFORE = Migrations.all.findIndex(({ name }) => name === "changed_fields")

const steps = Migrations.numbered(Migrations.all).map((one) => one.steps)
const later = steps.slice(BEFORE).flat()

/** What later migrations add. */
const added = new Set(later.flatMap((step) => (step._tag === "Table" ? [step.name] : [])))

const ORGANIZATIONS = 20

Tests.scoped(
  "migrations are done where the tables are distributed, and what they add is placed by the command",
  function* () {
    const name = `citus_${randomBytes(6).toString("hex")}`
    const { url } = Citus
    const client = yield* admin(Citus.options.url)
    yield* Effect.addFinalizer(() => Effect.orDie(Citus.drop(name)))
    const schema = Postgres.DatabaseSchema.make(name)
    const sql = schema.client(client)
    const start = Effect.scoped(
      Layer.build(Layer.fresh(Postgres.layer({ url, schema: name, maxConnections: 2 }))).pipe(
        Effect.flatMap((adapter) =>
          Effect.provide(
            Effect.flatMap(Storage.Storage, (storage) => storage.organizations.page({ after: null, limit: 100 })),
            adapter
          )
        )
      )
    )
    yield* Migrations.run(client, schema, Migrations.all.slice(0, BEFORE))
    yield* Distribution.replaceFunctions(client, schema)
    const placed = (yield* Distribution.pending(client, schema)).filter(({ table }) => !added.has(table))
    for (const statement of placed.flatMap(({ statements }) => statements)) {
      const all = ["set local citus.enable_unsafe_triggers = on", statement]
      yield* sql.withTransaction(Effect.forEach(all, (one) => sql.unsafe(one).unprepared))
    }
    for (let number = 1; number <= ORGANIZATIONS; number++) {
      yield* sql`
        insert into simplan.organization (organization_id, name, created_at)
        values (${`organization-${number}`}, ${`Shop ${number}`}, ${number})`
    }
    const refused = yield* Effect.flip(start)
    expect(refused.message).toBe(
      `Some tables of the schema ${name} are distributed, but not ${[...added].join(", ")}: run \`simplan migrate --distribute\``
    )
    expect(yield* Migrations.newestIn(sql, schema)).toBe(Migrations.latest)
    const done = yield* Postgres.distribute({ url, schema: name }, { isDry: false })
    expect(done.map(({ table }) => table)).toEqual([...added])
    expect(yield* Postgres.distribute({ url, schema: name }, { isDry: false })).toEqual([])
    const page = yield* start
    expect(page.map((one) => one.name)).toEqual(Array.from({ length: ORGANIZATIONS }, (_, at) => `Shop ${at + 1}`))
    // Each index of the migrations is on the parts of its table.
    const contents = Step.contents(steps.flat())
    for (const index of later) {
      if (index._tag !== "Index" || !contents.includes(index.name)) continue
      const parts = yield* sql<{ readonly isThere: string }>`
        select result as "isThere" from run_command_on_shards(${`${name}.${index.table}`}::text::regclass,
          ${`select count(*) from pg_index join pg_class on pg_class.oid = indexrelid
             where indrelid = '%s'::regclass and indisvalid and relname like '${index.name.slice(0, 40)}%%'`})`
      expect([index.name, ...new Set(parts.map(({ isThere }) => isThere))]).toEqual([index.name, "1"])
    }
  },
  600_000
)
