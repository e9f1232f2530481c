/**
 * The one bound transceiver of a process at an SMSC: kept alive by `enquire_link`, and made anew
 * after a pause when it is lost. The pause grows until the SMSC answers a message, so one that
 * answers none is left alone (a circuit breaker). Messages take turns by organization (`Turns`):
 * each waits, for a limited time, until the transceiver is bound, its pace allows it and its window
 * of outstanding requests has a place.
 */
import { Deferred, Effect, Fiber, Latch, Metric, Random, Redacted, type Scope } from "effect"
import { Clocks } from "simplan/ports"
import { CallFailure, Turns } from "../telco-calls/index.ts"
import * as Pace from "./Pace.ts"
import * as Session from "./Session.ts"
import * as Statuses from "./Statuses.ts"

/** How an SMSC is treated. Spans are milliseconds. */
export interface Options extends Pace.PaceOptions {
  /** The name of the SMSC in the settings: in the journal, in metrics and in logs. */
  readonly telco: string
  /** In the bind, and in no error or log. */
  readonly password: Redacted.Redacted
  /** What the SMSC's operator calls the kind of system, if it asks for one. */
  readonly systemType: string
  /** The most requests without a response at once: 10. */
  readonly window: number
  /** How long a connection may take: 5 s. */
  readonly connectMillis: number
  /** How long a response may take: 5 s. */
  readonly answerMillis: number
  /** How long a message waits for its turn, or for another message to the same SIM: 3 s. */
  readonly waitMillis: number
  /** The time between two questions whether the SMSC is there: 30 s. */
  readonly enquireLinkMillis: number
  /** The pause before the connection is made again, 0.5 s, which doubles up to 30 s. */
  readonly reconnectMillis: number
  /** 30 s. */
  readonly longestReconnectMillis: number
}

/** Where an SMSC is, and who connects. */
export interface Account {
  readonly target: Session.Target
  readonly systemId: string
}

/** Submits a message. Fails with `NotDone` or `Unknown`. */
export type Submit = (fields: Readonly<Record<string, unknown>>) => Effect.Effect<Session.PDU, CallFailure.CallFailure>

export interface Connection {
  /** Waits for a turn; fails with `NotDone` if none comes in time. */
  readonly turn: <A, E>(use: (submit: Submit) => Effect.Effect<A, E>) => Effect.Effect<A, E | CallFailure.CallFailure>
  /** Asks the SMSC whether it is there. */
  readonly check: Effect.Effect<void, CallFailure.CallFailure>
}

/** SMPP 3.4. */
const INTERFACE_VERSION = 0x34

/** So many messages without a response one after the other, and the connection is given up. */
const UNANSWERED = 3

const UNBIND_MILLIS = 1_000

const notDone = (message: string, waitMillis = 0) =>
  new CallFailure.CallFailure({
    outcome: "NotDone",
    message,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMillis / 1000))
  })

/**
 * Adds one to a counter. `telco` is its name in the settings; the other labels are from short
 * lists, which bounds the series.
 */
export const increment = (name: string, description: string, attributes: Record<string, string>): Effect.Effect<void> =>
  Metric.update(Metric.counter(name, { description, attributes, incremental: true }), 1)

/** Counts what became of a connection. */
const countConnection = (telco: string, event: "bound" | "failed" | "lost") =>
  increment("simplan_smpp_connections_total", "Connections to an SMSC: bound, failed before they were, lost after it", {
    telco,
    event
  })

const setBound = (telco: string, isBound: boolean): Effect.Effect<void> =>
  Metric.update(
    Metric.gauge("simplan_smpp_bound", { description: "Whether the SMSC can be sent to", attributes: { telco } }),
    isBound ? 1 : 0
  )

/**
 * Logs and counts a `deliver_sm` or `data_sm`. No text of a message is logged: some SMSCs repeat it
 * in the receipt.
 */
const report = (telco: string, pdu: Session.PDU): Effect.Effect<void> => {
  const receipt = Statuses.receiptOf(pdu)
  // simplan takes no messages of SIMs. It acknowledges them, or the SMSC would deliver them again
  // and again.
  if (receipt === undefined) return Effect.logDebug("the SMSC has delivered a message that is no receipt", { telco })
  return Effect.andThen(
    increment("simplan_smpp_receipts_total", "Delivery receipts of an SMSC, by the state that they report", {
      telco,
      state: receipt.state
    }),
    Effect.logInfo("the SMSC reports what became of a message", { telco, ...receipt })
  )
}

/** Whether a session that ended was bound before, and why it ended. */
interface End {
  readonly wasBound: boolean
  readonly reason: string
}

