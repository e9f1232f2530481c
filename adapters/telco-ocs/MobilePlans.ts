/**
 * Applies the mobile plan of the settings to SIMs, or takes it away.
 *
 * A call says what the plan is to be, so it may be made again if its outcome is unknown; but not
 * when a later change of the same SIM has been asked for, which it would undo.
 *
 * The system may do a call without an answer late, after a newer one, and has no call that reads
 * the plan. So the newest change is made once more when the watch time of such a call is over: then
 * it stands, whatever was done late. Changes of a SIM follow each other under its lock, and each
 * call is in the journal before it is made.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallGate, CallFailure, CallRecords, Journal, SimLocks } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

const Change = Schema.Struct({
  applied: Schema.Boolean,
  state: Schema.Literals(["Asked", "Done", "Refused"]),
  reason: Schema.NullOr(Schema.String),
  /** When the last call whose outcome is unknown was begun, or given up; null: there was none. */
  uncertainAt: Schema.NullOr(Schema.Finite)
})

type Change = typeof Change.Type

/** Changes mobile plans, and settles those that may have been undone late. */
export class MobilePlans extends Context.Service<
  MobilePlans,
  Pick<Telco.Telco["Service"], "setMobilePlan"> & {
    /** Makes the changes once more that are due for it, at most `limit`: how many were due. */
    readonly settle: (of: { readonly limit: number }) => Effect.Effect<number, Journal.JournalError>
  }
>()("simplan/TelcoOcs/MobilePlans") {}

/** When a change is due again that could not be made once more, in milliseconds. */
const RETRY = 60_000

const make = Effect.gen(function* () {
  const { mobilePlanId, telco, watch } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks
  const kind = Journal.MOBILE_PLAN

  const records = CallRecords.make(journal, { telco, kind }, Change)

  /**
   * When the change has to be made once more, because an older one of the other kind may be done
   * late; null: never.
   */
  const againAt = Effect.fnUntraced(function* (
    all: ReadonlyArray<CallRecords.CallRecord<Change>>,
    key: string,
    applied: boolean
  ) {
    const others = all.flatMap((one) => (one.key === key ? [] : (one.get() ?? [])))
    const times = others.flatMap((one) => (one.applied === applied ? [] : (one.uncertainAt ?? [])))
    const end = Math.max(...times) + watch
    return end > (yield* Clock.currentTimeMillis) ? end : null
  })

  const call = (iccid: string, applied: boolean) =>
    api.setMobilePlan({ iccid, mobilePlanId: applied ? mobilePlanId : null })

  const change = Effect.fnUntraced(function* ({
    applied,
    iccid,
    key
  }: Parameters<Telco.Telco["Service"]["setMobilePlan"]>[0]) {
    const began = yield* Clock.currentTimeMillis
    const asked: Change = { applied, state: "Asked", reason: null, uncertainAt: began }
    const { get, put } = yield* records.open(key, iccid)
    const found = get()
    if (found?.state === "Done") return
    if (found?.state === "Refused") return yield* new Telco.Refused({ message: found.reason ?? "Refused" })
    if (found === null) yield* put(asked)
    const uncertainAt = found?.uncertainAt ?? null
    const all = yield* records.ofSim(iccid)
    if (all.at(-1)?.key !== key) return yield* put({ ...asked, ...found, state: "Done" })
    // A call that comes again writes its entry, also so that it is not purged before the call is
    // over.
    if (found !== null) yield* put(asked)
    const refuse = Effect.fnUntraced(function* (reason: string) {
      yield* put({ ...asked, state: "Refused", reason, uncertainAt })
      return yield* new Telco.Refused({ message: reason })
    })
    if (applied && mobilePlanId === null) return yield* refuse(`No mobile plan of ${telco} is set`)
    const answer = yield* Effect.result(call(iccid, applied))
    if (answer._tag === "Success") {
      const dueAt = yield* againAt(all, key, applied)
      return yield* put({ ...asked, state: "Done", uncertainAt }, { dueAt })
    }
    const failure = CallFailure.toPort(answer.failure)
    if (failure._tag === "Telco.Refused") return yield* refuse(failure.message)
    const isUnknown = answer.failure.outcome === "Unknown"
    yield* put({ ...asked, uncertainAt: isUnknown ? yield* Clock.currentTimeMillis : uncertainAt })
    return yield* failure
  })

  /**
   * Makes a change once more, unless a newer one has been asked for meanwhile, which sees to it.
   */
  const again = Effect.fnUntraced(function* (claimed: Journal.Entry, iccid: string) {
    const { get, put } = yield* records.open(claimed.key, iccid)
    const found = get()
    if (found === null) return
    const isNewest = (yield* records.ofSim(iccid)).at(-1)?.key === claimed.key
    const isCallable = !found.applied || mobilePlanId !== null
    if (!isNewest || found.state !== "Done" || !isCallable) return yield* put(found)
    yield* put({ ...found, uncertainAt: yield* Clock.currentTimeMillis }, { dueAt: claimed.dueAt })
    const answer = yield* Effect.result(call(iccid, found.applied))
    if (answer._tag === "Failure") {
      const { message, outcome } = answer.failure
      if (outcome !== "Refused" && outcome !== "NotFound") return yield* CallFailure.later(answer.failure)
      yield* Effect.logWarning(`${telco} refuses to set the mobile plan of ${iccid} once more: ${message}`)
    }
    yield* put(found)
  })

  return MobilePlans.of({
    setMobilePlan: Effect.fn("MobilePlans.setMobilePlan")((of) => locks.withLock(of.iccid, () => change(of))),
    settle: Effect.fn("MobilePlans.settle")(function* ({ limit }) {
      const now = yield* Clock.currentTimeMillis
      const due = yield* journal.claimDue({ telco, kind, now, until: now + RETRY, limit })
      for (const entry of due) {
        const { iccid } = entry
        if (iccid === null) continue
        // Failure: it is due again when the claim ends.
        yield* Effect.catch(
          locks.withLock(iccid, () => CallGate.asPoll(again(entry, iccid))),
          ({ message }) => Effect.logDebug(`The mobile plan of ${iccid} is set once more in a minute: ${message}`)
        )
      }
      return due.length
    })
  })
})

/** The implementation that `Ocs.layer` provides. */
export const layer: Layer.Layer<MobilePlans, never, Api.Api | Journal.Journal | Settings | SimLocks.SimLocks> =
  Layer.effect(MobilePlans, make)
