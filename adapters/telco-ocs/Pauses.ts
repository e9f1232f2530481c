/**
 * Pauses SIMs at the system, and resumes them (rule S7).
 *
 * The system starts the service of a SIM when it gives it a package. So the journal has for each SIM that was ever paused
 * whether it is, and one that is paused is paused once more after each order, before the order is answered.
 */
import { Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallFailure, Journal, ServiceChanges, SimLocks } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

/** The kind of the entries of SIMs, which stay. */
const KIND = "pause"

const isPaused = Schema.is(Schema.Struct({ isPaused: Schema.Literal(true) }))

/** The changes of SIMs' service, and what keeps it so. */
export const make = Effect.gen(function* () {
  const { telco, watch } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks

  const placeOf = (iccid: string): Journal.Place => ({ telco, kind: KIND, key: iccid })

  /** Written before the call, so that no order that is made meanwhile starts the service unnoticed. */
  const note = (iccid: string, active: boolean) =>
    Effect.mapError(
      Journal.change(journal, placeOf(iccid), () => ({
        iccid,
        externalId: null,
        document: { isPaused: !active },
        dueAt: null
      })),
      ({ message }) => new CallFailure.CallFailure({ outcome: "NotDone", message })
    )

  const setService = ServiceChanges.make(
    ({ active, iccid }) => Effect.andThen(note(iccid, active), api.setSubscriberStatus({ iccid, isActive: active })),
    { telco, journal, locks, lateMillis: watch }
  )

  /** Pauses a SIM once more that is paused. Until that is done the order is not: a refusal of it is none of the order. */
  const keep = Effect.fnUntraced(
    function* (iccid: string) {
      const entry = yield* CallFailure.ofJournal(journal.get(placeOf(iccid)))
      if (!isPaused(entry?.document)) return
      yield* locks.withLock(iccid, () =>
        Effect.gen(function* () {
          const now = yield* CallFailure.ofJournal(journal.get(placeOf(iccid)))
          if (!isPaused(now?.document)) return
          yield* CallFailure.asPort(api.setSubscriberStatus({ iccid, isActive: false }))
        })
      )
    },
    Effect.catchTag("Telco.Refused", ({ message }) => Effect.fail(new Telco.Unavailable({ message })))
  )

  return { setService, keep }
})
