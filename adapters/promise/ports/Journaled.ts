/**
 * A telco of plain functions that knows no idempotency keys, over the journal of `simplan/telco-calls`, which is loaded when the
 * telco is needed.
 */
import { Effect, Layer, Schema } from "effect"
import { Telco } from "simplan/ports"
import type * as TelcoCalls from "../../telco-calls/index.ts"
import type { Journal, KeylessTelco } from "../../telco-calls/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Logs from "../Logs.ts"
import type { AdapterCall, TelcoLayer } from "../Options.ts"
import type { JournalOptions, ListedPackage, TelcoSystem } from "../types/Telcos.ts"
import * as HostTelco from "./Telco.ts"

const METHOD = "journaledTelco"

const functions = ["listPackages", ...Telco.required] as const satisfies ReadonlyArray<keyof TelcoSystem>

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
      activationAt: HostTelco.Time,
      expirationAt: HostTelco.Time
    })
  )
)

const listedOf = (listed: ReadonlyArray<ListedPackage>): ReadonlyArray<KeylessTelco.Listed> => {
  if (!isListed(listed)) {
    const must = "an array of { telcoPackageId: string, packageId?, activationAt?, expirationAt? }"
    throw new TypeError(`listPackages must resolve with ${must}, not with ${Arguments.shown(listed)}`)
  }
  return listed.map(({ activationAt, expirationAt, packageId = null, telcoPackageId }) => ({
    telcoPackageId,
    packageId,
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
  const failureOf = (thrown: HostTelco.Thrown) => {
    const { message } = thrown
    if (thrown.isRefusal) return new CallFailure.CallFailure({ outcome: "Refused", message })
    const { error, retryAfterSeconds } = thrown
    return new CallFailure.CallFailure({
      outcome: Answers.isUnsent(error) ? "NotDone" : "Unknown",
      message,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
    })
  }
  const calls = HostTelco.calling(log)
  const call = <A>(operation: keyof TelcoSystem, send: (call: AdapterCall) => Promise<A>) =>
    Effect.mapError(calls(operation, send), failureOf)
  return {
    ...(system.setService !== undefined && {
      setService: ({ active, iccid }) =>
        Effect.asVoid(call("setService", async (options) => system.setService?.({ active, iccid }, options)))
    }),
    listPackages: (iccid) =>
      call("listPackages", async (options) => listedOf(await system.listPackages({ iccid }, options))),
    createPackage: (order) =>
      call("createPackage", async (options) =>
        HostTelco.packageOf(await system.createPackage(HostTelco.orderOf(order), options))
      ),
    suspendPackage: (of) => Effect.asVoid(call("suspendPackage", (options) => system.suspendPackage(of, options))),
    cancelPackage: (of) => Effect.asVoid(call("cancelPackage", (options) => system.cancelPackage(of, options))),
    sendSms: (sms) =>
      Effect.map(
        call("sendSms", (options) => system.sendSms({ ...sms }, options)),
        HostTelco.sentOf
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

/** The telco over a journal that the caller has; undefined where it is none of `journaledTelco`. */
export const of = (telco: unknown): Make | undefined =>
  typeof telco === "object" && telco !== null ? made.get(telco) : undefined

const loaded = () => import("../../telco-calls/index.ts")

/** The port over the functions and a journal: that of the service, or one in memory where it is used by itself. */
export const layer = (system: TelcoSystem, options: JournalOptions): TelcoLayer => {
  const { lateFor = "1 minute", name = "telco" } = decode(METHOD, options)
  const missing = HostTelco.missing(METHOD, system, functions)
  if (missing !== undefined) throw missing
  const lateMillis = Arguments.millis(lateFor) ?? 0
  const make: Make = (log) =>
    Layer.unwrap(
      Effect.map(Effect.promise(loaded), ({ Answers, CallFailure, Journal, KeylessTelco }) =>
        Layer.effect(
          Telco.Telco,
          Effect.gen(function* () {
            const journal = yield* Journal.Journal
            yield* Effect.forkScoped(Journal.purgeForever(journal, [name]))
            return KeylessTelco.make(systemOf(system, log, { Answers, CallFailure }), journal, {
              telco: name,
              lateMillis
            })
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
