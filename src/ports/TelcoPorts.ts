/**
 * What stands beside the port of the telco: for whom its calls are made and which telco they have
 * reached, its operations as a list that can be sent on or wrapped, and whether it has the settings
 * for a plan.
 */
import { Context, Effect } from "effect"
import type { PlanTerms } from "../domain/Plan.ts"
import type { StorageError } from "./storage/Read.ts"
import { type Call, type PackageRef, Refused, type Telco } from "./Telco.ts"

/** For whom a call of the port is made. */
export interface Caller {
  /** The organization whose work it is. */
  readonly organizationId: string
  /** Whether a request waits for the answer; what none waits for is tried again by itself. */
  readonly isAwaited: boolean
  /** How long the call may take, its wait for a turn included; in milliseconds. */
  readonly withinMillis: number
}

/**
 * For whom the calls of a fiber are made. An adapter that shares slots or a rate among
 * organizations goes by it (rule W13); any other may ignore it. Null: for the service itself.
 */
export const Caller = Context.Reference<Caller | null>("simplan/Telco/Caller", { defaultValue: () => null })

/** The operations that change something and that every telco has, each idempotent by a key. */
export const required = [
  "createPackage",
  "suspendPackage",
  "cancelPackage",
  "sendSms",
  "releaseProfile",
  "setMobilePlan"
] as const satisfies ReadonlyArray<keyof Telco["Service"]>

/** The operations that change something, each idempotent by a key. */
export const changes = [...required, "setService"] as const satisfies ReadonlyArray<keyof Telco["Service"]>

/** The name of an operation. */
export type Operation = Exclude<keyof Telco["Service"], "capabilities">

/** One of the operations that change something. */
export type Change = (typeof changes)[number]

/** What a call that changes something is about. */
export interface Subject {
  /** Which call it is. */
  readonly operation: Change
  /** What it is idempotent by. */
  readonly key: string
  /** The SIM that it is about. */
  readonly iccid: string
  /** The package that it is about, which its key need not be. Null: it is about none. */
  readonly packageId: string | null
}

const cannotSetService = Effect.fail(new Refused({ message: "The telco cannot stop the service of a SIM" }))

/** The port's `setService`; `Refused` if it has none. */
export const setService = (
  port: Telco["Service"],
  of: Parameters<NonNullable<Telco["Service"]["setService"]>>[0]
): Call<void> => port.setService?.(of) ?? cannotSetService

/**
 * The operations that change something, each made by `send`, which is given what the call is about
 * and chooses the port that it is made at.
 */
export const dispatch = (
  send: <A>(subject: Subject, call: (port: Telco["Service"]) => Call<A>) => Call<A>
): Required<Pick<Telco["Service"], Change>> => {
  const onPackage = (operation: Change, { iccid, packageId, key = packageId }: PackageRef): Subject => ({
    operation,
    key,
    iccid,
    packageId
  })
  const onSim = (operation: Change, key: string, iccid: string): Subject => ({ operation, key, iccid, packageId: null })
  return {
    createPackage: (order) => send(onPackage("createPackage", order), (port) => port.createPackage(order)),
    suspendPackage: (of) => send(onPackage("suspendPackage", of), (port) => port.suspendPackage(of)),
    cancelPackage: (of) => send(onPackage("cancelPackage", of), (port) => port.cancelPackage(of)),
    sendSms: (sms) => send(onSim("sendSms", sms.messageId, sms.iccid), (port) => port.sendSms(sms)),
    releaseProfile: (of) => send(onSim("releaseProfile", of.key, of.iccid), (port) => port.releaseProfile(of)),
    setMobilePlan: (of) => send(onSim("setMobilePlan", of.key, of.iccid), (port) => port.setMobilePlan(of)),
    setService: (of) => send(onSim("setService", of.key, of.iccid), (port) => setService(port, of))
  }
}

/**
 * The port with `wrap` around each of its calls, such as a limit, a count or a change of its
 * failures. A port without an optional operation stays without it.
 */
export const map = (
  port: Telco["Service"],
  wrap: <A>(call: Call<A>, operation: Operation) => Call<A>
): Telco["Service"] => {
  const { buySim, capabilities, compareUsage, listPackages, readUsage, returnSim } = port
  const { setService: wrapped, ...others } = dispatch(({ operation }, call) => wrap(call(port), operation))
  return {
    ...others,
    ...(capabilities !== undefined && { capabilities }),
    ...(port.setService !== undefined && { setService: wrapped }),
    ...(listPackages !== undefined && { listPackages: (of) => wrap(listPackages(of), "listPackages") }),
    ...(readUsage !== undefined && { readUsage: (of) => wrap(readUsage(of), "readUsage") }),
    ...(compareUsage !== undefined && { compareUsage: (of) => wrap(compareUsage(of), "compareUsage") }),
    ...(buySim !== undefined && { buySim: (of) => wrap(buySim(of), "buySim") }),
    ...(returnSim !== undefined && { returnSim: (of) => wrap(returnSim(of), "returnSim") })
  }
}

/** Which telco a call has reached, for a caller that gives it up before it fails. */
export interface Asked {
  /** Null: not known, or there is only one. */
  telco: string | null
}

/**
 * Where the call of the running fiber notes the telco that it asks; null if that is not
 * recorded.
 */
export const CurrentlyAsked = Context.Reference<Asked | null>("simplan/Telco/CurrentlyAsked", {
  defaultValue: () => null
})

/**
 * To be run by a port over several telcos before it asks one of them: a call that takes too long
 * fails with its name.
 */
export const asking = (telco: string): Effect.Effect<void> =>
  Effect.map(CurrentlyAsked, (asked) => {
    if (asked !== null) asked.telco = telco
  })

/** Answers for the telco whether it has what a plan's terms need. */
export interface TelcoTerms {
  /**
   * Refuses with a sentence for the one who creates the plan: what is missing, and how the operator
   * sets it.
   */
  readonly check: (of: {
    readonly organizationId: string
    readonly terms: PlanTerms
  }) => Effect.Effect<void, Refused | StorageError>
}

/**
 * Whether the telco can carry a plan's terms, asked when a plan is created (rule P4): a telco that
 * knows its labels and coverage profiles by settings refuses what they do not name, before anybody
 * subscribes to it.
 *
 * The default takes all terms. An adapter whose telco needs settings for them provides this
 * reference beside `Telco`.
 */
export const TelcoTerms = Context.Reference<TelcoTerms>("simplan/TelcoTerms", {
  defaultValue: () => ({ check: () => Effect.void })
})
