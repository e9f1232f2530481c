/**
 * The processes that share the storage. Each writes every half a minute what it is and what it has
 * under way, and at once if it begins to run more; as it stops, it takes its leave. So operators
 * see which versions run, and where.
 *
 * Nothing goes by it: who holds work is decided by leases alone.
 */
import { Clock as MachineClock, Context, Effect, Latch, Layer, type Scope } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as Rules from "../../domain/Process.ts"
import { SECOND } from "../../domain/Time.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import * as Leases from "../jobs/Leases.ts"
import * as Rates from "../Rates.ts"

/** What a process does not know of itself, and its host says. */
export interface Description {
  /** The version of its build. */
  readonly version: string | null
  /** The name of its machine. */
  readonly host: string | null
}

/** What the host says of this process; nothing by default. */
export const Described = Context.Reference<Description>("simplan/Processes/Described", {
  defaultValue: () => ({ version: null, host: null })
})

/** Shows the processes that share the storage, and this one to them. */
export class Processes extends Context.Service<
  Processes,
  {
    /** The id of this process. */
    readonly processId: string
    /** This process runs these as well, until the scope ends. */
    readonly runs: (what: ReadonlyArray<string>) => Effect.Effect<void, never, Scope.Scope>
    /** This process as it is now, and the others as they last said; by when they started. */
    readonly list: Effect.Effect<ReadonlyArray<Rules.Process>, StorageError>
    /** Says what this process is, for ever; it is forgotten when that is interrupted. */
    readonly beating: Effect.Effect<never>
  }
>()("simplan/Processes") {}

const ID_BYTES = 16

/** How long a process that stops waits for the storage to forget it, in milliseconds. */
const LEAVE = SECOND

/** The implementation that `Services.layer` provides. It writes nothing until `beating` runs. */
export const layer: Layer.Layer<Processes, never, Storage | Ids | Leases.Leases> = Layer.effect(
  Processes,
  Effect.gen(function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    const leases = yield* Leases.Leases
    const described = yield* Described
    const machineNow = Effect.zipWith(
      MachineClock.currentTimeMillis,
      storage.clockOffset,
      (now, offset) => now + offset
    )
    const startedAt = yield* machineNow
    // Not of the organizations' ids: machine time, which they would be counted by, differs between
    // storages.
    const processId = Hex.encode(yield* ids.bytes(ID_BYTES))
    const running = new Set<ReadonlyArray<string>>()
    const changed = Latch.makeUnsafe(false)

    const current = Effect.gen(function* () {
      const held = yield* leases.held
      const heldJobs = held.filter(({ _tag }) => _tag === "Job").length
      return {
        ...described,
        processId,
        runs: [...new Set([...running].flat())].toSorted(),
        startedAt,
        beatAt: yield* machineNow,
        heldJobs,
        heldDeliveries: held.length - heldJobs,
        rates: yield* Rates.read
      }
    })

    const beat = Effect.gen(function* () {
      changed.closeUnsafe()
      const process = yield* current
      yield* storage.keepProcess({ process, silentSince: process.beatAt - Rules.SILENCE })
    })

    return Processes.of({
      processId,
      runs: (what) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const own = [...what]
            running.add(own)
            changed.openUnsafe()
            return own
          }),
          (own) => Effect.sync(() => running.delete(own))
        ),
      list: Effect.gen(function* () {
        const own = yield* current
        const all = yield* storage.processes.list({ since: own.beatAt - Rules.SILENCE })
        return Rules.shown([own, ...all.filter((one) => one.processId !== processId)])
      }),
      // Failure: the next beat writes it; a process that leaves without a word is silent, and not
      // listed for long.
      beating: Effect.ignore(beat).pipe(
        Effect.andThen(Effect.timeoutOption(changed.await, Rules.BEAT)),
        Effect.forever,
        Effect.ensuring(Effect.ignore(Effect.timeoutOption(storage.forgetProcess(processId), LEAVE)))
      )
    })
  })
)

/** Says what this process is for as long as the scope is open. */
export const background: Layer.Layer<never, never, Processes> = Layer.effectDiscard(
  Effect.flatMap(Processes, ({ beating }) => Effect.forkScoped(beating))
)
