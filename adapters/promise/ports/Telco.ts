/**
 * A telco of plain functions, as simplan's `Telco` port. One that knows no idempotency keys goes
 * over the journal of `simplan/telco-calls`, which is loaded when the telco is needed.
 */
import { Effect, Layer, Schema } from "effect"
import { Telco, TelcoAnswers, TelcoCapabilities, TelcoPorts } from "simplan/ports"
import * as Failures from "../errors/Failures.ts"
import * as Arguments from "../Arguments.ts"
import * as Errors from "../errors/Errors.ts"
import * as Logs from "../Logs.ts"
import type {
  AdapterCall,
  PackageOrder,
  PackageUsage,
  Telco as HostTelco,
  TelcoPackage,
  TelcoLayer
} from "../Options.ts"
import * as PlansResource from "../resources/PlansResource.ts"
import type * as TelcoCalls from "../../telco-calls/index.ts"
import type { Journal, KeylessTelco } from "../../telco-calls/index.ts"
import type { JournalOptions, ListedPackage, TelcoSystem } from "../types/TelcosTypes.ts"

/**
 * What to throw if one of the functions is missing. `field` comes before the function's name.
 */
export const missing = (method: string, of: unknown, names: ReadonlyArray<string>, field = "") => {
  const name = names.find((one) => typeof Reflect.get(Object(of), one) !== "function")
  if (name === undefined) return undefined
  return Arguments.invalid(method, field + name, "must be an async function", Reflect.get(Object(of), name))
}

const messageOf = (error: unknown): string =>
  Failures.isError(error) && error.message !== "" ? error.message : `it threw ${Arguments.shown(error)}`

/** An order as the host gets it. */
export const orderOf = ({ iccid, packageId, terms, window }: Telco.PackageOrder): PackageOrder => ({
  packageId,
  iccid,
  window: window === null ? null : { start: Arguments.toDate(window.start), end: Arguments.toDate(window.end) },
  terms: PlansResource.termsOf(terms)
})

/** A time that a telco may report. */
export const Time = Schema.optional(Schema.NullOr(Arguments.Instant))
const isPackage = Schema.is(Schema.Struct({ telcoPackageId: Schema.String, activationAt: Time, expirationAt: Time }))

