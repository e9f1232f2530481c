/**
 * The circuit breaker of a telco whose adapter has none of its own: calls of the port run under `CallControl`, which makes
 * no call for a while after several in a row have had no answer.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import { type CallControl, CallFailure, PortFailure } from "../telco-calls/index.ts"

const callFailure = (failure: PortFailure.TelcoFailure): CallFailure.CallFailure => {
  const { message } = failure
  if (failure._tag === "Telco.Refused") return new CallFailure.CallFailure({ outcome: "Refused", message })
  const { isDone, retryAfterSeconds } = failure
  // A telco that says when to come back is there.
  return new CallFailure.CallFailure({
    outcome: isDone === false ? "NotDone" : "Unknown",
    message,
    isAnswered: retryAfterSeconds !== undefined,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
  })
}

/** A call of the port is one call here, so what was not done leaves nothing to be undone (rule S5). */
const portFailure = (failure: CallFailure.CallFailure): PortFailure.TelcoFailure =>
  failure.outcome === "NotDone" ? PortFailure.notDone(failure) : PortFailure.of(failure)

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
