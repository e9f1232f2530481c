/**
 * The slots of one telco: how many calls of it are under way at once. A telco that hangs fills its own slots, and leaves
 * those of the others, the requests and the engine's jobs alone. Organizations share them by turns (rule W13).
 *
 * A call beyond the slots waits for its organization's turn: one that a request waits for through half of its time, any
 * other a second. Then, or where too many of its organization wait, it is `Unavailable`, with the seconds after which there
 * may be a slot: an organization's calls that come together are told to come back one after the other, at the pace at
 * which slots became free lately. The telco was not asked, so the try does not count (`isAsked`).
 */
import { Effect, Metric } from "effect"
import { FairSlots } from "simplan"
import { MonotonicTime, Telco } from "simplan/ports"

/** The slots of one telco in this process. */
export interface Slots {
  /**
   * Runs the call in a slot of the organization of `Telco.Caller`. `Unavailable` with `isAsked` false where none comes in
   * time.
   */
  readonly run: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | Telco.Unavailable>
}

/** How long a call waits for a slot that no request waits for, in milliseconds. */
const PATIENCE = 1_000

/** How many calls of one organization wait, for each slot. */
const WAITING_PER_SLOT = 4

/** The longest time that a call is told to stay away, in seconds. */
const LONGEST = 600

/** How much the latest call counts in the mean duration of calls. */
const WEIGHT = 0.2

/** A call of the service itself. */
const own: Telco.Caller = { organizationId: "", isAwaited: false, withinMillis: 0 }

/** How long a call waits for its turn, in milliseconds; what is left of its time is for the call itself. */
const patienceOf = ({ isAwaited, withinMillis }: Telco.Caller): number =>
  isAwaited ? Math.max(PATIENCE, withinMillis / 2) : PATIENCE

/** `name` is for messages and the gauge `simplan_telco_slots_used`. */
export const make = ({
  callsAtOnce,
  name
}: {
  readonly name: string
  readonly callsAtOnce: number
}): Effect.Effect<Slots> =>
  Effect.sync((): Slots => {
    const slots = FairSlots.make({ slots: callsAtOnce, mostWaiting: WAITING_PER_SLOT * callsAtOnce })
    const metric = Metric.gauge("simplan_telco_slots_used", {
      description: "Calls of a telco that are under way",
      attributes: { telco: name }
    })
    const update = Effect.suspend(() => Metric.update(metric, slots.held()))
    let meanMillis = 1_000
    /** By organization: when the last of its calls that was refused may come back. */
    const free = new Map<string, number>()

    const refused = (organizationId: string) =>
      Effect.flatMap(MonotonicTime.now, (now) => {
        for (const [id, until] of free) if (until <= now) free.delete(id)
        const pace = (meanMillis * Math.max(1, slots.active())) / callsAtOnce
        const until = Math.max(free.get(organizationId) ?? now, now) + pace
        free.set(organizationId, until)
        return Effect.fail(
          new Telco.Unavailable({
            message: `The telco ${name} has ${callsAtOnce} calls under way, and more wait`,
            retryAfterSeconds: Math.min(LONGEST, Math.max(1, Math.ceil((until - now) / 1_000))),
            isAsked: false,
            isDone: false
          })
        )
      })

    const measured = <A, E>(call: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        yield* update
        const start = yield* MonotonicTime.now
        return yield* Effect.ensuring(
          call,
          Effect.map(MonotonicTime.now, (now) => {
            meanMillis += WEIGHT * (now - start - meanMillis)
          })
        )
      })

    return {
      run: (call) =>
        Effect.flatMap(Telco.Caller, (caller) => {
          const { organizationId } = caller ?? own
          const asking = {
            organizationId,
            isUrgent: caller?.isAwaited === true,
            patienceMillis: patienceOf(caller ?? own)
          }
          return Effect.ensuring(slots.run(asking, measured(call), refused(organizationId)), update)
        })
    }
  })
