/**
 * The layers that the options name. Options are checked at once; what they need is loaded when the
 * service starts.
 */
import { createHash } from "node:crypto"
import { createRequire } from "node:module"
import { hostname } from "node:os"
import { Effect, Layer, Predicate, Redacted, Result, Schema } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Core from "simplan"
import { Clocks, Quota, Storage, type Telco as TelcoPort, TelcoPorts, WebhookSender } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Databases from "./Databases.ts"
import * as Errors from "../errors/Errors.ts"
import * as Failures from "../errors/Failures.ts"
import * as Http from "../http/Http.ts"
import * as Logs from "../Logs.ts"
import type { Options, Sender as HostSender, Telco as HostTelco, WebhookOptions } from "../Options.ts"
import * as CoverageResource from "../resources/CoverageResource.ts"
import type { Journal } from "../../telco-calls/index.ts"
import * as Telco from "./Telco.ts"
import * as TelcoFile from "./TelcoFile.ts"
import * as Routed from "./Routed.ts"

type Made<Port, Needs = never> = () => Promise<Layer.Layer<Port, unknown, Needs>>

const METHOD = "createSimplan"

// Which ports a layer gives shows when it is built.
const isTelco = (value: unknown): value is Layer.Layer<TelcoPort.Telco, unknown> => Layer.isLayer(value)
const isSender = (value: unknown): value is Layer.Layer<WebhookSender.WebhookSender, unknown> => Layer.isLayer(value)
const isClock = (value: unknown): value is Layer.Layer<Clocks.BusinessClock, unknown, Storage.Storage> =>
  Layer.isLayer(value)
const isCatalogue = (value: unknown): value is Layer.Layer<Core.Catalogues.BuiltIn, unknown> => Layer.isLayer(value)

const functionIn = (of: object, name: string): boolean => {
  const value: unknown = Reflect.get(of, name)
  return typeof value === "function"
}

const isHostTelco = (telco: object): telco is HostTelco => TelcoPorts.required.every((name) => functionIn(telco, name))

/** How the telco is reached. */
type Reached = {
  /** How long a call of it may take, if that is more than calls have anyway. */
  readonly timeoutMillis?: number
} & (
  | { readonly isJournaled: false; readonly layer: Made<TelcoPort.Telco> }
  /** By a journal in the database of the service. */
  | { readonly isJournaled: true; readonly layer: Made<TelcoPort.Telco, Journal.Journal | Storage.Storage> }
)

// A header of HTTP. What begins like this shows no value: a token is a secret.
const Token = Schema.String.check(
  Schema.makeFilter((token) => /^[\x21-\x7e]+$/.test(token) || "is not one or more printable ASCII characters")
)

const decodeBridge = Arguments.decoder(
  Schema.Struct({
    url: Schema.Union([Schema.String, Schema.declare(Arguments.isUrl)]).annotate({
      message: `must be ${Fields.TELCO_URL}`
    }),
    token: Token,
    timeout: Schema.optional(Arguments.TimeSpan),
    pauses: Schema.optional(Schema.Boolean)
  }),
  "the bridge"
)

const bridgeOf = (bridge: object): Reached => {
  const method = `${METHOD}, telco`
  const { pauses, timeout, token, url: given } = decodeBridge(method, bridge)
  const url = Fields.telcoUrl(`${given}`)
  // It may hold a password, which is not shown.
  if (url === undefined) throw Arguments.invalid(method, "url", `must be ${Fields.TELCO_URL}`)
  const timeoutMillis = Arguments.millis(timeout ?? "10 seconds") ?? 0
  if (timeoutMillis === 0) throw Arguments.invalid(method, "timeout", "must be longer than nothing")
  return {
    timeoutMillis,
    isJournaled: false,
    layer: async () => {
      const { TelcoHttp } = await import("../../telco-http/index.ts")
      return Telco.causing(TelcoHttp.layer({ url, token: Redacted.make(token), timeout: timeoutMillis, pauses }))
    }
  }
}

const decodeFile = Arguments.decoder(Schema.Struct({ file: Fields.NonEmpty }), "the settings file")

