/**
 * The layers that the options name. Options are checked at once; what they need is loaded when the service starts.
 */
import { Effect, Layer, Schema } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Core from "simplan"
import { type BusinessClock, Storage, type Telco as TelcoPort, type WebhookSender } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as Clocks from "../../virtual-clock/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Databases from "./Databases.ts"
import * as Errors from "../errors/Errors.ts"
import * as Http from "../http/Http.ts"
import * as Logs from "../Logs.ts"
import type { Options, Sender as HostSender, Telco as HostTelco } from "../Options.ts"
import * as CatalogueShapes from "../shapes/Catalogues.ts"
import * as Routed from "./Routed.ts"
import * as Sender from "./Sender.ts"
import * as Telco from "./Telco.ts"

type Made<Port, Needs = never> = () => Promise<Layer.Layer<Port, unknown, Needs>>

const METHOD = "createSimplan"

// Which ports a layer gives shows when it is built.
const isTelco = (value: unknown): value is Layer.Layer<TelcoPort.Telco, unknown> => Layer.isLayer(value)
const isSender = (value: unknown): value is Layer.Layer<WebhookSender.WebhookSender, unknown> => Layer.isLayer(value)
const isClock = (value: unknown): value is Layer.Layer<BusinessClock.BusinessClock, unknown, Storage.Storage> =>
  Layer.isLayer(value)
const isCatalogue = (value: unknown): value is Layer.Layer<Core.Catalogues.BuiltIn, unknown> => Layer.isLayer(value)

const functionIn = (of: object, name: string): boolean => {
  const value: unknown = Reflect.get(of, name)
  return typeof value === "function"
}

const isHostTelco = (telco: object): telco is HostTelco => Telco.operations.every((name) => functionIn(telco, name))

const telcoOf = ({ telco }: Options, log: Logs.Write): Made<TelcoPort.Telco> => {
  if (telco === "simulator") {
    return async () => (await import("../../telco-simulator/index.ts")).TelcoSimulator.layerMemory()
  }
  if (isTelco(telco)) return async () => telco
  if (typeof telco !== "object" || telco === null) {
    throw Arguments.invalid(METHOD, "telco", 'must be an object of async functions, "simulator" or a Layer', telco)
  }
  const missing = Telco.operations.find((name) => !functionIn(telco, name))
  if (missing !== undefined || !isHostTelco(telco)) {
    throw Arguments.invalid(METHOD, `telco.${missing}`, "must be an async function", Reflect.get(telco, `${missing}`))
  }
  return async () => Telco.layer(telco, log)
}

const decodeWebhooks = Arguments.decoder(
  Schema.Struct({
    allowPrivateAddresses: Schema.optional(Arguments.Flag),
    httpsOnly: Schema.optional(Arguments.Flag),
    ports: Schema.optional(Schema.Array(Fields.integer(1, 65_535)))
  }),
  "the options"
)

const isHostSender = (webhooks: object): webhooks is HostSender => functionIn(webhooks, "send")

const sendersOf = ({ webhooks }: Options, log: Logs.Write): Sender.Webhooks => {
  if (webhooks === undefined) return Sender.http({})
  if (webhooks === false) return Sender.off
  if (isSender(webhooks)) return Sender.by(webhooks)
  if (typeof webhooks !== "object" || webhooks === null) {
    throw Arguments.invalid(METHOD, "webhooks", "must be false, { send }, options or a Layer", webhooks)
  }
  if (isHostSender(webhooks)) return Sender.plain(webhooks, log)
  if ("send" in webhooks) throw Arguments.invalid(METHOD, "webhooks.send", "must be an async function", webhooks.send)
  return Sender.http(decodeWebhooks(`${METHOD}, webhooks`, webhooks))
}

/** Stands at its stored instant, or at `start` where that is later; the instant is stored before anything uses it. */
const virtual = (start: Core.Time.Instant) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const storage = yield* Storage.Storage
      const stored = yield* storage.virtualClock
      const from = stored === null ? start : Math.max(stored, start)
      if (from !== stored) yield* storage.commit({ clock: from })
      return Clocks.virtual(from)
    })
  )

