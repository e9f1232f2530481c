/**
 * The circuit breaker of a telco whose adapter has none of its own: calls of the port run under `CallControl`, which makes
 * no call for a while after several in a row have had no answer.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import { type CallControl, CallFailure, PortFailure } from "../telco-calls/index.ts"

/** What the telco's own call has failed with; any other failure is that of the control. */
class OfTelco extends CallFailure.CallFailure {
  readonly failure: PortFailure.TelcoFailure

  constructor(failure: PortFailure.TelcoFailure) {
    const { message } = failure
    if (failure._tag === "Telco.Refused") super({ outcome: "Refused", message })
    else {
      // A telco that says when to come back is there. One that was not asked has left nothing unanswered.
      const isAnswered = failure.retryAfterSeconds !== undefined || failure.isAsked === false
      super({ outcome: failure.isDone === false ? "NotDone" : "Unknown", message, isAnswered })
    }
    this.failure = failure
  }
}

const callFailure = (failure: PortFailure.TelcoFailure): CallFailure.CallFailure => new OfTelco(failure)

/** What is held back here was not done, and leaves nothing to be undone (rule S5): a call of the port is one call. */
const portFailure = (failure: CallFailure.CallFailure): PortFailure.TelcoFailure => {
  if (failure instanceof OfTelco) return failure.failure
  return failure.outcome === "NotDone" ? PortFailure.notDone(failure) : PortFailure.of(failure)
}

/** The telco behind the breaker. */
export const telco = ({ run }: CallControl.CallControl, of: Telco.Telco["Service"]): Telco.Telco["Service"] => {
  const guarded = <A>(operation: keyof Telco.Telco["Service"], call: Effect.Effect<A, PortFailure.TelcoFailure>) =>
    Effect.mapError(run(operation, Effect.mapError(call, callFailure)), portFailure)
  const { listPackages } = of
  return {
    createPackage: (order) => guarded("createPackage", of.createPackage(order)),
    suspendPackage: (ref) => guarded("suspendPackage", of.suspendPackage(ref)),
    cancelPackage: (ref) => guarded("cancelPackage", of.cancelPackage(ref)),
    sendSms: (sms) => guarded("sendSms", of.sendSms(sms)),
    releaseProfile: (profile) => guarded("releaseProfile", of.releaseProfile(profile)),
    setMobilePlan: (plan) => guarded("setMobilePlan", of.setMobilePlan(plan)),
    ...(listPackages !== undefined && { listPackages: (sim) => guarded("listPackages", listPackages(sim)) })
  }
}
