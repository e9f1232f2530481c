/**
 * Compares another storage with the one in memory: the same commands must give the same history on
 * both.
 *
 * Faults that take machine time are left out, because databases run on the real machine, where
 * time-outs are not exact.
 */
import { type Context, Effect, type Layer, ManagedRuntime } from "effect"
import type * as Postgres from "simplan/postgres"
import { afterAll, beforeAll, expect } from "vitest"
import { Commands, type History } from "../../src/testing/index.ts"
import { emptied, mustHold, recorded } from "./Histories.ts"

const isQuick = (command: Commands.Command): boolean => command._tag !== "Fault" || command.fault !== "slow"

/** Runs that take a database about a second. */
export const runs = Commands.runs({ ...Commands.modest, occurrences: 8, advance: 40 * 86_400_000, commands: 16 }).map(
  (commands) => commands.filter(isQuick)
)

/**
 * Builds the storage once; call it in a `describe`. The function it returns compares one run on it
 * with memory.
 */
export const comparing = (storage: () => Layer.Layer<Postgres.Provided, unknown>) => {
  let runtime: ManagedRuntime.ManagedRuntime<Postgres.Provided, unknown> | undefined
  let context: Context.Context<Postgres.Provided> | undefined
  beforeAll(async () => {
    runtime = ManagedRuntime.make(storage())
    context = await runtime.context()
  })
  afterAll(() => runtime?.dispose())

  return async (seed: number, commands: ReadonlyArray<Commands.Command>): Promise<void> => {
    if (context === undefined) throw new Error("the storage is there only while the tests run")
    const inMemory: History.History = await recorded(seed, commands)
    const stored = await recorded(seed, commands, { storage: await Effect.runPromise(emptied(context)) })
    mustHold(stored)
    expect(stored).toEqual(inMemory)
  }
}