const clockOf = ({ clock }: Options): Layer.Layer<BusinessClock.BusinessClock, unknown, Storage.Storage> => {
  if (clock === undefined || clock === "system") return Clocks.system
  if (isClock(clock)) return clock
  if (typeof clock !== "object" || clock === null || !("start" in clock)) {
    throw Arguments.invalid(METHOD, "clock", 'must be "system", { start } or a Layer', clock)
  }
  const { start } = Arguments.decoder(Schema.Struct({ start: Arguments.Instant }))(`${METHOD}, clock`, clock)
  return virtual(Arguments.toInstant(start))
}

/** The standard one is loaded when it is first asked for. */
const standard = Layer.succeed(Core.Catalogues.BuiltIn, {
  catalogue: Effect.promise(async () => (await import("../../catalogue/index.ts")).StandardCatalogue.catalogue())
})

const catalogueOf = ({ catalogue }: Options): Made<Core.Catalogues.BuiltIn> => {
  if (catalogue === undefined) return async () => standard
  if (isCatalogue(catalogue)) return async () => catalogue
  return async () => {
    const complete = await CatalogueShapes.complete(`${METHOD}, catalogue`, catalogue)
    return Layer.succeed(Core.Catalogues.BuiltIn, { catalogue: Effect.succeed(complete) })
  }
}

const known: ReadonlySet<string> = new Set<keyof Options>([
  "alone",
  "catalogue",
  "clock",
  "database",
  "http",
  "logger",
  "schema",
  "secretKeys",
  "telco",
  "webhooks",
  "worker"
])

const checkRest = (options: Options): void => {
  const unknown = Object.keys(options).find((name) => !known.has(name))
  if (unknown !== undefined) throw Arguments.invalid(METHOD, unknown, "is not known")
  for (const name of ["alone", "worker"] as const) {
    const value = options[name]
    if (value !== undefined && typeof value !== "boolean") {
      throw Arguments.invalid(METHOD, name, "must be true or false", value)
    }
  }
  const { logger } = options
  const isLogger =
    typeof logger === "object" &&
    logger !== null &&
    ["debug", "info", "warn", "error"].every((name) => functionIn(logger, name))
  if (logger !== undefined && logger !== false && !isLogger) {
    throw Arguments.invalid(
      METHOD,
      "logger",
      "must be false, or have the functions debug, info, warn and error",
      logger
    )
  }
}

/** The options, checked, as what the service is started with. Throws an `InvalidFieldError`. */
export const make = (options: Options) => {
  if (typeof options !== "object" || options === null) {
    throw new Errors.InvalidFieldError({
      code: "invalid_field",
      status: 400,
      field: "options",
      message: `${METHOD}: options must be an object with database and telco, not ${Arguments.shown(options)}`
    })
  }
  checkRest(options)
  Http.check(options.http)
  const log = Logs.make(options.logger)
  const database = Databases.open(options)
  const telco = telcoOf(options, log)
  const webhooks = sendersOf(options, log)
  const clock = clockOf(options)
  const catalogue = catalogueOf(options)
  const isAlone =
    options.alone === true || database.isOwn || (typeof options.clock === "object" && "start" in options.clock)
  const crypto = Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

  const layer = async () => {
    const ports = Layer.mergeAll(await telco(), await webhooks.layer(), await catalogue(), clock, crypto).pipe(
      Layer.provideMerge(await database.layer())
    )
    const begun = isAlone ? Layer.provideMerge(Layer.effectDiscard(Core.Leases.takeOver), ports) : ports
    const services = Layer.provideMerge(Layer.provide(Core.Services.layer, Routed.limits), begun)
    const background = Layer.merge(Core.Worker.background, Routed.background)
    const working = options.worker === false ? services : Layer.provideMerge(background, services)
    return Layer.provideMerge(working, Logs.layer(log, options.logger !== undefined && options.logger !== false))
  }
  return { layer, log, checkUrl: webhooks.checkUrl }
}