const Bytes = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The package that the host has made. Throws if it is none. */
export const packageOf = (created: TelcoPackage): Telco.TelcoPackage => {
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

const isList = Schema.is(Schema.NullOr(Schema.Array(Schema.NonEmptyString)))

const listOf = (listed: ReadonlyArray<string> | null): ReadonlyArray<string> | null => {
  if (!isList(listed)) {
    throw new TypeError(`listPackages must resolve with an array of ids, or null, not with ${Arguments.shown(listed)}`)
  }
  return listed
}

const isUsage = Schema.is(
  Schema.NullOr(Schema.Array(Schema.Struct({ packageId: Schema.NonEmptyString, usedBytes: Bytes, activationAt: Time })))
)

const usageOf = (read: ReadonlyArray<PackageUsage> | null): ReadonlyArray<Telco.PackageUsage> | null => {
  if (!isUsage(read)) {
    const must = "an array of { packageId: string, usedBytes: number, activationAt? }, or null"
    throw new TypeError(`readUsage must resolve with ${must}, not with ${Arguments.shown(read)}`)
  }
  return (
    read?.map(({ activationAt, packageId, usedBytes }) => ({
      packageId,
      usedBytes,
      activationAt: Arguments.toInstantOrNull(activationAt)
    })) ?? null
  )
}

/** What came of a function that threw. */
export type Thrown =
  | { readonly isRefusal: true; readonly message: string }
  | {
      readonly isRefusal: false
      readonly message: string
      readonly retryAfterSeconds: number | undefined
      /** Whether the host says that the telco has certainly not done it. */
      readonly isKnown: boolean
      /** What was thrown. */
      readonly error: unknown
    }

/** Calls the host's functions. What they throw unexpectedly is logged with its stack. */
export const calling =
  (log: Logs.Write) =>
  <A>(operation: string, send: (call: AdapterCall) => Promise<A>): Effect.Effect<A, Thrown> => {
    const thrown = (error: unknown, of: Failures.OfAdapters | null): Thrown => {
      const message = messageOf(error)
      if (error instanceof Errors.TelcoRefused || error instanceof Telco.Refused) return { isRefusal: true, message }
      if (error instanceof Errors.TelcoUnavailable || error instanceof Telco.Unavailable) {
        of?.add(`telco.${operation}`, error, true)
        const { isDone, retryAfterSeconds } = error
        return { isRefusal: false, message, retryAfterSeconds, isKnown: isDone === false, error }
      }
      const isConnection = Failures.isConnection(error)
      of?.add(`telco.${operation}`, error, isConnection)
      if (isConnection)
        log("warn", `telco.${operation} could not connect; the call is undone or tried again`, { err: error })
      else
        log("error", `telco.${operation} threw an error that is neither TelcoRefused nor TelcoUnavailable`, {
          err: error
        })
      return { isRefusal: false, message, retryAfterSeconds: undefined, isKnown: false, error }
    }
    return Effect.flatMap(Failures.CurrentOfAdapters, (of) =>
      Effect.tryPromise({ try: async (signal) => send({ signal }), catch: (error) => thrown(error, of) })
    )
  }

const failureOf = (thrown: Thrown): Telco.Refused | Telco.Unavailable => {
  const { message } = thrown
  if (thrown.isRefusal) return new Telco.Refused({ message })
  const { isKnown, retryAfterSeconds } = thrown
  return new Telco.Unavailable({
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(isKnown && { isDone: false })
  })
}

/** The port, which refuses what the host says that its telco cannot do. */
const declared = ({ capabilities }: Pick<HostTelco, "capabilities">, port: Telco.Telco["Service"]) =>
  capabilities === undefined ? port : TelcoCapabilities.limited(capabilities, port)

/** The port that calls these functions. */
export const layer = (telco: HostTelco, log: Logs.Write): Layer.Layer<Telco.Telco> => {
  const calls = calling(log)
  const call = <A>(operation: Exclude<keyof HostTelco, "capabilities">, send: (call: AdapterCall) => Promise<A>) =>
    Effect.mapError(calls(operation, send), failureOf)
  const port: Telco.Telco["Service"] = {
    ...(telco.setService !== undefined && {
      setService: (of) => Effect.asVoid(call("setService", async (options) => telco.setService?.({ ...of }, options)))
    }),
    createPackage: (order) =>
      call("createPackage", async (options) => packageOf(await telco.createPackage(orderOf(order), options))),
    suspendPackage: (of) =>
      Effect.asVoid(call("suspendPackage", (options) => telco.suspendPackage({ ...of }, options))),
    cancelPackage: (of) => Effect.asVoid(call("cancelPackage", (options) => telco.cancelPackage({ ...of }, options))),
    sendSms: (sms) => call("sendSms", (options) => telco.sendSms({ ...sms }, options)),
    releaseProfile: (of) =>
      Effect.asVoid(call("releaseProfile", (options) => telco.releaseProfile({ ...of }, options))),
    setMobilePlan: (of) => Effect.asVoid(call("setMobilePlan", (options) => telco.setMobilePlan({ ...of }, options))),
    listPackages: (of) =>
      call("listPackages", async (options) => listOf((await telco.listPackages?.({ ...of }, options)) ?? null)),
    readUsage: (of) =>
      call("readUsage", async (options) => usageOf((await telco.readUsage?.({ ...of }, options)) ?? null))
  }
  return Layer.succeed(Telco.Telco, declared(telco, port))
}

/**
 * The port, whose calls that are unavailable are the `cause` of what the host's call rejects with.
 */
export const causing = (behind: Layer.Layer<Telco.Telco>): Layer.Layer<Telco.Telco> =>
  Layer.effect(
    Telco.Telco,
    Telco.Telco.useSync((telco) =>
      TelcoPorts.map(telco, (call, operation) =>
        Effect.tapErrorTag(call, "Telco.Unavailable", (failure) =>
          Effect.map(Failures.CurrentOfAdapters, (of) => of?.add(`telco.${operation}`, failure, true))
        )
      )
    )
  ).pipe(Layer.provide(behind))

const METHOD = "journaledTelco"

const functions = ["listPackages", ...TelcoPorts.required] as const satisfies ReadonlyArray<keyof TelcoSystem>

const decode = Arguments.decoder(
  Schema.Struct({
    name: Schema.optional(Arguments.Name),
    lateFor: Schema.optional(Arguments.TimeSpan),
    logger: Schema.optional(Schema.Unknown)
  }),
  "the options"
)

const isListed = Schema.is(
  Schema.Array(
    Schema.Struct({
      telcoPackageId: Schema.String,
      packageId: Schema.optional(Schema.NullOr(Schema.String)),
      activationAt: Time,
      expirationAt: Time,
      usedBytes: Schema.optional(Schema.NullOr(Bytes))
    })
  )
)

const listedOf = (listed: ReadonlyArray<ListedPackage>): ReadonlyArray<KeylessTelco.Listed> => {
  if (!isListed(listed)) {
    const must = "an array of { telcoPackageId: string, packageId?, activationAt?, expirationAt?, usedBytes? }"
    throw new TypeError(`listPackages must resolve with ${must}, not with ${Arguments.shown(listed)}`)
  }
  return listed.map(({ activationAt, expirationAt, packageId = null, telcoPackageId, usedBytes = null }) => ({
    telcoPackageId,
    packageId,
    usedBytes,
    activationAt: Arguments.toInstantOrNull(activationAt),
    expirationAt: Arguments.toInstantOrNull(expirationAt)
  }))
}

/** The functions as a system without keys. */
const systemOf = (
  system: TelcoSystem,
  log: Logs.Write,
  { Answers, CallFailure }: Pick<typeof TelcoCalls, "Answers" | "CallFailure">
): KeylessTelco.System => {
  const failureOf = (thrown: Thrown) => {
    const { message } = thrown
    if (thrown.isRefusal) return new CallFailure.CallFailure({ outcome: "Refused", message })
    const { error, retryAfterSeconds } = thrown
    return new CallFailure.CallFailure({
      outcome: Answers.isUnsent(error) ? "NotDone" : "Unknown",
      message,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
    })
  }
  const calls = calling(log)
  const call = <A>(operation: Exclude<keyof TelcoSystem, "capabilities">, send: (call: AdapterCall) => Promise<A>) =>
    Effect.mapError(calls(operation, send), failureOf)
  return {
    ...(system.setService !== undefined && {
      setService: ({ active, iccid }) =>
        Effect.asVoid(call("setService", async (options) => system.setService?.({ active, iccid }, options)))
    }),
    listPackages: (iccid) =>
      call("listPackages", async (options) => listedOf(await system.listPackages({ iccid }, options))),
    createPackage: (order) =>
      call("createPackage", async (options) => packageOf(await system.createPackage(orderOf(order), options))),
    suspendPackage: (of) => Effect.asVoid(call("suspendPackage", (options) => system.suspendPackage(of, options))),
    cancelPackage: (of) => Effect.asVoid(call("cancelPackage", (options) => system.cancelPackage(of, options))),
    sendSms: (sms) =>
      Effect.map(
        call("sendSms", (options) => system.sendSms({ ...sms }, options)),
        (answer) => TelcoAnswers.sentSms(answer) ?? undefined
      ),
    releaseProfile: ({ iccid }) =>
      Effect.asVoid(call("releaseProfile", (options) => system.releaseProfile({ iccid }, options))),
    setMobilePlan: ({ applied, iccid }) =>
      Effect.asVoid(call("setMobilePlan", (options) => system.setMobilePlan({ applied, iccid }, options)))
  }
}

type Make = (log: Logs.Write) => Layer.Layer<Telco.Telco, never, Journal.Journal>

// By the layer that a host sees.
const made = new WeakMap<object, Make>()

/** The telco over a journal that the caller has; undefined if it is none of `journaledTelco`. */
export const of = (telco: unknown): Make | undefined =>
  typeof telco === "object" && telco !== null ? made.get(telco) : undefined

const loaded = () => import("../../telco-calls/index.ts")

/**
 * The port over the functions and a journal: that of the service, or one in memory if it is used
 * by itself.
 */
export const journaledLayer = (system: TelcoSystem, options: JournalOptions): TelcoLayer => {
  const { lateFor = "1 minute", name = "telco" } = decode(METHOD, options)
  const lacking = missing(METHOD, system, functions)
  if (lacking !== undefined) throw lacking
  const lateMillis = Arguments.millis(lateFor) ?? 0
  const make: Make = (log) =>
    Layer.unwrap(
      Effect.map(Effect.promise(loaded), ({ Answers, CallFailure, Journal, KeylessTelco }) =>
        Layer.effect(
          Telco.Telco,
          Effect.gen(function* () {
            const journal = yield* Journal.Journal
            yield* Effect.forkScoped(Journal.purgeForever(journal, [name]))
            const keyless = KeylessTelco.make(systemOf(system, log, { Answers, CallFailure }), journal, {
              telco: name,
              lateMillis
            })
            return declared(system, keyless)
          })
        )
      )
    )
  const inMemory = Layer.unwrap(Effect.map(Effect.promise(loaded), ({ Journal }) => Journal.layerMemory))
  const alone = Object.assign(Layer.provide(make(Logs.make(options.logger)), inMemory), {
    "~simplan/Telco": true as const
  })
  made.set(alone, make)
  return alone
}
