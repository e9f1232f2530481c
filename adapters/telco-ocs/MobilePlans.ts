/**
 * Applies the mobile plan of the settings to SIMs, or takes it away.
 *
 * A call says what the plan is to be, so it may be made again where its outcome is unknown; but not when a later change
 * of the same SIM has been asked for, which it would undo.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallKinds, Journal, SimLocks, PortFailure } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

const Change = Schema.Struct({
  applied: Schema.Boolean,
  state: Schema.Literals(["Asked", "Done", "Refused"]),
  reason: Schema.NullOr(Schema.String)
})

type Change = typeof Change.Type

const decode = Schema.decodeUnknownEffect(Change)

export class MobilePlans extends Context.Service<MobilePlans, Pick<Telco.Telco["Service"], "setMobilePlan">>()(
  "simplan/TelcoOcs/MobilePlans"
) {}

const make = Effect.gen(function* () {
  const { mobilePlanId, telco } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks

  const change = Effect.fnUntraced(function* ({
    applied,
    iccid,
    key
  }: Parameters<Telco.Telco["Service"]["setMobilePlan"]>[0]) {
    const place = { telco, kind: CallKinds.MOBILE_PLAN, key }
    const document = (state: Change["state"], reason: string | null = null): Change => ({ applied, state, reason })
    const added = yield* PortFailure.journal(
      journal.add({ ...place, iccid, externalId: null, document: document("Asked"), dueAt: null })
    )
    const entry = added ?? (yield* PortFailure.journal(journal.get(place)))
    if (entry === null) return yield* PortFailure.unavailable("The change's entry is gone", 1)
    const found = yield* Effect.mapError(decode(entry.document), () =>
      PortFailure.unavailable("The change's entry has another form")
    )
    if (found.state === "Done") return
    if (found.state === "Refused") return yield* new Telco.Refused({ message: found.reason ?? "Refused" })
    // A call that comes again writes its entry, so that it is not purged before the call is over.
    const open = added ?? (yield* PortFailure.journal(journal.replace(entry)))
    if (open === null) return yield* PortFailure.unavailable("Another call has gone on with this change", 1)
    const end = (state: Change["state"], reason?: string) =>
      Effect.asVoid(PortFailure.journal(journal.replace({ ...open, document: document(state, reason) })))
    const all = yield* PortFailure.journal(journal.ofSim({ telco, kind: CallKinds.MOBILE_PLAN, iccid }))
    if (all.at(-1)?.key !== key) return yield* end("Done")
    if (applied && mobilePlanId === null) {
      const message = `No mobile plan of ${telco} is set`
      yield* end("Refused", message)
      return yield* new Telco.Refused({ message })
    }
    const answer = yield* Effect.result(api.setMobilePlan({ iccid, mobilePlanId: applied ? mobilePlanId : null }))
    if (answer._tag === "Success") return yield* end("Done")
    const failure = PortFailure.of(answer.failure)
    if (failure._tag === "Telco.Refused") yield* end("Refused", failure.message)
    return yield* failure
  })

  return MobilePlans.of({
    setMobilePlan: Effect.fn("MobilePlans.setMobilePlan")((of) => locks.withLock(of.iccid, () => change(of)))
  })
})

export const layer: Layer.Layer<MobilePlans, never, Api.Api | Journal.Journal | Settings | SimLocks.SimLocks> =
  Layer.effect(MobilePlans, make)
