/**
 * Commands that open the database of the settings themselves, without a server: `simplan migrate`
 * and `simplan secrets reencrypt`.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Postgres from "../../postgres/index.ts"
import { impossible } from "../output/CommandFailed.ts"
import { withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Output from "../output/Output.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Settings from "../settings/Settings.ts"

/** The settings of a server; a `DATABASE_URL` that is not read is named on stderr. */
const settings = Effect.gen(function* () {
  const read = yield* Settings.ofServer
  if (read.ignoresDatabaseUrl) yield* Output.note(`${Settings.IGNORED_DATABASE_URL}.`)
  return read
})

// Loaded by the commands that need it.
const stores = Effect.promise(() => import("../server/Stores.ts"))

const schemaNamed = (name: string) =>
  Effect.mapError(Effect.fromResult(Postgres.DatabaseSchema.parse(name)), (message) => impossible(`--${message}.`))

const shortly = (seconds: number): string => (seconds < 1 ? "< 1 s" : `${Math.ceil(seconds).toLocaleString("en")} s`)

type Step = Postgres.PendingMigration["steps"][number]

const lineOf = ({ blockedSeconds, blocks, bytes, does, rows, seconds, tables, work }: Step): string => {
  const [first] = tables
  const size = `${Math.round(rows).toLocaleString("en")} rows, ${Math.ceil(bytes / 1_000_000).toLocaleString("en")} MB`
  const takes = work === "none" ? [] : [`goes over ${tables.join(" and ")} (${size}) in ${shortly(seconds)}`]
  const blocking = blocks === "nothing" ? [] : [`blocks ${blocks} of ${first} for ${shortly(blockedSeconds)}`]
  return [`  ${does}`, ...takes, ...blocking].join("; ")
}

/** The lines of a migration: its name, and what each step does. */
export const linesOf = ({ name, number, steps }: Postgres.PendingMigration): ReadonlyArray<string> => [
  `${number} ${name.replaceAll("_", " ")}`,
  ...steps.map(lineOf)
]

const BASIS = [
  "Rows and sizes are those of the database's statistics. Times are computed from the rows, at the most that a row took with",
  "1,000,000 SIMs on a busy virtual machine of two cores: yours may be several times as fast or slow. A statement that a lock",
  "keeps for more than 30 s ends in 503."
].join("\n")

const EMBEDDED =
  "An embedded database is one process's alone, which migrates it at its start: its migrations hold up nobody else."

const NOT_EMBEDDED = "An embedded database has one server, and cannot be distributed."

const printPlaced = (steps: ReadonlyArray<Postgres.PlacingStep>) =>
  Output.print(
    steps.length === 0 ? "All tables are placed." : steps.map(({ does }) => does.replaceAll("_", " ")).join("\n")
  )

const printPlan = Effect.fnUntraced(function* (pending: ReadonlyArray<Postgres.PendingMigration>) {
  if (pending.length === 0) return yield* Output.print("The database is up to date.")
  if (pending[0]?.number === 1)
    return yield* Output.print("The database has no tables yet: they are made within seconds.")
  yield* Output.print(pending.flatMap(linesOf).join("\n"))
  yield* Output.note(BASIS)
})

export const migrate = Command.make(
  "migrate",
  {
    plan: Flag.Boolean("plan").pipe(
      Flag.withDescription("Print what the migrations that are left will lock, and for how long, and change nothing"),
      Flag.withDefault(false)
    ),
    distribute: Flag.Boolean("distribute").pipe(
      Flag.withDescription(
        "Place the tables on the servers of a database that Citus distributes; with --plan say what there is to do"
      ),
      Flag.withDefault(false)
    ),
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("Print the migrations as SQL for a tool of your own, and touch no database"),
      Flag.withDefault(false)
    ),
    schema: Flag.String("schema").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription("The schema that the tables are in, instead of that of SIMPLAN_DATABASE_SCHEMA"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ distribute, plan, print, schema }) {
    const named = Option.isSome(schema) ? yield* schemaNamed(schema.value) : undefined
    if (print) {
      const set = named ?? (yield* Settings.schema)
      return yield* Output.print((yield* stores).migrations(set).trimEnd())
    }
    const read = yield* settings
    const { database } = read
    if (database._tag === "Memory") return yield* Output.print("A store in memory has nothing to migrate.")
    const Stores = yield* stores
    // Whoever may only write rows later finds all tables.
    const opened = { ...read, schema: named ?? read.schema, keeps: { books: true, journal: true } }
    if (plan) {
      if (database._tag === "Pglite") return yield* Output.print(EMBEDDED)
      const url = read.databaseDirect ?? database.url
      if (distribute) {
        return yield* Effect.flatMap(Stores.distribute({ ...database, url }, opened.schema, true), printPlaced)
      }
      return yield* Effect.flatMap(Stores.pendingMigrations({ ...database, url }, opened.schema), printPlan)
    }
    if (distribute && database._tag === "Pglite") return yield* impossible(NOT_EMBEDDED)
    // Before it is opened: one that is placed in part is refused there.
    if (distribute && database._tag === "Postgres") {
      const url = read.databaseDirect ?? database.url
      yield* Effect.flatMap(Stores.distribute({ ...database, url }, opened.schema, false), printPlaced)
    }
    yield* Effect.scoped(Stores.open(opened))
    yield* Output.print(`The database at ${withoutPassword(database.url)} is up to date.`)
  })
).pipe(
  Command.withDescription(
    "Bring the database of SIMPLAN_DATABASE_URL up to date, and exit. `serve` does the same at its start, so this is for those who deploy in two steps. With --print it prints what it would run on an empty database, for a migration tool of your own; with --plan what is left to do, what it blocks, and for how long."
  ),
  Command.withShortDescription("Bring the database up to date"),
  Command.withExamples([
    { command: "SIMPLAN_DATABASE_URL=postgres://me@localhost/simplan simplan migrate" },
    { command: "simplan migrate --plan", description: "Before an upgrade of a large database" },
    { command: "simplan migrate --print --schema esim > 0001_simplan.sql" }
  ])
)

const reencrypt = Command.make(
  "reencrypt",
  {},
  Effect.fnUntraced(function* () {
    const { database: set, databaseDirect, schema, secretKeys } = yield* settings
    if (set._tag === "Memory") return yield* Output.print("A store in memory has nothing to encrypt.")
    const database = databaseDirect === null ? set : { _tag: "Postgres" as const, url: databaseDirect }
    if (secretKeys === null) {
      return yield* impossible(`${Definitions.SECRET_KEY} is not set: it has the key to encrypt with.`)
    }
    const Stores = yield* stores
    const changed = yield* Stores.reencrypt(database, schema, secretKeys)
    yield* Output.print(
      `${changed} rows were changed: all secrets are encrypted with the first key of ${Definitions.SECRET_KEY}.`
    )
  })
).pipe(
  Command.withDescription(
    [
      "Encrypt the secrets in the database of SIMPLAN_DATABASE_URL with the first key of SIMPLAN_SECRET_KEY: plain ones, and",
      "those of the old key, which is not needed any more then. Servers may run meanwhile, with the same keys. The command",
      "can be stopped and run again."
    ].join("\n  ")
  ),
  Command.withShortDescription("Encrypt all secrets with the newest key"),
  Command.withExamples([
    {
      command: "SIMPLAN_SECRET_KEY=<new>,<old> simplan secrets reencrypt",
      description: "After all servers have the new key"
    }
  ])
)

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("The secrets in the database"),
  Command.withSubcommands([reencrypt])
)
