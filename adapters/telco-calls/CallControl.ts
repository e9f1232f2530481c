/**
 * What every call of one telco passes: its rate, its circuit breaker and its metrics. Telcos share
 * nothing here, so one that is down holds up no other.
 *
 * A call that is not made fails with `NotDone` and the seconds to wait. The limits are those of
 * this process. Organizations take turns, and calls of one that are not answered hold back only its
 * own (rule W13).
 */
import { Context, Deferred, Duration, Effect, Exit, Latch, Metric, Result, type Scope } from "effect"
import { Clocks, Telco } from "simplan/ports"
import { CallFailure } from "./CallFailure.ts"
import * as CallRate from "./CallRate.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"

/** The priority of the calls that an effect makes; `order` if nothing is said. */
export const Priority = Context.Reference<CallRate.Priority>("simplan/TelcoCalls/Priority", {
  defaultValue: () => "order"
})

/** Makes the calls of an effect give way to orders. */
export const asPoll = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Priority, "poll")

/** How many calls a telco may get, and when it gets none. */
export interface Options {
  /** The telco's name in the settings. */
  readonly telco: string
  /** 20 by default. */
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
export interface CallControl {
  /**
   * Makes a call when its turn comes. The priority is that of the fiber, and so is the organization
   * (`Telco.Caller`).
   */
  readonly run: <A>(operation: string, call: Effect.Effect<A, CallFailure>) => Effect.Effect<A, CallFailure>
  /** The same for a call that fails in another way; `CallFailure`: it was not made. */
  readonly runBy: <A, E>(
    operation: string,
    call: Effect.Effect<A, E>,
    meaningOf: (failure: E) => Meaning
  ) => Effect.Effect<A, E | CallFailure>
}

/** What a failure says about the telco. */
export type Meaning = Pick<CallFailure, "outcome" | "isAnswered" | "isOverloaded">

/**
 * What became of a call. `held_back`: it was not made, because there were too many or the circuit
 * breaker is open.
 */
type Outcome = "done" | "refused" | "not_found" | "not_done" | "unknown" | "held_back" | "interrupted"

const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const outcomes: Readonly<Record<CallFailure["outcome"], Outcome>> = {
  Refused: "refused",
  NotFound: "not_found",
  NotDone: "not_done",
  Unknown: "unknown"
}

const states: Readonly<Record<CircuitBreaker.State["_tag"], number>> = { Closed: 0, HalfOpen: 1, Open: 2 }

/** The metrics of a telco. Labels are its name in the settings, operations and outcomes. */
const makeMetrics = (telco: string) => {
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
    waiting: (count: number) => Metric.update(waiting, count),
    breaker: (state: CircuitBreaker.State) => Metric.update(breaker, states[state._tag])
  }
}

/** What a call waits for. */
interface Turn {
  readonly organizationId: string
  readonly came: Deferred.Deferred<void, CallFailure>
  hasStarted: boolean
}

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const heldBack = (message: string, retryAfterSeconds: number) =>
  new CallFailure({ outcome: "NotDone", message, retryAfterSeconds })

/**
 * Whether a failure shows that the telco is there. Where an adapter does not say, an unknown
 * outcome is no answer.
 */
const isAnswered = ({ isAnswered, outcome }: Meaning): boolean => isAnswered ?? outcome !== "Unknown"

