/**
 * The slots of one telco: how many calls of it are under way at once. A telco that hangs fills its own slots, and leaves
 * those of the others, the requests and the engine's jobs alone.
 *
 * A call beyond the slots waits a moment, and a call beyond those that wait is refused at once as `Unavailable`, with the
 * seconds after which there may be a slot: calls that come together are told to come back one after the other, at the pace
 * at which slots became free lately. The telco was not asked, so the try does not count (`isAsked`).
 */
import { Clock, Effect, Metric, Semaphore } from "effect"
import { Telco } from "simplan/ports"

/** The slots of one telco in this process. */
export interface Slots {
  /** Runs the call in a slot. `Unavailable` with `isAsked` false where none is free within 1 s. */
  readonly run: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | Telco.Unavailable>
}

/** How long a call waits for a slot, in milliseconds. */
const PATIENCE = 1_000

/** The longest time that a call is told to stay away, in seconds. */
const LONGEST = 600

/** How much the latest call counts in the mean duration of calls. */
const WEIGHT = 0.2

/** `name` is for messages and the gauge `simplan_telco_slots_used`. */
export const make = ({
  callsAtOnce,
  name
}: {
  readonly name: string
  readonly callsAtOnce: number
}): Effect.Effect<Slots> =>
  Effect.map(Semaphore.make(callsAtOnce), (semaphore): Slots => {
    const metric = Metric.gauge("simplan_telco_slots_used", {
      description: "Calls of a telco that are under way",
      attributes: { telco: name }
    })
    let underWay = 0
    let waiting = 0
    let meanMillis = 1_000
    /** When the last call that was refused may come back. */
    let free = 0

    const refused = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      free = Math.max(free, now) + meanMillis / callsAtOnce
      const retryAfterSeconds = Math.min(LONGEST, Math.max(1, Math.ceil((free - now) / 1_000)))
      return Effect.fail(
        new Telco.Unavailable({
          message: `The telco ${name} has ${callsAtOnce} calls under way, and more wait`,
          retryAfterSeconds,
          isAsked: false,
          isDone: false
        })
      )
    })

    const patient = Effect.suspend(() => {
      if (waiting >= callsAtOnce) return refused
      waiting += 1
      return semaphore.take(1).pipe(
        Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => refused }),
        Effect.ensuring(
          Effect.sync(() => {
            waiting -= 1
          })
        )
      )
    })

    const taken = Effect.flatMap(semaphore.takeIfAvailable(1), (isTaken) => (isTaken ? Effect.void : patient))

    const used = (by: 1 | -1) =>
      Effect.suspend(() => {
        underWay += by
        return Metric.update(metric, underWay)
      })

    return {
      run: (call) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            yield* restore(taken)
            yield* used(1)
            const start = yield* Clock.currentTimeMillis
            return yield* Effect.ensuring(
              restore(call),
              Effect.gen(function* () {
                meanMillis += WEIGHT * ((yield* Clock.currentTimeMillis) - start - meanMillis)
                yield* used(-1)
                yield* semaphore.release(1)
              })
            )
          })
        )
    }
  })
