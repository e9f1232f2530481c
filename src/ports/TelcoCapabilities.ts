/**
 * What the telco of a SIM can do, for what is refused before it is asked (rule P4). An adapter
 * declares it on its port, in what differs from a full telco:
 *
 *     const port = TelcoCapabilities.limited({ windows: false, throttling: false }, { createPackage, … })
 */
import { Context, Effect, Result } from "effect"
import * as Can from "../domain/Capabilities.ts"
import type { Label } from "../domain/Label.ts"
import type { StorageError } from "./storage/Read.ts"
import { type Call, Refused, Telco } from "./Telco.ts"

/** Which SIMs it is about: those of an organization and a label, or one of them. */
export interface Sims {
  /** The organization that owns them. */
  readonly organizationId: string
  /** Their supply tier. */
  readonly label: Label
  /** The load that they were bought with, or are to be. Absent or null: none. */
  readonly purchase?: { readonly load: string } | null
  /** The SIM itself: one that was bought is its seller's. Absent: it is no SIM in particular. */
  readonly iccid?: string
}

/** What the telco of such SIMs can do now. */
export type CapabilitiesOf = (of: Sims) => Effect.Effect<Can.Capabilities, StorageError>

/** What a port can do: what it declares; else all, as far as it has the operations. */
export const ofPort = ({
  buySim,
  capabilities,
  setService
}: Pick<Telco["Service"], "buySim" | "capabilities" | "setService">): Can.Capabilities => ({
  ...Can.full,
  bundles: buySim !== undefined,
  pause: setService !== undefined,
  ...capabilities
})

/**
 * What the telco of such SIMs can do now. Null, the default: what the port can do, whatever the
 * SIM. An adapter over several telcos provides this reference beside `Telco`.
 */
export const TelcoCapabilities = Context.Reference<CapabilitiesOf | null>("simplan/TelcoCapabilities", {
  defaultValue: () => null
})

/** What the telco of such SIMs can do. */
export const current: Effect.Effect<CapabilitiesOf, never, Telco> = Effect.gen(function* () {
  const ofSims = yield* TelcoCapabilities
  const port = Effect.succeed(ofPort(yield* Telco))
  return ofSims ?? (() => port)
})

/** Refuses, by one of the rules of `Capabilities`, what the telco of such SIMs cannot do. */
export const check = <E>(
  can: ReturnType<CapabilitiesOf>,
  rule: (can: Can.Capabilities) => Result.Result<void, E>
): Effect.Effect<void, StorageError | E> => Effect.flatMap(can, (found) => Effect.fromResult(rule(found)))

/** What a telco may leave out. */
type Spared = "suspendPackage" | "sendSms" | "releaseProfile" | "setMobilePlan"

/** The operations of a telco that may have less than every port has. */
export type Operations = Omit<Telco["Service"], Spared | "capabilities"> & Partial<Pick<Telco["Service"], Spared>>

/**
 * A port that declares what it can do, and refuses everything else before its operations are
 * called. An operation that is left out is not supported; but a telco that releases no profiles
 * manages none, and lets a release succeed.
 */
export const limited = (capabilities: Partial<Can.Capabilities>, port: Operations): Telco["Service"] => {
  const { releaseProfile, sendSms, setMobilePlan, suspendPackage } = port
  const declared: Partial<Can.Capabilities> = {
    ...(sendSms === undefined && { sms: null }),
    ...(setMobilePlan === undefined && { mobilePlans: false }),
    ...(suspendPackage === undefined && { suspension: "none" }),
    ...capabilities
  }
  const can = ofPort({ ...port, capabilities: declared })
  const ifSupported = <A>(checked: ReturnType<typeof Can.pause>, call: () => Call<A>): Call<A> =>
    Result.isSuccess(checked) ? call() : Effect.fail(new Refused({ message: checked.failure.message }))
  return {
    ...port,
    capabilities: declared,
    createPackage: (of) => {
      const order = { terms: of.terms, isBundle: of.load !== undefined, isTimed: of.window !== null }
      return ifSupported(Can.order(can, order), () => port.createPackage(of))
    },
    suspendPackage: (of) => ifSupported(Can.suspension(can), () => suspendPackage?.(of) ?? Effect.void),
    sendSms: (sms) => ifSupported(Can.sms(can, sms), () => sendSms?.(sms) ?? Effect.void),
    releaseProfile: (of) => releaseProfile?.(of) ?? Effect.void,
    setMobilePlan: (of) =>
      of.applied
        ? ifSupported(Can.mobilePlan(can), () => setMobilePlan?.(of) ?? Effect.void)
        : (setMobilePlan?.(of) ?? Effect.void)
  }
}
