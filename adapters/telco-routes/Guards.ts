/**
 * What guards the calls to one telco of the settings: a limit of concurrent calls, a circuit
 * breaker, and the refusal of what its kind cannot do.
 *
 * Slots limit how many calls to a telco are under way at once. A telco that does not answer fills
 * its own slots only: those of the others, the requests and the engine's jobs go on. Organizations
 * share the slots by turns (rule W13).
 *
 * A call beyond the slots waits for its organization's turn: for half of its time where a request
 * waits for it, else for a second. Then, or where too many calls of its organization wait, it is
 * `Unavailable`, with the seconds after which there may be a slot: an organization's calls that are
 * refused together get rising times, at the pace at which slots became free lately. The telco was
 * not asked, so the try does not count (`isAsked`).
 *
 * The circuit breaker is for a telco whose adapter has none of its own: its calls run under
 * `CallControl`, which makes no call for a while after several in a row have had no answer.
 */
import { Effect, Metric } from "effect"
import { FairSlots } from "simplan"
import { Clocks, Telco } from "simplan/ports"
import { CallControl, CallFailure } from "../telco-calls/index.ts"

type Port = Telco.Telco["Service"]

/** A telco's name, and how many calls to it are under way at once at most. */
interface Limits {
  readonly name: string
  readonly callsAtOnce: number
}

/** The slots of one telco in this process. */
export interface Slots {
  /**
   * Runs the call in a slot of the organization of `Telco.Caller`. `Unavailable` with `isAsked`
   * false where none comes in time.
   */
  readonly run: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | Telco.Unavailable>
}

/** How long a call waits for a slot where no request waits for the call, in milliseconds. */
const SHORTEST_WAIT = 1_000

/** How many calls of one organization wait, for each slot. */
const WAITING_PER_SLOT = 4

/** The longest time after which a refused call may be tried again, in seconds. */
const LONGEST_RETRY = 600

/** How much the latest call counts in the mean duration of calls. */
const WEIGHT = 0.2

/** The caller where the call is made for no organization. */
const own: Telco.Caller = { organizationId: "", isAwaited: false, withinMillis: 0 }

/**
 * How long a call waits for its turn, in milliseconds; what is left of its time is for the call
 * itself.
 */
const waitLimitOf = ({ isAwaited, withinMillis }: Telco.Caller): number =>
  isAwaited ? Math.max(SHORTEST_WAIT, withinMillis / 2) : SHORTEST_WAIT

/** `name` is for messages and the gauge `simplan_telco_slots_used`. */
export const makeSlots = ({ callsAtOnce, name }: Limits): Effect.Effect<Slots> =>
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
      Effect.flatMap(Clocks.monotonicNow, (now) => {
        for (const [id, until] of free) if (until <= now) free.delete(id)
        const pace = (meanMillis * Math.max(1, slots.active())) / callsAtOnce
        const until = Math.max(free.get(organizationId) ?? now, now) + pace
        free.set(organizationId, until)
        return Effect.fail(
          new Telco.Unavailable({
            message: `The telco ${name} has ${callsAtOnce} calls under way, and more wait`,
            retryAfterSeconds: Math.min(LONGEST_RETRY, Math.max(1, Math.ceil((until - now) / 1_000))),
            isAsked: false,
            isDone: false
          })
        )
      })

    const measured = <A, E>(call: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        yield* update
        const start = yield* Clocks.monotonicNow
        return yield* Effect.ensuring(
          call,
          Effect.map(Clocks.monotonicNow, (now) => {
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
            waitLimitMillis: waitLimitOf(caller ?? own)
          }
          return Effect.ensuring(slots.run(asking, measured(call), refused(organizationId)), update)
        })
    }
  })

/** The telco with slots of its own, in which all of its calls run. */
export const withConcurrency = (limits: Limits, telco: Port): Effect.Effect<Port> =>
  Effect.map(makeSlots(limits), (slots) => Telco.map(telco, (call) => slots.run(call)))

/**
 * A telco that says when to come back is there. One that was not asked has left nothing unanswered.
 */
const meaningOf = (failure: CallFailure.TelcoFailure): CallControl.Meaning =>
  failure._tag === "Telco.Refused"
    ? { outcome: "Refused" }
    : {
        outcome: failure.isDone === false ? "NotDone" : "Unknown",
        isAnswered: failure.retryAfterSeconds !== undefined || failure.isAsked === false
      }

/**
 * The telco whose calls run under the control. What it fails with itself is passed on unchanged.
 * What is held back was not done, and leaves nothing to be undone (rule S5): a call of the port is
 * one call.
 */
export const withBreaker = ({ runBy }: CallControl.CallControl, telco: Port): Port =>
  Telco.map(telco, (call, operation) =>
    Effect.catchTag(runBy(operation, call, meaningOf), "TelcoCalls.CallFailure", (heldBack) =>
      Effect.fail(CallFailure.notDone(heldBack))
    )
  )

/** The slots limit the calls; the breaker's own limits are out of the way. */
const UNLIMITED = 10_000

/** The telco with slots and a circuit breaker, of which its adapter has neither. */
export const guarded = ({ callsAtOnce, name }: Limits, telco: Port) =>
  Effect.flatMap(CallControl.make({ telco: name, callsPerSecond: UNLIMITED, concurrency: callsAtOnce }), (control) =>
    withConcurrency({ name, callsAtOnce }, withBreaker(control, telco))
  )

/**
 * Refuses every call. A kind of telco takes from it the calls that it cannot do: no route leads to
 * them, but a key whose first call went to another kind of telco of the same name does.
 */
export const unsupported = (name: string): Port => {
  const refuse = (what: string) => () =>
    Effect.fail(new Telco.Refused({ message: `The telco ${name} is not one that ${what}` }))
  return {
    createPackage: refuse("creates packages"),
    suspendPackage: refuse("suspends packages"),
    cancelPackage: refuse("cancels packages"),
    sendSms: refuse("sends messages"),
    releaseProfile: refuse("releases profiles"),
    setMobilePlan: refuse("sets mobile plans")
  }
}
