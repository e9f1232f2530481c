/**
 * Random commands and faults: every invariant holds, and the same seed and commands give the same
 * history.
 */
import { Context, Effect, Exit, Scope } from "effect"
import * as fc from "fast-check"
import { Organizations } from "simplan"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Simulation from "../../adapters/simulation/Simulation.ts"
import { Arbitraries, Commands, History, Invariants } from "../../src/testing/index.ts"
import { handlers, inventory, mustHold, recorded } from "./Histories.ts"

/** A fixed set of runs; `npm run test:deep` draws new ones. */
const SEED = 1

const starts = fc.oneof(Arbitraries.instants, Arbitraries.monthEnds)

describe("Any run of a service", () => {
  it("keeps every invariant", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), starts, Commands.runs(), async (seed, start, commands) =>
        mustHold(await recorded(seed, commands, { start }))
      ),
      { numRuns: 60, seed: SEED }
    )
  }, 300_000)

  it("waits for no machine's clock while it has handlers of events (rule E2)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), starts, Commands.runs(), async (seed, start, commands) =>
        mustHold(await recorded(seed, commands, { start, handlers }))
      ),
      { numRuns: 20, seed: SEED + 2 }
    )
  }, 300_000)

  it("notifies everything that happens to subscriptions and attachments, once and in order (rule E1)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), starts, Commands.runs(), async (seed, start, commands) =>
        mustHold(await recorded(seed, commands, { start, lifecycle: true }), [
          ...Invariants.all,
          ...Invariants.lifecycle
        ])
      ),
      { numRuns: 25, seed: SEED + 1 }
    )
  }, 300_000)

  it("keeps every invariant as a model run of fast-check", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        Commands.modelRun(() => {}, { ...Commands.modest, commands: 12 }),
        async (seed, commands) => {
          const scope = Scope.makeUnsafe()
          const simulated = await Effect.runPromise(Scope.provide(Simulation.make({ seed, ...inventory }), scope))
          const setup = () => ({ model: { ran: [] }, real: Commands.begin(simulated) })
          await fc.asyncModelRun(setup, commands)
          await Effect.runPromise(Scope.close(scope, Exit.void))
        }
      ),
      { numRuns: 25, seed: SEED }
    )
  }, 300_000)
})

describe("A process that is killed at a commit", () => {
  it("stands still although that commit fails, so that whoever waits for it goes on", async () => {
    let fails = false
    const around: NonNullable<Simulation.Options["around"]> = (ports) => {
      const storage = Context.get(ports, Storage.Storage)
      const conflict = Effect.fail(new Storage.Conflict({ on: "version" }))
      const commit = (written: Storage.Commit) => Effect.suspend(() => (fails ? conflict : storage.commit(written)))
      return Context.add(ports, Storage.Storage, { ...storage, commit })
    }
    const outcome = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const simulated = yield* Simulation.make({ seed: 1, ...inventory, around })
          yield* simulated.kill({ commits: 1, when: "after" })
          fails = true
          const asked = simulated.use(Organizations.Organizations.use((of) => of.create({ name: "Third Travel" })))
          return yield* Effect.raceFirst(Effect.as(asked, "answered"), Effect.as(simulated.killed, "killed"))
        })
      )
    )
    expect(outcome).toBe("killed")
  })
})

describe("The same seed and commands", () => {
  it("give the same history, byte for byte, and it survives JSON", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), Commands.runs(), async (seed, commands) => {
        const [once, again] = [await recorded(seed, commands), await recorded(seed, commands)]
        expect(History.toJson(again)).toBe(History.toJson(once))
        const parsed: History.History = JSON.parse(History.toJson(once))
        expect(Invariants.check(parsed)).toEqual([])
      }),
      { numRuns: 20, seed: SEED }
    )
  }, 300_000)

  it("give other ids with another seed", async () => {
    const [commands = []] = fc.sample(Commands.runs(), { seed: 1, numRuns: 1 })
    const [one, other] = [await recorded(1, commands), await recorded(2, commands)]
    expect(History.toJson(one)).not.toBe(History.toJson(other))
  })
})
