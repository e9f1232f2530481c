/**
 * Work under way in this process: leases for it, and fibers that go on when the request that began them is gone.
 *
 * Closing the layer's scope waits for what was begun, so that stopping a process drains it.
 */
import { Context, Clock as MachineClock, Effect, Fiber, FiberSet, Latch, Layer } from "effect"
import type { Lease } from "../ports/Storage.ts"
import { Ids } from "./Ids.ts"
import { Settings } from "./Settings.ts"

export class Work extends Context.Service<
  Work,
  {
    /** A lease that begins now, with a token of its own. */
    readonly lease: Effect.Effect<Lease>
    /** Runs to its end whatever becomes of the caller, and hands back its fiber's outcome. */
    readonly begin: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>
    /**
     * Claims work and does it; how much there was. Once claimed it is done to its end, also when the caller is
     * interrupted meanwhile.
     */
    readonly claimAndDo: <A, E, E2>(
      claim: Effect.Effect<ReadonlyArray<A>, E>,
      perform: (claimed: ReadonlyArray<A>) => Effect.Effect<void, E2>
    ) => Effect.Effect<number, E | E2>
    /** Announces that there may be work. */
    readonly wake: Effect.Effect<void>
    /** A latch that each announcement opens; whoever waits on it closes it before it looks for work. */
    readonly announcements: Effect.Effect<Latch.Latch>
  }
>()("simplan/Work") {}

/** Whether the running fiber was begun here, so that no caller's end can interrupt it. */
const IsBegun = Context.Reference<boolean>("simplan/Work/IsBegun", { defaultValue: () => false })

export const layer: Layer.Layer<Work, never, Ids> = Layer.effect(
  Work,
  Effect.gen(function* () {
    const ids = yield* Ids
    const { leaseMillis } = yield* Settings
    const fibers = yield* FiberSet.make()
    yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(fibers))
    const latches: Array<Latch.Latch> = []

    const begin = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.uninterruptible(
        Effect.tap(Effect.forkDetach(Effect.interruptible(Effect.provideService(effect, IsBegun, true))), (fiber) =>
          FiberSet.add(fibers, fiber)
        )
      )

    return Work.of({
      begin,
      claimAndDo: (claim, perform) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const claimed = yield* claim
            if (claimed.length === 0) return 0
            if (yield* IsBegun) yield* restore(perform(claimed))
            else yield* restore(Fiber.join(yield* begin(perform(claimed))))
            return claimed.length
          })
        ),
      lease: Effect.gen(function* () {
        const now = yield* MachineClock.currentTimeMillis
        return { token: yield* ids.token, until: now + leaseMillis }
      }),
      wake: Effect.sync(() => {
        for (const latch of latches) latch.openUnsafe()
      }),
      announcements: Effect.sync(() => {
        const latch = Latch.makeUnsafe(true)
        latches.push(latch)
        return latch
      })
    })
  })
)