/** Connects in the background, and disconnects with the scope. */
export const make = (
  library: Session.Library,
  { systemId, target }: Account,
  options: Options
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { answerMillis, connectMillis, telco, waitMillis } = options
    const bound = yield* Latch.make(false)
    const pace = Pace.make(options)
    const turns = Turns.make({ window: options.window, waitMillis, pace })
    const run = Effect.runForkWith(yield* Effect.context())
    let current: Session.Session | null = null
    let unanswered = 0
    let reason = "it is not connected yet"
    let connectsAt = 0
    let pause = options.reconnectMillis

    /** The SMSC works: it answers messages, as far as it was sent any. */
    const recover = () => {
      if (unanswered === 0) pause = options.reconnectMillis
    }

    /** No more turns on this connection. */
    const stop = () => {
      current = null
      bound.closeUnsafe()
    }

    /** Answers a request of the SMSC. */
    const take = (unbound: Deferred.Deferred<string>) => (session: Session.Session, request: Session.PDU) => {
      switch (request.command) {
        case "enquire_link":
        case "unknown":
          return session.respond(request)
        case "deliver_sm":
        case "data_sm":
          session.respond(request)
          run(report(telco, request))
          return
        case "unbind":
          session.respond(request)
          Deferred.doneUnsafe(unbound, Effect.succeed("the SMSC has ended the session"))
          return
      }
    }

    const bind = Effect.fnUntraced(function* (session: Session.Session) {
      const fields = {
        system_id: systemId,
        password: Redacted.value(options.password),
        system_type: options.systemType,
        interface_version: INTERFACE_VERSION
      }
      const { command_status: status } = yield* session.request("bind_transceiver", fields, answerMillis)
      if (status !== 0) yield* notDone(`the SMSC refuses to bind ${systemId} (${Statuses.nameOf(status)})`)
    })

    const keepAlive = (session: Session.Session) => {
      const ask = Effect.tap(session.request("enquire_link", {}, answerMillis), () => Effect.sync(recover))
      return Effect.flip(Effect.forever(Effect.andThen(Effect.sleep(options.enquireLinkMillis), ask)))
    }

    /** One session, from its connection to its end. */
    const live: Effect.Effect<End> = Effect.gen(function* () {
      const unbound = yield* Deferred.make<string>()
      const session = yield* Session.open(library, target, { connectMillis, take: take(unbound), whenClosed: stop })
      yield* bind(session)
      current = session
      yield* bound.open
      yield* countConnection(telco, "bound")
      yield* setBound(telco, true)
      yield* Effect.logInfo("the SMSC can be sent to", { telco })
      // In a fiber of its own: whoever is interrupted can wait for nothing with a time-out.
      // Failure: the connection is closed without it.
      const unbind = Effect.forkDetach(Effect.ignore(session.request("unbind", {}, UNBIND_MILLIS)))
      const cut = Effect.as(session.closed, "the connection was cut")
      const lost = Effect.map(keepAlive(session), ({ message }) => message)
      // Requests that are under way may still be answered.
      const left = Effect.tap(Deferred.await(unbound), () =>
        Effect.andThen(Effect.sync(stop), Effect.timeoutOption(session.closed, answerMillis))
      )
      const reason = yield* Effect.raceFirst(cut, Effect.raceFirst(lost, left)).pipe(
        Effect.onInterrupt(() => Effect.flatMap(unbind, Fiber.join)),
        Effect.ensuring(Effect.andThen(Effect.sync(stop), setBound(telco, false)))
      )
      return { wasBound: true, reason }
    }).pipe(
      Effect.scoped,
      Effect.catch(({ message }) => Effect.succeed<End>({ wasBound: false, reason: message }))
    )

    const liveOn = Effect.gen(function* () {
      while (true) {
        const end = yield* live
        reason = end.reason
        const wait = pause * (0.75 + 0.5 * (yield* Random.next))
        connectsAt = (yield* Clocks.monotonicNow) + wait
        yield* countConnection(telco, end.wasBound ? "lost" : "failed")
        yield* Effect.logWarning("the SMSC cannot be sent to", { telco, reason })
        yield* Effect.sleep(wait)
        pause = Math.min(pause * 2, options.longestReconnectMillis)
      }
    })
    yield* Effect.forkScoped(liveOn)

    const submitTo =
      (session: Session.Session): Submit =>
      (fields) =>
        Effect.tapError(
          Effect.tap(session.request("submit_sm", fields, answerMillis), ({ command_status: status }) =>
            Effect.map(Clocks.monotonicNow, (now) => {
              unanswered = 0
              recover()
              if (Statuses.meaningOf(status) === "Throttled") pace.slowDown(now)
              if (Statuses.meaningOf(status) === "Accepted") pace.recover()
            })
          ),
          ({ outcome }) =>
            Effect.suspend(() => {
              if (outcome === "Unknown") unanswered++
              if (unanswered < UNANSWERED) return Effect.void
              stop()
              return session.destroy
            })
        )

    /** When no turn has come in time. */
    const tooLate = (millis: number) =>
      Effect.flatMap(Clocks.monotonicNow, (now) =>
        Effect.fail(
          current === null
            ? notDone(`the SMSC cannot be sent to: ${reason}`, connectsAt - now)
            : notDone("the SMSC takes no more messages at the moment", millis)
        )
      )

    const whenBound: Effect.Effect<Session.Session> = Effect.suspend(() =>
      Effect.flatMap(bound.await, () => (current === null ? whenBound : Effect.succeed(current)))
    )

    const turn = <A, E>(use: (session: Session.Session) => Effect.Effect<A, E>) =>
      turns.take({ ready: whenBound, use, tooLate })

    return {
      turn: (use) => turn((session) => use(submitTo(session))),
      check: turn((session) => Effect.asVoid(session.request("enquire_link", {}, answerMillis)))
    }
  })
