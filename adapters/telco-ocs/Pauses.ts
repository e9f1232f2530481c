/**
 * Pauses SIMs at the system, and resumes them (rule S7).
 *
 * The system starts the service of a SIM when it gives it a package. So the journal has for each
 * SIM that was ever paused whether it is, and one that is paused is paused once more after each
 * order, before the order is answered. What a call without an answer makes late comes unseen, so
 * the SIM is paused once more too whenever an order is settled, at the end of its watch time at the
 * latest. Such a call may be late itself: the journal has it until it is answered, and a resumption
 * is done only when none may come after it.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallFailure, Journal, ServiceChanges, SimLocks } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

/** The kind of the entries of SIMs, which stay. */
const KIND = "pause"

const Pause = Schema.Struct({
  isPaused: Schema.Boolean,
  /**
   * When those calls were made that pause the SIM once more and have no answer, or were given up.
   */
  unanswered: Schema.Array(Schema.Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})

type Pause = typeof Pause.Type

const decode = Schema.decodeUnknownOption(Pause)

const never: Pause = { isPaused: false, unanswered: [] }

const pauseOf = (entry: Journal.Entry | null): Pause => Option.getOrElse(decode(entry?.document), () => never)

/** A time for one more of these calls. No two have the same, by which they are taken off again. */
const timeOf = (unanswered: ReadonlyArray<number>, now: number): number =>
  Math.max(now, ...unanswered.map((at) => at + 1))

/** The changes of SIMs' service, and what keeps it so. */
export const make = Effect.gen(function* () {
  const { telco, watch } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks

  const placeOf = (iccid: string): Journal.Place => ({ telco, kind: KIND, key: iccid })

  const entryOf = (iccid: string, pause: Pause) => ({
    iccid,
    externalId: null,
    document: { isPaused: pause.isPaused, unanswered: pause.unanswered },
    dueAt: null
  })

  const read = (iccid: string) => CallFailure.ofJournal(journal.get(placeOf(iccid)))

  const change = (iccid: string, to: (before: Pause) => Pause) =>
    Journal.change(journal, placeOf(iccid), (entry) => entryOf(iccid, to(pauseOf(entry))))

  const notDone = (message: string) => new CallFailure.CallFailure({ outcome: "NotDone", message })

  /**
   * What the entry had before. Written before the call, so that no order that is made meanwhile
   * starts the service unnoticed.
   */
  const note = Effect.fnUntraced(function* (iccid: string, active: boolean) {
    let noted = never
    yield* Effect.mapError(
      change(iccid, (before) => {
        noted = before
        return { ...before, isPaused: !active }
      }),
      ({ message }) => notDone(message)
    )
    return noted
  })

  const set = Effect.fnUntraced(function* ({ active, iccid }: { readonly active: boolean; readonly iccid: string }) {
    const { unanswered } = yield* note(iccid, active)
    // What is refused leaves the SIM as it was: nobody may ask for it again.
    yield* Effect.tapError(api.setSubscriberStatus({ iccid, isActive: active }), ({ outcome }) =>
      outcome === "Refused" || outcome === "NotFound" ? note(iccid, !active) : Effect.void
    )
    const now = yield* Clock.currentTimeMillis
    if (active && unanswered.some((at) => at + watch > now)) {
      yield* notDone("The telco has not answered a call that pauses this SIM once more, and may still do it")
    }
  })

  const setService = ServiceChanges.make(set, { telco, journal, locks, lateMillis: watch })

  /** Pauses a SIM once more that is paused by its entry, which nobody has changed meanwhile. */
  const pauseAgain = Effect.fnUntraced(function* (iccid: string) {
    const entry = yield* read(iccid)
    const pause = pauseOf(entry)
    if (!pause.isPaused) return
    const now = yield* Clock.currentTimeMillis
    const at = timeOf(pause.unanswered, now)
    const unanswered = [...pause.unanswered.filter((one) => one + watch > now), at]
    const asked = { ...placeOf(iccid), ...entryOf(iccid, { ...pause, unanswered }) }
    const written = yield* CallFailure.ofJournal(Journal.write(journal, entry, asked))
    if (written === null) return yield* CallFailure.unavailable("Another process changes the service of this SIM", 1)
    // Its outcome is written down whoever gives up.
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const answer = yield* Effect.result(restore(api.setSubscriberStatus({ iccid, isActive: false })))
        const isUnknown = answer._tag === "Failure" && answer.failure.outcome === "Unknown"
        const ended = yield* Clock.currentTimeMillis
        yield* CallFailure.ofJournal(
          change(iccid, (before) => {
            const others = before.unanswered.filter((one) => one !== at)
            return { ...before, unanswered: isUnknown ? [...others, timeOf(others, ended)] : others }
          })
        )
        yield* CallFailure.asPort(Effect.fromResult(answer))
      })
    )
  })

  /**
   * Pauses a SIM once more that is paused. Until that is done the order is not: a refusal of it is
   * none of the order.
   */
  const keep = Effect.fnUntraced(
    function* (iccid: string) {
      if (pauseOf(yield* read(iccid)).isPaused) yield* locks.withLock(iccid, () => pauseAgain(iccid))
    },
    Effect.catchTag("Telco.Refused", ({ message }) => Effect.fail(new Telco.Unavailable({ message })))
  )

  return { setService, keep }
})
