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

/** What holds unless set. */
export const defaults: OfMessages & OfConnection = {
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

/**
 * The options that have a value: a caller in JavaScript may pass undefined for one that it does not
 * set.
 */
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

/** What an address has to be like. */
export const URL_FORM = "must be an address such as smpp://user@smsc.example:2775; the password has a field of its own"

/** The system id and the SMSC of an address; undefined if it is none. */
export const accountOf = (text: string): Connection.Account | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, hostname, password, pathname, port, protocol, search, username } = new URL(text)
  const ofScheme = PORTS[protocol]
  const isBare = `${hash}${search}${password}` === "" && /^\/?$/.test(pathname)
  if (ofScheme === undefined || !isBare || hostname === "" || username === "") return undefined
  const isTls = protocol !== "smpp:"
  const target = { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? ofScheme : Number(port), isTls }
  return { systemId: decodeURIComponent(username), target }
}

/**
 * Connects in the background, so a start waits for no SMSC, and disconnects with the scope.
 */
export const make = (
  options: Options
): Effect.Effect<Smpp, InvalidSettings | Session.MissingPackage, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const account = accountOf(options.url)
    if (account === undefined) return yield* new InvalidSettings({ message: `url ${URL_FORM}` })
    const target = { ...account.target, ...(options.ca !== undefined && { ca: options.ca }) }
    const library = yield* Session.library
    const settings = { ...defaults, ...given(options) }
    const connection = yield* Connection.make(library, { ...account, target }, settings)
    const { sendSms } = yield* Messages.make(connection, settings)
    return { sendSms, check: connection.check }
  })

/** The service that `layer` gives. */
export class Sms extends Context.Service<Sms, Smpp>()("simplan/TelcoSmpp/Sms") {}

/** Keeps a bound connection while its scope is open; needs a journal. */
export const layer = (options: Options): Layer.Layer<Sms, InvalidSettings | Session.MissingPackage, Journal.Journal> =>
  Layer.effect(Sms, make(options))
