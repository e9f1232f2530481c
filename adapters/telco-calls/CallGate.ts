/**
 * The one gate before the calls of a telco: how many there are at once, how fast they begin, and
 * none for a while if the telco does not answer. Telcos share nothing here, so one that is down
 * holds up no other. Organizations take turns (`Turns`), and calls of one that are not answered
 * hold back only its own (`CircuitBreaker`, rule W13). The limits are those of this process.
 *
 * A slot is for one call of the telco's system, or for one call of the port with all that its
 * adapter asks of the system for it, one after the other. A call of the port beyond the slots waits
 * for its organization's turn: for half of its time if a request waits for it, else for a second.
 * Then, or if too many calls of its organization wait, it is `Unavailable`, with the seconds after
 * which there may be a slot: an organization's calls that are refused together get rising times, at
 * the pace at which slots became free lately. The telco was not asked, so the try does not count
 * (`isAsked`).
 *
 * A call of the system that is not made fails with `NotDone` and the seconds to wait.
 */
import { Context, Deferred, Duration, Effect, Exit, Metric, Result } from "effect"
import { Clocks, Telco, TelcoPorts } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as Turns from "./Turns.ts"

type Port = Telco.Telco["Service"]

/** Whether the calls that an effect makes are polls, which take what the others leave. */
const IsPoll = Context.Reference<boolean>("simplan/TelcoCalls/IsPoll", { defaultValue: () => false })

/** Makes the calls of an effect give way to others. */
export const asPoll = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, IsPoll, true)

/** How many calls a telco may get, and when it gets none. */
export interface Options {
  /** The telco's name in the settings. */
  readonly telco: string
  /** 20 by default; infinite: no limit. */
  readonly callsPerSecond?: number
  /** Calls under way at once; 10 by default. */
  readonly concurrency?: number
  /** How long an order, and how long a poll, waits for its turn; 5 s and 30 s by default. */
  readonly longestWait?: { readonly order: Duration.Input; readonly poll: Duration.Input }
  /** After how many calls in a row without an answer no more are made; 5 by default. */
  readonly failures?: number
  /** For how long none is made at first, and at most; 5 s and 30 s by default. */
  readonly openFor?: { readonly first: Duration.Input; readonly most: Duration.Input }
}

/** Makes calls of one telco under its limits. */
export class CallGate extends Context.Service<
  CallGate,
  {
    /** Makes a call when the turn of its organization (`TelcoPorts.Caller`) comes. */
    readonly run: <A>(
      operation: string,
      call: Effect.Effect<A, CallFailure.CallFailure>
    ) => Effect.Effect<A, CallFailure.CallFailure>
    /** Has each call of the port made in a slot, in which `run` needs no other. */
    readonly inSlots: (port: Port) => Port
    /**
     * Does so for a port each of whose calls is also one of the system (`run`). What it fails with
     * itself is passed on unchanged, and what is held back leaves nothing to be undone (rule S5).
     */
    readonly around: (port: Port) => Port
  }
>()("simplan/TelcoCalls/CallGate") {}

/** What a failure says about the telco. */
type Meaning = Pick<CallFailure.CallFailure, "outcome" | "isAnswered" | "isOverloaded">

/**
 * What became of a call. `held_back`: it was not made, because there were too many or the circuit
 * breaker is open.
 */
type Outcome = "done" | "refused" | "not_found" | "not_done" | "unknown" | "held_back" | "interrupted"

const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const outcomes: Readonly<Record<CallFailure.Outcome, Outcome>> = {
  Refused: "refused",
  NotFound: "not_found",
  NotDone: "not_done",
  Unknown: "unknown"
}

const states: Readonly<Record<CircuitBreaker.State["_tag"], number>> = { Closed: 0, HalfOpen: 1, Open: 2 }