const fileOf = (given: object, { clock, schema }: Options): Reached => {
  const { file } = decodeFile(`${METHOD}, telco`, given)
  const isVirtual = typeof clock === "object" && clock !== null && "start" in clock
  const layer = async () => {
    const { DatabaseSchema } = await import("../../postgres/index.ts")
    return TelcoFile.layer({ file, isVirtual, schema: schema ?? DatabaseSchema.DEFAULT })
  }
  return { isJournaled: true, layer }
}

const telcoOf = (options: Options, log: Logs.Write): Reached => {
  const { telco } = options
  if (telco === "simulator") {
    const load = () => import("../../telco-simulator/index.ts")
    return { isJournaled: false, layer: async () => (await load()).TelcoSimulator.layerMemory() }
  }
  const journaled = Telco.of(telco)
  if (journaled !== undefined) return { isJournaled: true, layer: async () => journaled(log) }
  if (isTelco(telco)) return { isJournaled: false, layer: async () => telco }
  if (typeof telco !== "object" || telco === null) {
    const allowed = 'must be an object of async functions, { url, token } of a bridge, { file }, "simulator" or a Layer'
    throw Arguments.invalid(METHOD, "telco", allowed, telco)
  }
  if (isHostTelco(telco)) return { isJournaled: false, layer: async () => Telco.layer(telco, log) }
  if ("url" in telco || "token" in telco) return bridgeOf(telco)
  if ("file" in telco) return fileOf(telco, options)
  throw Telco.missing(METHOD, telco, TelcoPorts.required, "telco.")
}

/** The time limit of a call to the host's function, in milliseconds. */
const SEND_LIMIT = 15_000

type WebhookLayer = Layer.Layer<WebhookSender.WebhookSender, unknown>