/** Metrics and messages name the telco. The breaker and the rate are this process's own. */
export const make = ({
  callsPerSecond = 20,
  concurrency = 10,
  failures = 5,
  longestWait = { order: "5 seconds", poll: "30 seconds" },
  openFor = { first: "5 seconds", most: "30 seconds" },
  telco
}: Options): Effect.Effect<CallControl, never, Scope.Scope> =>
  Effect.gen(function* () {
    const rateLimits: CallRate.Limits = {
      callsPerSecond,
      concurrency,
      longestWait: { order: millis(longestWait.order), poll: millis(longestWait.poll) }
    }
    const breakerLimits: CircuitBreaker.Limits = {
      failures,
      openFor: { first: millis(openFor.first), most: millis(openFor.most) }
    }
    const metrics = makeMetrics(telco)
    const turns = new Map<number, Turn>()
    const changed = Latch.makeUnsafe(false)
    let rate = CallRate.initial
    let breakers = CircuitBreaker.closed
    let lastId = 0

    const tooMany = (seconds: number) =>
      heldBack(`The telco ${telco} gets at most ${callsPerSecond} calls per second, and more wait`, seconds)

    /**
     * Gives calls their turns, up to now. When to advance again, if nothing changes before; null:
     * then only.
     */
    const giveTurns = (now: number): number | null => {
      for (;;) {
        const step = CallRate.next(rateLimits, rate, now)
        if (step._tag === "Idle") return step.until
        rate = step.state
        const turn = turns.get(step.id)
        if (turn === undefined) continue
        turns.delete(step.id)
        turn.hasStarted = step._tag === "Started"
        Deferred.doneUnsafe(turn.came, turn.hasStarted ? Exit.void : Exit.fail(tooMany(1)))
      }
    }

    const advance = Effect.gen(function* () {
      changed.closeUnsafe()
      const now = yield* Clocks.monotonicNow
      const until = giveTurns(now)
      yield* metrics.waiting(turns.size)
      yield* until === null ? changed.await : Effect.race(changed.await, Effect.sleep(Math.max(1, until - now)))
    })
    yield* Effect.forkScoped(Effect.forever(advance))

    const notCalled = (seconds: number) =>
      heldBack(`The telco ${telco} has not answered ${failures} calls in a row, and is not called for a while`, seconds)

    /** Calls that wait do not wait for an open breaker. */
    const refuseWaiting = (now: number) => {
      for (const [id, { came, organizationId }] of turns) {
        const admitted = CircuitBreaker.admitOf(breakers, organizationId, now)
        if (Result.isSuccess(admitted)) continue
        turns.delete(id)
        rate = CallRate.withdraw(rate, id)
        Deferred.doneUnsafe(came, Exit.fail(notCalled(admitted.failure)))
      }
      changed.openUnsafe()
    }

    const setBreakers = (next: CircuitBreaker.Breakers, now: number) => {
      if (next === breakers) return Effect.void
      const [before, after] = [CircuitBreaker.worst(breakers), CircuitBreaker.worst(next)]
      breakers = next
      if (after._tag === "Open") refuseWaiting(now)
      return before._tag === after._tag ? Effect.void : metrics.breaker(after)
    }
    yield* metrics.breaker(CircuitBreaker.worst(breakers))

    /** Waits for a turn. Its end has to be reported by `leave`. */
    const turn = Effect.fnUntraced(function* (priority: CallRate.Priority, organizationId: string) {
      const now = yield* Clocks.monotonicNow
      const id = ++lastId
      const entered = CallRate.enter(rateLimits, rate, { id, priority, organizationId, now })
      if (Result.isFailure(entered)) return yield* tooMany(entered.failure)
      rate = entered.success
      const mine: Turn = { organizationId, came: Deferred.makeUnsafe(), hasStarted: false }
      turns.set(id, mine)
      changed.openUnsafe()
      yield* Effect.onInterrupt(Deferred.await(mine.came), () =>
        Effect.sync(() => {
          // Its turn may have come in the same instant.
          if (mine.hasStarted) return leave(organizationId)
          turns.delete(id)
          rate = CallRate.withdraw(rate, id)
          changed.openUnsafe()
        })
      )
    })

    const leave = (organizationId: string) => {
      rate = CallRate.leave(rate, organizationId)
      changed.openUnsafe()
    }

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
      if (failure._tag === "Some" && failure.value.isOverloaded === true) {
        rate = CallRate.slowDown(rateLimits, rate, now)
      }
      yield* setBreakers(
        failure._tag === "None" || isAnswered(failure.value)
          ? CircuitBreaker.answeredTo(breakers, organizationId)
          : CircuitBreaker.unansweredTo(breakerLimits, breakers, organizationId, now),
        now
      )
    })

    const runBy: CallControl["runBy"] = (operation, call, meaningOf) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const countHeldBack = <B>(before: Effect.Effect<B, CallFailure>) =>
            Effect.tapError(before, () => metrics.count(operation, "held_back"))
          // An open breaker refuses at once, and is asked again when the turn has come.
          const now = yield* Clocks.monotonicNow
          const organizationId = (yield* Telco.Caller)?.organizationId ?? CircuitBreaker.OWN
          const open = CircuitBreaker.admitOf(breakers, organizationId, now)
          if (Result.isFailure(open)) return yield* countHeldBack(Effect.fail(notCalled(open.failure)))
          yield* countHeldBack(restore(turn(yield* Priority, organizationId)))
          return yield* Effect.ensuring(
            Effect.gen(function* () {
              yield* countHeldBack(admit(organizationId))
              const start = yield* Clocks.monotonicNow
              return yield* Effect.onExit(restore(call), (exit) =>
                record(operation, organizationId, start, Exit.mapError(exit, meaningOf))
              )
            }),
            Effect.sync(() => leave(organizationId))
          )
        })
      )

    return { run: (operation, call) => runBy(operation, call, (failure) => failure), runBy }
  })
