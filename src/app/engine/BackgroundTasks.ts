/**
 * Work under way in this process: its leases, and fibers that go on when the request that began them is gone.
 *
 * Closing the layer's scope waits for this work for a while, then interrupts the rest and hands back its leases, so that
 * another process takes over at once what this one has not done.
 */
import { Context, Effect, type Fiber, FiberSet, Layer, Scope } from "effect"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import type { Lease } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"
import { Leases } from "./Leases.ts"

export class BackgroundTasks extends Context.Service<
  BackgroundTasks,
  {
    /** A lease that begins now, with a token of its own. */
    readonly lease: Effect.Effect<Lease>
    /** Runs to its end whatever becomes of the caller, and hands back its fiber's outcome. */
    readonly begin: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>
  }
>()("simplan/BackgroundTasks") {}

/** How long interrupted work may take to end, and how long handing back may take, in milliseconds. */
const PATIENCE = 500

export const layer: Layer.Layer<BackgroundTasks, never, Ids | Leases> = Layer.effect(
  BackgroundTasks,
  Effect.gen(function* () {
    const ids = yield* Ids
    const leases = yield* Leases
    const { drainMillis, leaseMillis } = yield* Settings
    // In a scope of its own, which nobody closes: closing it would wait for what cannot be interrupted.
    const fibers = yield* Effect.provideService(FiberSet.make(), Scope.Scope, Scope.makeUnsafe())

    // A fiber that goes on in spite of its interruption changes nothing: its lease is gone.
    const handBack = Effect.gen(function* () {
      const held = yield* leases.held
      for (const fiber of fibers) fiber.interruptUnsafe()
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), PATIENCE)
      yield* Effect.timeoutOption(leases.handBack(held), PATIENCE)
    })
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(fibers), drainMillis).pipe(Effect.andThen(handBack), Effect.ignore)
    )

    return BackgroundTasks.of({
      begin: (effect) =>
        Effect.withFiber((caller) => {
          const fiber = Effect.runForkWith(caller.context)(effect)
          FiberSet.addUnsafe(fibers, fiber)
          return Effect.succeed(fiber)
        }),
      lease: Effect.zipWith(ids.token, MonotonicTime.now, (token, now) => ({
        token,
        until: now + leaseMillis
      }))
    })
  })
)