/** The metrics of a telco. Labels are its name in the settings, operations and outcomes. */
const makeMetrics = (telco: string) => {
  const used = Metric.gauge("simplan_telco_slots_used", {
    description: "Calls of a telco that are under way",
    attributes: { telco }
  })
  const waiting = Metric.gauge("simplan_telco_requests_waiting", {
    description: "Requests to a telco's system that wait for their turn",
    attributes: { telco }
  })
  const breaker = Metric.gauge("simplan_telco_circuit_breaker_state", {
    description: "0 while a telco's system is called, 1 while one request tries it, 2 while it is not called",
    attributes: { telco }
  })
  return {
    count: (operation: string, outcome: Outcome) =>
      Metric.update(
        Metric.counter("simplan_telco_requests_total", {
          description: "Requests to a telco's system, by what came of it",
          attributes: { telco, operation, outcome },
          incremental: true
        }),
        1
      ),
    duration: (operation: string, seconds: number) =>
      Metric.update(
        Metric.histogram("simplan_telco_request_duration_seconds", {
          description: "Time from a request to a telco's system to its answer, or to when it was given up",
          attributes: { telco, operation },
          boundaries: BOUNDARIES
        }),
        seconds
      ),
    turns: (turns: Turns.Turns) =>
      Effect.suspend(() => Effect.andThen(Metric.update(waiting, turns.waiting()), Metric.update(used, turns.taken()))),
    breaker: (state: CircuitBreaker.State) => Metric.update(breaker, states[state._tag])
  }
}

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const secondsOf = (millis: number): number => Math.max(1, Math.ceil(millis / 1_000))

const heldBack = (message: string, retryAfterSeconds: number) =>
  new CallFailure.CallFailure({ outcome: "NotDone", message, retryAfterSeconds })

/**
 * Whether a failure shows that the telco is there. If an adapter does not say, an unknown outcome
 * is no answer.
 */
const isAnswered = ({ isAnswered, outcome }: Meaning): boolean => isAnswered ?? outcome !== "Unknown"

const itself = (failure: CallFailure.CallFailure): Meaning => failure

/**
 * A telco that says when to come back is there. One that was not asked has left nothing unanswered.
 */
const meaningOfPort = (failure: CallFailure.TelcoFailure): Meaning =>
  failure._tag === "Telco.Refused"
    ? { outcome: "Refused" }
    : {
        outcome: failure.isDone === false ? "NotDone" : "Unknown",
        isAnswered: failure.retryAfterSeconds !== undefined || failure.isAsked === false
      }

/** How long the rate stays divided before it doubles, in milliseconds. */
const RECOVERY = 5_000

/**
 * Demands for fewer calls within this time, in milliseconds, count once: they answer calls that
 * were under way together.
 */
const TOGETHER = 1_000

const LARGEST_DIVISOR = 32

/** Calls that begin evenly over the second, so that no window of a second has more than it may. */
export interface Rate extends Turns.Pace {
  /**
   * The telco asks for fewer calls: the rate is halved, down to a thirty-second of the limit, and
   * doubles again in steps.
   */
  readonly slowDown: (now: number) => void
}

/** `callsPerSecond` may be infinite. */
export const makeRate = (callsPerSecond: number): Rate => {
  let next = Number.NEGATIVE_INFINITY
  let slowdown = { at: Number.NEGATIVE_INFINITY, divisor: 1 }
  const divisorAt = (now: number) => Math.max(1, slowdown.divisor / 2 ** Math.floor((now - slowdown.at) / RECOVERY))
  const interval = (now: number) => (1_000 / callsPerSecond) * divisorAt(now)
  return {
    interval,
    // An instant so far away is of a clock that was set back.
    at: (now) => (next - now > 2 * interval(now) ? now : Math.max(now, next)),
    start: (_, now) => {
      next = now + interval(now)
    },
    slowDown: (now) => {
      if (now - slowdown.at < TOGETHER) return
      slowdown = { at: now, divisor: Math.min(LARGEST_DIVISOR, 2 * divisorAt(now)) }
      next = Math.max(next, now + interval(now))
    }
  }
}

/** How long a call of the port waits for a slot if no request waits for it, in milliseconds. */
const SHORTEST_WAIT = 1_000

/** How many calls of the port of one organization wait, for each slot. */
const WAITING_PER_SLOT = 4

/** The longest time after which a refused call may be tried again, in seconds. */
const LONGEST_RETRY = 600

/** How much the latest call counts in the mean duration of calls. */
const WEIGHT = 0.2

