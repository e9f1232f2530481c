/**
 * The circuit breaker of a telco whose adapter has none of its own: calls of the port run under `CallControl`, which makes
 * no call for a while after several in a row have had no answer.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import { type CallControl, CallFailure, PortFailure } from "../telco-calls/index.ts"

const told = (failure: PortFailure.TelcoFailure): CallFailure.CallFailure => {
  const { message } = failure
  if (failure._tag === "Telco.Refused") return new CallFailure.CallFailure({ outcome: "Refused", message })
  const { retryAfterSeconds } = failure
  // A telco that says when to come back is there.
  return new CallFailure.CallFailure({
    outcome: "Unknown",
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds, isAnswered: true })
  })
}

/** The telco behind the breaker. */
export const telco = ({ run }: CallControl.CallControl, of: Telco.Telco["Service"]): Telco.Telco["Service"] => {
  const guarded = <A>(operation: keyof Telco.Telco["Service"], call: Effect.Effect<A, PortFailure.TelcoFailure>) =>
    Effect.mapError(run(operation, Effect.mapError(call, told)), PortFailure.of)
  return {
    createPackage: (order) => guarded("createPackage", of.createPackage(order)),
    suspendPackage: (ref) => guarded("suspendPackage", of.suspendPackage(ref)),
    cancelPackage: (ref) => guarded("cancelPackage", of.cancelPackage(ref)),
    sendSms: (sms) => guarded("sendSms", of.sendSms(sms)),
    releaseProfile: (profile) => guarded("releaseProfile", of.releaseProfile(profile)),
    setMobilePlan: (plan) => guarded("setMobilePlan", of.setMobilePlan(plan))
  }
}