/** How webhooks are sent. */
interface Webhooks {
  readonly layer: () => Promise<WebhookLayer>
  /** Why webhooks may not go to a URL; undefined if they may. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
}

const sending = () => import("../../webhooks-http/index.ts")

/** Over HTTP. */
const overHttp = ({ allowPrivateAddresses, httpsOnly, ports }: WebhookOptions): Webhooks => {
  const options = {
    ...(allowPrivateAddresses !== undefined && { allowPrivateAddresses }),
    ...(httpsOnly !== undefined && { httpsOnly }),
    ...(ports !== undefined && { ports })
  }
  return {
    layer: async () => (await sending()).HttpSender.layer(options),
    checkUrl: async (url) => {
      const checked = (await sending()).checkUrl(url, options)
      return Result.isFailure(checked) ? checked.failure : undefined
    }
  }
}

const anyUrl = async (url: string): Promise<string | undefined> =>
  URL.canParse(url) && /^https?:/i.test(url)
    ? undefined
    : "must be an absolute URL that starts with https:// or http://"

/** By a layer. */
const byLayer = (layer: WebhookLayer): Webhooks => ({ layer: async () => layer, checkUrl: anyUrl })

/** Not at all. */
const off: Webhooks = {
  layer: async () =>
    Layer.succeed(WebhookSender.WebhookSender, {
      send: () => Effect.fail(new WebhookSender.SendFailed({ message: "createSimplan has the option webhooks: false" }))
    }),
  checkUrl: async () => "cannot be used, because createSimplan has the option webhooks: false"
}

/** By a function of the host's own. What it throws unexpectedly is logged with its stack. */
const byFunction = (sender: HostSender, log: Logs.Write): Webhooks => ({
  checkUrl: anyUrl,
  layer: async () => {
    const { Signature } = await sending()
    const headersOf = ({ at, body, eventId, signingKeys }: WebhookSender.WebhookCall) => {
      const timestamp = Math.floor(at / 1000)
      return {
        "content-type": "application/json",
        "user-agent": "simplan",
        [Signature.HEADER]: Signature.sign({ timestamp, body, signingKeys }),
        ...Signature.standardHeaders({ eventId, timestamp, body, signingKeys })
      }
    }
    const failed = (error: unknown) => {
      const level = Failures.isConnection(error) ? "warn" : "error"
      log(level, "webhooks.send threw an error; the webhook is sent again", { err: error })
      const message = Failures.isError(error) && error.message !== "" ? error.message : Arguments.shown(error)
      return new WebhookSender.SendFailed({ message })
    }
    const late = new WebhookSender.SendFailed({ message: `No response within ${SEND_LIMIT / 1000} s` })
    return Layer.succeed(WebhookSender.WebhookSender, {
      send: (webhook) => {
        const { body, eventId, organizationId, url } = webhook
        return Effect.tryPromise({
          try: async (signal) => {
            const call = { organizationId, url, eventId, body, headers: headersOf(webhook) }
            const answer = await sender.send(call, { signal })
            if (!Number.isInteger(answer?.status)) {
              throw new TypeError(`send must resolve with { status: number }, not with ${Arguments.shown(answer)}`)
            }
            const { body: text, retryAfterSeconds, status } = answer
            const asks = typeof retryAfterSeconds === "number" && retryAfterSeconds >= 0
            return {
              status,
              ...(text !== undefined && { body: text.slice(0, WebhookSender.BODY_BYTES) }),
              ...(asks && { retryAfterSeconds })
            }
          },
          catch: failed
        }).pipe(Effect.timeoutOrElse({ duration: SEND_LIMIT, orElse: () => Effect.fail(late) }))
      }
    })
  }
})

const decodeWebhooks = Arguments.decoder(
  Schema.Struct({
    allowPrivateAddresses: Schema.optional(Arguments.Flag),
    httpsOnly: Schema.optional(Arguments.Flag),
    ports: Schema.optional(Schema.Array(Fields.integer(1, 65_535)))
  }),
  "the options"
)

const isHostSender = (webhooks: object): webhooks is HostSender => functionIn(webhooks, "send")

const sendersOf = ({ webhooks }: Options, log: Logs.Write): Webhooks => {
  if (webhooks === undefined) return overHttp({})
  if (webhooks === false) return off
  if (isSender(webhooks)) return byLayer(webhooks)
  if (typeof webhooks !== "object" || webhooks === null) {
    throw Arguments.invalid(METHOD, "webhooks", "must be false, { send }, options or a Layer", webhooks)
  }
  if (isHostSender(webhooks)) return byFunction(webhooks, log)
  if ("send" in webhooks) throw Arguments.invalid(METHOD, "webhooks.send", "must be an async function", webhooks.send)
  return overHttp(decodeWebhooks(`${METHOD}, webhooks`, webhooks))
}

/**
 * Stands at its stored instant, or at `start` if that is later; the instant is stored before
 * anything uses it.
 */
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

const clockOf = ({ clock }: Options): Layer.Layer<Clocks.BusinessClock, unknown, Storage.Storage> => {
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
    const complete = await CoverageResource.complete(`${METHOD}, catalogue`, catalogue)
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
  "quotas",
  "directUrl",
  "schema",
  "secretKeys",
  "smsLimit",
  "telco",
  "webhooks",
  "worker"
])

// As Effect 3 marks its layers. Those of every copy of Effect 4 are marked alike, and can be built
// here.
const LAYER_OF_EFFECT_3 = Symbol.for("effect/Layer")

/** Throws if an option is a layer that this Effect cannot build. */
const checkLayers = ({ catalogue, clock, database, telco, webhooks }: Options): void => {
  const storage: unknown = typeof database === "object" && "storage" in database ? database.storage : undefined
  const layers: Readonly<Record<string, unknown>> = {
    telco,
    webhooks,
    clock,
    catalogue,
    "database.storage": storage,
    database
  }
  const field = Object.keys(layers).find((name) => Predicate.hasProperty(layers[name], LAYER_OF_EFFECT_3))
  if (field === undefined) return
  const message =
    "is a Layer of another Effect (3), and must be one of Effect 4, as simplan is; npm ls effect lists both"
  throw Arguments.invalid(METHOD, field, message)
}

const checkQuotas = (quotas: Options["quotas"]): void => {
  for (const [name, value] of Object.entries(quotas ?? {})) {
    const field = `quotas.${name}`
    if (!Quota.kinds.some((kind) => kind === name)) throw Arguments.invalid(METHOD, field, "is not known")
    const isNumber = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 1_000_000
    if (value !== undefined && !isNumber) {
      throw Arguments.invalid(METHOD, field, "must be an integer from 1 to 1,000,000", value)
    }
  }
}

