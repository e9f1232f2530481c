/**
 * A telco of plain functions, as simplan's `Telco` port.
 */
import { Effect, Layer, Schema } from "effect"
import { Telco } from "simplan/ports"
import * as AdapterFailures from "../errors/AdapterFailures.ts"
import * as Arguments from "../Arguments.ts"
import * as Errors from "../errors/Errors.ts"
import type * as Logs from "../Logs.ts"
import type { AdapterCall, PackageOrder, Telco as HostTelco, TelcoPackage } from "../Options.ts"
import * as PlanShapes from "../shapes/Plans.ts"

/** The functions that a telco has. */
export const operations = [
  "createPackage",
  "suspendPackage",
  "cancelPackage",
  "sendSms",
  "releaseProfile",
  "setMobilePlan"
] as const satisfies ReadonlyArray<keyof HostTelco>

const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : `it threw ${Arguments.shown(error)}`

const orderOf = ({ iccid, packageId, terms, window }: Telco.PackageOrder): PackageOrder => ({
  packageId,
  iccid,
  window: window === null ? null : { start: Arguments.toDate(window.start), end: Arguments.toDate(window.end) },
  terms: PlanShapes.terms(terms)
})

const Time = Schema.optional(Schema.NullOr(Arguments.Instant))
const isPackage = Schema.is(Schema.Struct({ telcoPackageId: Schema.String, activationAt: Time, expirationAt: Time }))

const packageOf = (created: TelcoPackage): Telco.TelcoPackage => {
  if (!isPackage(created)) {
    const must = "{ telcoPackageId: string, activationAt?, expirationAt? } with instants as Date or RFC 3339 text"
    throw new TypeError(`createPackage must resolve with ${must}, not with ${Arguments.shown(created)}`)
  }
  return {
    telcoPackageId: created.telcoPackageId,
    activationAt: Arguments.toInstantOrNull(created.activationAt),
    expirationAt: Arguments.toInstantOrNull(created.expirationAt)
  }
}

/** The port that calls these functions. What they throw unexpectedly is logged with its stack. */
export const layer = (telco: HostTelco, log: Logs.Write): Layer.Layer<Telco.Telco> => {
  const failed = (operation: string, error: unknown, of: AdapterFailures.AdapterFailures | null) => {
    if (error instanceof Errors.TelcoRefused || error instanceof Telco.Refused) {
      return new Telco.Refused({ message: messageOf(error) })
    }
    if (error instanceof Errors.TelcoUnavailable || error instanceof Telco.Unavailable) {
      of?.add(`telco.${operation}`, error, true)
      const { retryAfterSeconds } = error
      return new Telco.Unavailable({
        message: messageOf(error),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
      })
    }
    const isConnection = AdapterFailures.isConnection(error)
    of?.add(`telco.${operation}`, error, isConnection)
    if (isConnection)
      log("warn", `telco.${operation} could not connect; the call is undone or tried again`, { err: error })
    else
      log("error", `telco.${operation} threw an error that is neither TelcoRefused nor TelcoUnavailable`, {
        err: error
      })
    return new Telco.Unavailable({ message: messageOf(error) })
  }
  const call = <A>(operation: keyof HostTelco, send: (call: AdapterCall) => Promise<A>) =>
    Effect.flatMap(AdapterFailures.Current, (of) =>
      Effect.tryPromise({
        try: async (signal) => send({ signal }),
        catch: (error) => failed(operation, error, of)
      })
    )
  return Layer.succeed(Telco.Telco, {
    createPackage: (order) =>
      call("createPackage", async (options) => packageOf(await telco.createPackage(orderOf(order), options))),
    suspendPackage: (of) =>
      Effect.asVoid(call("suspendPackage", (options) => telco.suspendPackage({ ...of }, options))),
    cancelPackage: (of) => Effect.asVoid(call("cancelPackage", (options) => telco.cancelPackage({ ...of }, options))),
    sendSms: (sms) => Effect.asVoid(call("sendSms", (options) => telco.sendSms({ ...sms }, options))),
    releaseProfile: (of) =>
      Effect.asVoid(call("releaseProfile", (options) => telco.releaseProfile({ ...of }, options))),
    setMobilePlan: (of) => Effect.asVoid(call("setMobilePlan", (options) => telco.setMobilePlan({ ...of }, options)))
  })
}
