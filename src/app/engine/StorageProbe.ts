/**
 * Whether the storage serves: it answers, its migrations are done, and it takes writes.
 *
 * Writes are tried at most once a second, by one try at a time, whoever asks. A try waits for a connection behind the
 * commits, so one that is not over yet says nothing: until it has lasted five seconds, the last one counts.
 */
import { Clock as MachineClock, Context, Effect, type Exit, Fiber, Layer } from "effect"
import { SECOND } from "../../domain/Time.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Storage, StorageError } from "../../ports/Storage.ts"

/** Tries the storage. */
export class StorageProbe extends Context.Service<
  StorageProbe,
  {
    /** Succeeds while the storage serves. Waits for a try of a write for half a second at most. */
    readonly check: Effect.Effect<void, StorageError>
  }
>()("simplan/StorageProbe") {}

/** How long the outcome of a try counts, how long one is waited for, and how long it may last, in milliseconds. */
const FRESH = SECOND
const WAIT_LIMIT = 500
const LONGEST = 5 * SECOND

/** The implementation that `Services.layer` provides. It tries nothing until it is asked to. */
export const layer: Layer.Layer<StorageProbe, never, Storage | Clocks.BusinessClock> = Layer.effect(
  StorageProbe,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* Clocks.BusinessClock
    let last: { readonly exit: Exit.Exit<void, StorageError>; readonly at: number } | null = null
    let underWay: { readonly fiber: Fiber.Fiber<void, StorageError>; readonly since: number } | null = null

    // The fiber goes on when who has asked is gone.
    const begin = Effect.gen(function* () {
      const since = yield* Clocks.monotonicNow
      const machineClock = yield* MachineClock.Clock
      const fiber = yield* Effect.forkDetach(Effect.flatMap(clock.now, storage.probe))
      const begun = { fiber, since }
      underWay = begun
      fiber.addObserver((exit) => {
        underWay = null
        last = { exit, at: Clocks.monotonicNowUnsafe(machineClock) }
      })
      return begun
    })

    const write = Effect.gen(function* () {
      const now = yield* Clocks.monotonicNow
      if (last !== null && now - last.at < FRESH) return yield* last.exit
      const { fiber, since } = underWay ?? (yield* begin)
      const exit = yield* Effect.timeoutOption(Fiber.await(fiber), WAIT_LIMIT)
      if (exit._tag === "Some") return yield* exit.value
      if (last === null || (yield* Clocks.monotonicNow) - since >= LONGEST) {
        return yield* new StorageError({ message: "A write to the storage is not answered" })
      }
      return yield* last.exit
    })

    return StorageProbe.of({ check: Effect.andThen(storage.ready, write) })
  })
)
