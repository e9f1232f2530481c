/**
 * The port's calls of a telco that has no such capability. The settings send it none; this is for a key that went to
 * another kind of telco of the same name before.
 */
import { Effect } from "effect"
import { Telco } from "simplan/ports"

/** Refuses every call. */
export const telco = (name: string): Telco.Telco["Service"] => {
  const refuse = (what: string) => () =>
    Effect.fail(new Telco.Refused({ message: `The telco ${name} is not one that ${what}` }))
  return {
    createPackage: refuse("creates packages"),
    suspendPackage: refuse("suspends packages"),
    cancelPackage: refuse("cancels packages"),
    sendSms: refuse("sends messages"),
    releaseProfile: refuse("releases profiles"),
    setMobilePlan: refuse("sets mobile plans")
  }
}
