/**
 * Work under way in this process: leases for it, and fibers that go on when the request that began them is gone.
 *
 * Closing the layer's scope waits a while for what was begun, then interrupts the rest and hands back the leases, so
 * that another process takes over at once what a stopped one has not done.
 */
import { Context, Clock as MachineClock, Effect, Fiber, FiberSet, Layer, Scope } from "effect"
import type { Changes } from "../../ports/Changes.ts"
import type { Lease } from "../../ports/Storage.ts"
import * as WakeUps from "./WakeUps.ts"
import { Ids } from "../commit/Ids.ts"
import { Leases } from "./Leases.ts"
import { Settings } from "../Settings.ts"

export class BackgroundTasks extends Context.Service<
  BackgroundTasks,
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
    /** Announces what work there is now. */
    readonly announce: (changes: Changes) => void
    /** What was announced, for the one who waits for that kind of work. */
    readonly announcements: { readonly [Kind in "jobsDueAt" | "deliveriesDueAt"]: WakeUps.WakeUps }
  }
>()("simplan/BackgroundTasks") {}

/** Whether the running fiber was begun here, so that no caller's end can interrupt it. */
const IsBegun = Context.Reference<boolean>("simplan/BackgroundTasks/IsBegun", { defaultValue: () => false })

/** How long what is interrupted may take to end, and how long handing back may take, in milliseconds. */
const PATIENCE = 500

export const layer: Layer.Layer<BackgroundTasks, never, Ids | Leases> = Layer.effect(
  BackgroundTasks,
  Effect.gen(function* () {
    const ids = yield* Ids
    const leases = yield* Leases
    const { drainMillis, leaseMillis } = yield* Settings
    // In a scope of its own, which nobody closes: closing it would wait for what cannot be interrupted.
    const fibers = yield* Effect.provideService(FiberSet.make(), Scope.Scope, Scope.makeUnsafe())

    // What goes on in spite of its interruption changes nothing once its lease is gone.
    const handBack = Effect.gen(function* () {
      const held = yield* leases.kept
      for (const fiber of fibers) fiber.interruptUnsafe()
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), PATIENCE)
      yield* Effect.timeoutOption(leases.handBack(held), PATIENCE)
    })
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(fibers), drainMillis).pipe(Effect.andThen(handBack), Effect.ignore)
    )
    const listeners = { jobsDueAt: WakeUps.make(), deliveriesDueAt: WakeUps.make() }

    const begin = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.uninterruptible(
        Effect.tap(Effect.forkDetach(Effect.interruptible(Effect.provideService(effect, IsBegun, true))), (fiber) =>
          FiberSet.add(fibers, fiber)
        )
      )

    return BackgroundTasks.of({
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
      announce: (changes) => {
        listeners.jobsDueAt.tell(changes.jobsDueAt)
        listeners.deliveriesDueAt.tell(changes.deliveriesDueAt)
      },
      announcements: listeners
    })
  })
)