const decodeSmsLimit = Arguments.decoder(
  Schema.Struct({
    messages: Schema.Int.check(
      Schema.makeFilter((count) => (count >= 1 && count <= 1_000_000) || "must be an integer from 1 to 1,000,000")
    ),
    window: Arguments.TimeSpan
  }),
  "the limit"
)

const checkSmsLimit = (given: Options["smsLimit"]): void => {
  if (given === undefined || given === "off") return
  const method = `${METHOD}, smsLimit`
  const { window } = decodeSmsLimit(method, given)
  if (!((Arguments.millis(window) ?? 0) >= 1))
    throw Arguments.invalid(method, "window", "must be at least 1 ms", window)
}

const checkRest = (options: Options): void => {
  const unknown = Object.keys(options).find((name) => !known.has(name))
  if (unknown !== undefined) throw Arguments.invalid(METHOD, unknown, "is not known")
  for (const name of ["alone", "worker"] as const) {
    const value = options[name]
    if (value !== undefined && typeof value !== "boolean") {
      throw Arguments.invalid(METHOD, name, "must be true or false", value)
    }
  }
  checkQuotas(options.quotas)
  checkSmsLimit(options.smsLimit)
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

const hashed = ({ name }: Digest.Algorithm, data: Uint8Array) => createHash(name.replace("-", "")).update(data)

// Web Crypto hands each text to another thread, which takes longer than the digest.
const digests = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) => Effect.sync(() => new Uint8Array(hashed(algorithm, data).digest())),
  digestHex: (algorithm, data) => Effect.sync(() => hashed(algorithm, data).digest("hex"))
})

/** The version of this package; null if a host's bundle does not have its manifest. */
const version = (): string | null => {
  try {
    const manifest: unknown = createRequire(import.meta.url)("simplan/package.json")
    return Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))(manifest).version
  } catch {
    return null
  }
}

/**
 * Opens the storage, with the telco and what is beside it over it. Throws if the telco needs a
 * journal and the storage has no place for one.
 */
const opening = (telco: Reached, { journaled, layer }: Databases.Opening) => {
  if (!telco.isJournaled) {
    return async <A, R extends Storage.Storage>(beside: Layer.Layer<A, unknown, R>) =>
      Layer.provideMerge(Layer.merge(await telco.layer(), beside), await layer())
  }
  if (journaled === null) {
    const allowed =
      "keeps a journal, for which a storage of one's own has no place; see KeylessTelco of simplan/telco-calls"
    throw Arguments.invalid(METHOD, "telco", allowed)
  }
  return async <A, R extends Storage.Storage>(beside: Layer.Layer<A, unknown, R>) =>
    Layer.provideMerge(Layer.merge(await telco.layer(), beside), await journaled())
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
  checkLayers(options)
  Http.check(options.http)
  const log = Logs.make(options.logger)
  const database = Databases.open(options)
  const telco = telcoOf(options, log)
  const over = opening(telco, database)
  const webhooks = sendersOf(options, log)
  const clock = clockOf(options)
  const catalogue = catalogueOf(options)
  const isAlone =
    options.alone === true || database.isOwn || (typeof options.clock === "object" && "start" in options.clock)
  const crypto = Layer.merge(SecureRandom.layerWebCrypto, digests)

  const layer = async () => {
    const beside = Layer.mergeAll(await webhooks.layer(), await catalogue(), clock, crypto)
    const ports = await over(beside)
    const begun = isAlone ? Layer.provideMerge(Layer.effectDiscard(Core.Worker.takeOver), ports) : ports
    const described = Layer.succeed(Core.Processes.Described, { version: version(), host: hostname() })
    const limits = Layer.merge(Routed.limits(telco.timeoutMillis, options), described)
    const services = Layer.provideMerge(Layer.provide(Core.Services.layer, limits), begun)
    const working = Layer.mergeAll(Core.Worker.background, Routed.background, Core.Processes.background)
    const background = options.worker === false ? Core.Processes.background : working
    return Layer.provideMerge(
      Layer.provideMerge(background, services),
      Logs.layer(log, options.logger !== undefined && options.logger !== false)
    )
  }
  return { layer, log, checkUrl: webhooks.checkUrl }
}
