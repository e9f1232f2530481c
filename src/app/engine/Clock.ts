/**
 * Reads the business clock, and advances a virtual one. An advance goes from due instant to due
 * instant. It returns when all work due by then, and the work that follows from it, is done in due
 * order.
 */
import { Context, Effect, Fiber, Layer, Semaphore } from "effect"
import { type AuditEntry, type Change, differences, SERVICE } from "../../domain/AuditEntry.ts"
import { ClockRefused, InvalidField } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { END_OF_TIME, toIso } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import type { StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { BackgroundTasks } from "../jobs/Leases.ts"
import { Worker } from "./Worker.ts"

/** Reads the business clock, and moves a virtual one. */
export class Clock extends Context.Service<
  Clock,
  {
    /** The business time, and whether it stands still until it is advanced. */
    readonly read: Effect.Effect<{ readonly now: Instant; readonly virtual: boolean }>
    /**
     * The present instant is allowed. An earlier one is refused, and so is a second advance
     * meanwhile.
     */
    readonly advanceTo: (to: Instant) => Effect.Effect<Instant, ClockRefused | InvalidField | StorageError>
    /** `millis` in milliseconds. */
    readonly advanceBy: (millis: number) => Effect.Effect<Instant, ClockRefused | InvalidField | StorageError>
  }
>()("simplan/Clock") {}

const advanced = (from: Instant, to: Instant): Change => ({
  organizationId: SERVICE,
  action: "clock.advance",
  resourceId: toIso(to),
  iccid: null,
  changed: differences({ now: toIso(from) }, { now: toIso(to) })
})

/**
 * The implementation that `Services.layer` provides. A process needs exactly one: it refuses an
 * advance only while it makes one itself.
 */
export const layer: Layer.Layer<Clock, never, BusinessClock | Worker | Commits | BackgroundTasks> = Layer.effect(
  Clock,
  Effect.gen(function* () {
    const clock = yield* BusinessClock
    const worker = yield* Worker
    const tasks = yield* BackgroundTasks
    const commits = yield* Commits
    const lock = Semaphore.makeUnsafe(1)

    /**
     * The instant is stored before any work of that instant. So a restart never goes back to an
     * earlier one.
     */
    const moveTo = Effect.fnUntraced(function* (
      set: (instant: Instant) => Effect.Effect<void>,
      instant: Instant,
      auditEntries: ReadonlyArray<AuditEntry>
    ) {
      yield* commits.retryOnConflict(commits.write({ clock: instant, auditEntries }))
      yield* set(instant)
    })

    const advance = Effect.fnUntraced(function* (target: (now: Instant) => Instant) {
      const { set } = clock
      if (set === null) return yield* new ClockRefused({ reason: "system clock" })
      yield* worker.running
      let due = yield* worker.idle
      const now = yield* clock.now
      const to = target(now)
      if (to < now) return yield* new InvalidField({ field: "to", message: `must not be before now, ${toIso(now)}` })
      if (!(to < END_OF_TIME)) return yield* new InvalidField({ field: "to", message: "must be before the year 10000" })
      // Rule W11: the entry is in the first commit that moves the clock.
      let unaudited = to > now ? [yield* commits.entry(advanced(now, to), now)] : []
      while (due !== null && due <= to) {
        yield* moveTo(set, due, unaudited)
        unaudited = []
        due = yield* worker.idle
      }
      yield* moveTo(set, to, unaudited)
      yield* worker.forget
      return to
    })

    const exclusively = (target: (now: Instant) => Instant) =>
      Effect.gen(function* () {
        // The advance goes on to its end, even if the request that asked for it is interrupted.
        const begun = yield* tasks.begin(lock.withPermitsIfAvailable(1)(Effect.scoped(advance(target))))
        const done = yield* Fiber.join(begun)
        return yield* done._tag === "Some"
          ? Effect.succeed(done.value)
          : Effect.fail(new ClockRefused({ reason: "already advancing" }))
      })

    return Clock.of({
      read: Effect.map(clock.now, (now) => ({ now, virtual: clock.set !== null })),
      advanceTo: (to) => exclusively(() => to),
      advanceBy: (millis) => exclusively((now) => now + millis)
    })
  })
)
