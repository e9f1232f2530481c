/**
 * Recorded runs of simulated services, on memory or on a database that is emptied before each run.
 */
import { type Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Provided } from "simplan/postgres"
import { type Commands, History, Invariants, Simulation } from "simplan/testing"

/** A small inventory, so that SIMs run out and are recycled. */
export const inventory = { esims: { Green: 4, Aqua: 1 }, physicalSims: 1 } as const

/** Two handlers of events, of which each is given what the other one is not. */
export const handlers = [
  { name: "packages", types: ["package.created", "attachment.activated"] },
  { name: "pauses", types: ["subscription.paused", "attachment.expired"] }
]

/** Runs the commands on a new service and returns their history. */
export const recorded = (
  seed: number,
  commands: ReadonlyArray<Commands.Command>,
  options: Simulation.Options = {}
): Promise<History.History> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Simulation.make({ seed, ...inventory, ...options }), (simulated) =>
        History.record(simulated, commands)
      )
    )
  )

const describe = (history: History.History): string =>
  history.steps
    .map(({ asked, began, outcome }, index) => {
      const when = new Date(began).toISOString()
      return `${index}. ${when} ${JSON.stringify(asked)} => ${JSON.stringify(outcome)}`
    })
    .join("\n")

/** Throws the invariants that the history breaks, with the steps that led there. */
export const mustHold = (history: History.History, invariants = Invariants.all): void => {
  const violations = Invariants.check(history, invariants)
  if (violations.length === 0) return
  const found = violations.map(({ invariant, message, step }) => `after step ${step}: ${invariant}: ${message}`)
  throw new Error(`${found.join("\n")}\nThe seed was ${history.seed}, the steps\n${describe(history)}`)
}

/** A storage on one database, which is emptied before each run. */
export const emptied = (context: Context.Context<Provided>): Effect.Effect<Simulation.StorageLayer> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly names: string }>`
      select string_agg(format('%I.%I', schemaname, tablename), ', ') as names
      from pg_tables where schemaname = 'simplan' and tablename <> 'migration'`
    yield* sql.unsafe(`truncate ${rows[0]?.names ?? ""} restart identity cascade`)
    return Layer.succeedContext(context)
  }).pipe(Effect.provideContext(context), Effect.orDie)