/** What is left of its time is for the call itself. */
const waitLimitOf = (caller: TelcoPorts.Caller | null): number =>
  caller?.isAwaited === true ? Math.max(SHORTEST_WAIT, caller.withinMillis / 2) : SHORTEST_WAIT

/** The gate in a slot of which the fiber runs; null: in none. */
const InSlotOf = Context.Reference<object | null>("simplan/TelcoCalls/InSlotOf", { defaultValue: () => null })

/** Metrics and messages name the telco. */
export const make = ({
  callsPerSecond = 20,
  concurrency = 10,
  failures = 5,
  longestWait = { order: "5 seconds", poll: "30 seconds" },
  openFor = { first: "5 seconds", most: "30 seconds" },
  telco
}: Options): Effect.Effect<CallGate["Service"]> =>
  Effect.gen(function* () {
    const breakerLimits: CircuitBreaker.Limits = {
      failures,
      openFor: { first: millis(openFor.first), most: millis(openFor.most) }
    }
    const [orderMillis, pollMillis] = [millis(longestWait.order), millis(longestWait.poll)]
    const metrics = makeMetrics(telco)
    const rate = makeRate(callsPerSecond)
    const turns = Turns.make({ pace: rate, window: concurrency, waitMillis: orderMillis })
    const me = {}
    let breakers = CircuitBreaker.closed
    /** What waits for its turn, of each organization. */
    const waiting = new Set<{
      readonly organizationId: string
      readonly givenUp: Deferred.Deferred<never, CallFailure.CallFailure>
    }>()

    const notCalled = (seconds: number) =>
      heldBack(`The telco ${telco} has not answered ${failures} calls in a row, and is not called for a while`, seconds)

    /** Calls that wait do not wait for an open breaker. */
    const refuseWaiting = (now: number) => {
      for (const { givenUp, organizationId } of waiting) {
        const admitted = CircuitBreaker.admitOf(breakers, organizationId, now)
        if (Result.isFailure(admitted)) Deferred.doneUnsafe(givenUp, Exit.fail(notCalled(admitted.failure)))
      }
    }

    const setBreakers = (next: CircuitBreaker.Breakers, now: number) => {
      if (next === breakers) return Effect.void
      const [before, after] = [CircuitBreaker.worst(breakers), CircuitBreaker.worst(next)]
      breakers = next
      if (after._tag === "Open") refuseWaiting(now)
      return before._tag === after._tag ? Effect.void : metrics.breaker(after)
    }
    yield* metrics.breaker(CircuitBreaker.worst(breakers))

    const admit = Effect.fnUntraced(function* (organizationId: string) {
      const now = yield* Clocks.monotonicNow
      const admitted = CircuitBreaker.admitOf(breakers, organizationId, now)
      if (Result.isFailure(admitted)) return yield* notCalled(admitted.failure)
      yield* setBreakers(admitted.success, now)
    })

    const record = Effect.fnUntraced(function* (
      operation: string,
      organizationId: string,
      start: number,
      exit: Exit.Exit<unknown, Meaning>
    ) {
      const now = yield* Clocks.monotonicNow
      const failure = Exit.findErrorOption(exit)
      yield* metrics.duration(operation, (now - start) / 1_000)
      if (failure._tag === "None" && Exit.isFailure(exit)) {
        yield* setBreakers(CircuitBreaker.abandonedBy(breakers, organizationId, now), now)
        return yield* metrics.count(operation, "interrupted")
      }
      yield* metrics.count(operation, failure._tag === "None" ? "done" : outcomes[failure.value.outcome])
      if (failure._tag === "Some" && failure.value.isOverloaded === true) rate.slowDown(now)
      yield* setBreakers(
        failure._tag === "None" || isAnswered(failure.value)
          ? CircuitBreaker.answeredTo(breakers, organizationId)
          : CircuitBreaker.unansweredTo(breakerLimits, breakers, organizationId, now),
        now
      )
    })

    /** A call that was admitted, with what came of it. */
    const made = <A, E>(
      operation: string,
      organizationId: string,
      call: Effect.Effect<A, E>,
      meaningOf: (failure: E) => Meaning
    ): Effect.Effect<A, E> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clocks.monotonicNow, (start) =>
          Effect.onExit(restore(call), (exit) =>
            record(operation, organizationId, start, Exit.mapError(exit, meaningOf))
          )
        )
      )

    const runBy = <A, E>(operation: string, call: Effect.Effect<A, E>, meaningOf: (failure: E) => Meaning) =>
      Effect.gen(function* () {
        const organizationId = (yield* TelcoPorts.Caller)?.organizationId ?? CircuitBreaker.OWN
        const isInSlot = (yield* InSlotOf) === me
        // What has a slot is under way already, and gives way to nothing.
        const isPoll = !isInSlot && (yield* IsPoll)
        const waitMillis = isPoll ? pollMillis : orderMillis
        const mine = { organizationId, givenUp: Deferred.makeUnsafe<never, CallFailure.CallFailure>() }
        let isHeldBack = true
        const turn = turns.take({
          isPoll,
          isInSlot,
          waitMillis,
          ready: Effect.void,
          givenUp: Deferred.await(mine.givenUp),
          tooLate: (wait) =>
            Effect.fail(
              heldBack(
                `The telco ${telco} gets at most ${callsPerSecond} calls per second, and more wait`,
                secondsOf(wait - waitMillis)
              )
            ),
          // An open breaker refuses at once, and is asked again when the turn has come.
          use: () =>
            Effect.uninterruptibleMask((restore) =>
              Effect.flatMap(Effect.andThen(metrics.turns(turns), admit(organizationId)), () => {
                isHeldBack = false
                return made(operation, organizationId, restore(call), meaningOf)
              })
            )
        })
        waiting.add(mine)
        const before = CircuitBreaker.admitOf(breakers, organizationId, yield* Clocks.monotonicNow)
        const all = Result.isFailure(before) ? Effect.fail(notCalled(before.failure)) : turn
        return yield* all.pipe(
          Effect.tapError(() => (isHeldBack ? metrics.count(operation, "held_back") : Effect.void)),
          Effect.ensuring(
            Effect.suspend(() => {
              waiting.delete(mine)
              return metrics.turns(turns)
            })
          )
        )
      })

    let meanMillis = 1_000
    /** By organization: when the last of its calls that was refused may come back. */
    const free = new Map<string, number>()

    const noSlot = Effect.gen(function* () {
      const organizationId = (yield* TelcoPorts.Caller)?.organizationId ?? CircuitBreaker.OWN
      const now = yield* Clocks.monotonicNow
      for (const [id, until] of free) if (until <= now) free.delete(id)
      const pace = (meanMillis * Math.max(1, turns.active())) / concurrency
      const until = Math.max(free.get(organizationId) ?? now, now) + pace
      free.set(organizationId, until)
      return yield* new Telco.Unavailable({
        message: `The telco ${telco} has ${concurrency} calls under way, and more wait`,
        retryAfterSeconds: Math.min(LONGEST_RETRY, secondsOf(until - now)),
        isAsked: false,
        isDone: false
      })
    })

    const inSlot = <A>(call: Effect.Effect<A, CallFailure.TelcoFailure>) =>
      Effect.flatMap(TelcoPorts.Caller, (caller) => {
        const measured = Effect.gen(function* () {
          yield* metrics.turns(turns)
          const start = yield* Clocks.monotonicNow
          return yield* Effect.ensuring(
            Effect.provideService(call, InSlotOf, me),
            Effect.map(Clocks.monotonicNow, (now) => {
              meanMillis += WEIGHT * (now - start - meanMillis)
            })
          )
        })
        const bounds = { waitMillis: waitLimitOf(caller), mostWaiting: WAITING_PER_SLOT * concurrency }
        return Effect.ensuring(turns.slot(bounds, measured, noSlot), metrics.turns(turns))
      })

    return CallGate.of({
      run: (operation, call) => runBy(operation, call, itself),
      inSlots: (port) => TelcoPorts.map(port, inSlot),
      around: (port) =>
        TelcoPorts.map(port, (call, operation) =>
          inSlot(
            Effect.catchTag(runBy(operation, call, meaningOfPort), "TelcoCalls.CallFailure", (failure) =>
              Effect.fail(CallFailure.notDone(failure))
            )
          )
        )
    })
  })
