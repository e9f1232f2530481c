/**
 * The SMS of the telco port over SMPP 3.4.
 */
import { Context, Data, Effect, Layer, type Redacted, type Scope } from "effect"
import type { Telco } from "simplan/ports"
import type { CallFailure, Journal } from "../telco-calls/index.ts"
import type * as Addresses from "./Addresses.ts"
import * as Connection from "./Connection.ts"
import * as Messages from "./Messages.ts"
import type * as Segments from "./Segments.ts"
import * as Session from "./Session.ts"

/** Which SMSC, and how it is treated. Spans are milliseconds. */
export interface Options {
  /** The name of the SMSC in the settings: in the journal, in metrics and in logs. */
  readonly telco: string
  /** `smpp://<system id>@<host>[:2775]`, or `smpps://<system id>@<host>[:3550]` over TLS. */
  readonly url: string
  /** In the bind, and in no error or log. */
  readonly password: Redacted.Redacted
  /**
   * The address that the SMSC routes to the SIM by: its phone number (`Addresses.msisdn`), or its IMSI where the SMSC takes
   * that (`Addresses.imsi`). simplan's inventory has neither.
   */
  readonly destinationOf: (iccid: string) => Effect.Effect<Addresses.Address, CallFailure.CallFailure>
  /** What the SMSC's operator calls the kind of system, if it asks for one. */
  readonly systemType?: string
  /** The sender's type of number and numbering plan, if not by its form (`Addresses.sender`). */
  readonly source?: { readonly ton?: number; readonly npi?: number }
  /** What the SMSC takes data coding 0 for: `gsm` unless given. */
  readonly alphabet?: Segments.Alphabet
  /** Certificates in PEM to be trusted in place of the machine's, for `smpps`. */
  readonly ca?: string
  /** The most requests without a response at once: 10. */
  readonly window?: number
  /** No limit unless given. */
  readonly messagesPerSecond?: number
  /** How long a connection may take: 5 s. */
  readonly connectMillis?: number
  /** How long a response may take: 5 s. */
  readonly answerMillis?: number
  /** How long a message waits for its turn, or for another message to the same SIM: 3 s. */
  readonly waitMillis?: number
  /** The time between two questions whether the SMSC is there: 30 s. */
  readonly enquireLinkMillis?: number
  /** The pause before the connection is made again, 0.5 s, which doubles up to 30 s. */
  readonly reconnectMillis?: number
  /** 30 s. */
  readonly longestReconnectMillis?: number
  /** The pause after the SMSC has refused too many messages, 0.5 s, which doubles up to 60 s. */
  readonly pauseMillis?: number
  /** 60 s. */
  readonly longestPauseMillis?: number
  /** How many times a segment is submitted again after such an answer, before the call fails: 3. */
  readonly throttledRetries?: number
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
  const target: Session.Target = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? port : Number(url.port),
    isTls: url.protocol !== "smpp:",
    ...(ca === undefined ? {} : { ca })
  }
  return { target, systemId: decodeURIComponent(url.username) }
})

/**
 * Connects in the background, so a start waits for no SMSC, and disconnects with the scope.
 */
export const make = (
  options: Options
): Effect.Effect<Smpp, InvalidSettings | Session.MissingPackage, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const { answerMillis = 5_000, telco, waitMillis = 3_000 } = options
    const { systemId, target } = yield* parse(options.url, options.ca)
    const library = yield* Session.library
    const connection = yield* Connection.make(library, {
      telco,
      target,
      systemId,
      password: options.password,
      systemType: options.systemType ?? "",
      window: options.window ?? 10,
      ...(options.messagesPerSecond === undefined ? {} : { messagesPerSecond: options.messagesPerSecond }),
      connectMillis: options.connectMillis ?? 5_000,
      answerMillis,
      waitMillis,
      enquireLinkMillis: options.enquireLinkMillis ?? 30_000,
      reconnectMillis: options.reconnectMillis ?? 500,
      longestReconnectMillis: options.longestReconnectMillis ?? 30_000,
      pauseMillis: options.pauseMillis ?? 500,
      longestPauseMillis: options.longestPauseMillis ?? 60_000
    })
    const { sendSms } = yield* Messages.make(connection, {
      telco,
      destinationOf: options.destinationOf,
      source: options.source ?? {},
      alphabet: options.alphabet ?? "gsm",
      throttledRetries: options.throttledRetries ?? 3,
      waitMillis
    })
    return { sendSms, check: connection.check }
  })

/** The service that `layer` gives. */
export class Sms extends Context.Service<Sms, Smpp>()("simplan/TelcoSmpp/Sms") {}

/** Keeps a bound connection while its scope is open; needs a journal. */
export const layer = (options: Options): Layer.Layer<Sms, InvalidSettings | Session.MissingPackage, Journal.Journal> =>
  Layer.effect(Sms, make(options))
