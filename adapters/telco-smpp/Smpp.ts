/**
 * The SMS of the telco port over SMPP 3.4.
 */
import { Context, Data, Effect, Layer, type Scope } from "effect"
import type { Telco } from "simplan/ports"
import type { CallFailure, Journal } from "../telco-calls/index.ts"
import * as Connection from "./Connection.ts"
import * as Messages from "./Messages.ts"
import * as Session from "./Session.ts"

type OfMessages = Omit<Messages.Options, "telco" | "destinationOf">

type OfConnection = Omit<Connection.Options, "telco" | "password">

/** Which SMSC, and how it is treated. Spans are milliseconds. */
export interface Options
  extends Pick<Messages.Options, "telco" | "destinationOf">,
    Pick<Connection.Options, "password">,
    Partial<OfMessages>,
    Partial<OfConnection> {
  /** `smpp://<system id>@<host>[:2775]`, or `smpps://<system id>@<host>[:3550]` over TLS. */
  readonly url: string
  /** Certificates in PEM to be trusted in place of the machine's, for `smpps`. */
  readonly ca?: string
}

const defaults: OfMessages & OfConnection = {
  systemType: "",
  source: {},
  alphabet: "gsm",
  window: 10,
  connectMillis: 5_000,
  answerMillis: 5_000,
  waitMillis: 3_000,
  enquireLinkMillis: 30_000,
  reconnectMillis: 500,
  longestReconnectMillis: 30_000,
  pauseMillis: 500,
  longestPauseMillis: 60_000,
  throttledRetries: 3
}

/** The options that have a value: a caller in JavaScript may pass undefined for one that it does not set. */
const given = (options: Options): Options => {
  const copy = { ...options }
  for (const [name, value] of Object.entries(copy)) if (value === undefined) Reflect.deleteProperty(copy, name)
  return copy
}

/** A setting is wrong. The message names it, and has no secret. */
export class InvalidSettings extends Data.TaggedError("TelcoSmpp.InvalidSettings")<{
  /** Which setting is wrong, and why; it has no secret. */
  readonly message: string
}> {}

/** SMS over one SMSC. */
export interface Smpp extends Pick<Telco.Telco["Service"], "sendSms"> {
  /** Asks the SMSC whether it is there and takes the credentials. No message is sent. */
  readonly check: Effect.Effect<void, CallFailure.CallFailure>
}

/** `ssmpp` is another name for SMPP over TLS. */
const PORTS: Readonly<Record<string, number>> = { "smpp:": 2775, "smpps:": 3550, "ssmpp:": 3550 }

const parse = Effect.fnUntraced(function* (text: string, ca: string | undefined) {
  const invalid = (what: string) => new InvalidSettings({ message: `url ${what}: smpp://<system id>@<host>:<port>` })
  const url = URL.canParse(text) ? new URL(text) : null
  const port = url === null ? undefined : PORTS[url.protocol]
  if (url === null || port === undefined || url.hostname === "") return yield* invalid("must have this form")
  if (url.password !== "") return yield* invalid("must not have the password, which is a setting of its own")
  if (url.username === "") return yield* invalid("must name the system id")
  const account: Connection.Account = {
    systemId: decodeURIComponent(url.username),
    target: {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? port : Number(url.port),
      isTls: url.protocol !== "smpp:",
      ...(ca === undefined ? {} : { ca })
    }
  }
  return account
})

/**
 * Connects in the background, so a start waits for no SMSC, and disconnects with the scope.
 */
export const make = (
  options: Options
): Effect.Effect<Smpp, InvalidSettings | Session.MissingPackage, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const account = yield* parse(options.url, options.ca)
    const library = yield* Session.library
    const settings = { ...defaults, ...given(options) }
    const connection = yield* Connection.make(library, account, settings)
    const { sendSms } = yield* Messages.make(connection, settings)
    return { sendSms, check: connection.check }
  })

/** The service that `layer` gives. */
export class Sms extends Context.Service<Sms, Smpp>()("simplan/TelcoSmpp/Sms") {}

/** Keeps a bound connection while its scope is open; needs a journal. */
export const layer = (options: Options): Layer.Layer<Sms, InvalidSettings | Session.MissingPackage, Journal.Journal> =>
  Layer.effect(Sms, make(options))
