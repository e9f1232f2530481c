/**
 * Sends messages over SMPP: each segment by a `submit_sm`, once (`Messages` of `telco-calls`).
 *
 * A text as the short messages of SMPP that it is sent in: octets, their data coding, and if there
 * are several the header by which the phone puts them together (concatenation with an 8-bit
 * reference, 3GPP TS 23.040, 9.2.3.24.1).
 *
 * Data coding 0 is "the SMSC's default alphabet" (SMPP 3.4, 5.2.19), and SMSCs differ in which that
 * is. On the air it is the GSM alphabet in any case: a text has septets if all of its characters
 * are of both, else it goes as UCS-2.
 */
import { Cause, Effect, Random } from "effect"
import { Sms as Texts, Telco, SmsSegments } from "simplan/ports"
import { CallFailure, Journal, Messages, SimLocks } from "../telco-calls/index.ts"
import * as Addresses from "./Addresses.ts"
import * as Connection from "./Connection.ts"
import * as Statuses from "./Statuses.ts"

/**
 * What octets of data coding 0 stand for: `gsm`, a septet of the GSM alphabet (3GPP TS 23.038)
 * each, `latin1` (ISO 8859-1) or `ascii`.
 */
export const alphabets = ["gsm", "latin1", "ascii"] as const

export type Alphabet = (typeof alphabets)[number]

export interface Segment {
  /** 0x00: the SMSC's default alphabet. 0x08: UCS-2. */
  readonly dataCoding: 0x00 | 0x08
  /** 0x40: the message begins with a user data header. */
  readonly esmClass: 0x00 | 0x40
  readonly octets: Uint8Array
}

const codeUnits = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))

const ucs2 = (text: string): ReadonlyArray<number> => codeUnits(text).flatMap((unit) => [unit >> 8, unit & 0xff])

const upTo = (text: string, last: number): ReadonlyArray<number> | undefined => {
  const units = codeUnits(text)
  return units.every((unit) => unit <= last) ? units : undefined
}

/** The octets of a text; undefined if it has a character that the alphabet has not. */
const octetsIn: Readonly<Record<Alphabet, (text: string) => ReadonlyArray<number> | undefined>> = {
  gsm: SmsSegments.unpacked,
  latin1: (text) => upTo(text, 0xff),
  ascii: (text) => upTo(text, 0x7f)
}

/** The segments of a text. The reference is the same for all, from 0 to 255. */
export const of = (text: string, reference: number, alphabet: Alphabet = "gsm"): ReadonlyArray<Segment> => {
  const septets = SmsSegments.split(text)
  const isDefault = septets.alphabet === "Gsm" && octetsIn[alphabet](text) !== undefined
  const { segments } = isDefault ? septets : SmsSegments.splitUcs2(text)
  return segments.map((segment, index): Segment => {
    const header = segments.length === 1 ? [] : [5, 0, 3, reference, segments.length, index + 1]
    const octets = isDefault ? octetsIn[alphabet](segment) : undefined
    return {
      dataCoding: octets === undefined ? 0x08 : 0x00,
      esmClass: header.length === 0 ? 0x00 : 0x40,
      octets: Uint8Array.from([...header, ...(octets ?? ucs2(segment))])
    }
  })
}

/** How messages are sent. */
export interface Options {
  /** The name of the SMSC in the settings: in the journal, in metrics and in logs. */
  readonly telco: string
  /**
   * The address that the SMSC routes to the SIM by: its phone number (`Addresses.msisdn`), or its
   * IMSI if the SMSC takes that (`Addresses.imsi`). simplan's inventory has neither.
   */
  readonly destinationOf: (iccid: string) => Effect.Effect<Addresses.Address, CallFailure.CallFailure>
  /** The sender's type of number and numbering plan, if not by its form (`Addresses.sender`). */
  readonly source: { readonly ton?: number; readonly npi?: number }
  /** What the SMSC takes data coding 0 for: `gsm` unless given. */
  readonly alphabet: Alphabet
  /**
   * How many times a segment is submitted again that the SMSC takes no more messages for, before
   * the call fails: 3.
   */
  readonly throttledRetries: number
  /** How long a message waits for its turn, or for another message to the same SIM: 3 s. */
  readonly waitMillis: number
}

/** Asks for the final delivery receipt. */
const REGISTERED_DELIVERY = 0x01

/** Counts what came of a segment that was submitted. */
const countSegment = (telco: string, outcome: "accepted" | "throttled" | "not_done" | "refused" | "unknown") =>
  Connection.increment(
    "simplan_smpp_segments_total",
    "Segments of messages that were submitted to an SMSC, by what came of it",
    { telco, outcome }
  )

/** The message goes out once the SMSC takes more. */
const throttled = CallFailure.unavailable("the SMSC takes no more messages at the moment", 5)

/** The SMSC's id of a segment that it has taken. */
const submitted = (
  telco: string,
  fields: Readonly<Record<string, unknown>>,
  submit: Connection.Submit
): Effect.Effect<string, CallFailure.CallFailure> =>
  submit(fields).pipe(
    Effect.onError((cause) => {
      const failure = Cause.findErrorOption(cause)
      const isNotDone = failure._tag === "Some" && failure.value.outcome === "NotDone"
      return countSegment(telco, isNotDone ? "not_done" : "unknown")
    }),
    Effect.flatMap(({ command_status: status, message_id: id }) => {
      const name = Statuses.nameOf(status)
      const failed = (of: Pick<CallFailure.CallFailure, "outcome" | "message" | "isOverloaded">) =>
        Effect.fail(new CallFailure.CallFailure(of))
      const outcomes = {
        Accepted: ["accepted", Effect.succeed(typeof id === "string" ? id : "")],
        Throttled: ["throttled", failed({ outcome: "NotDone", message: throttled.message, isOverloaded: true })],
        NotDone: ["not_done", failed({ outcome: "NotDone", message: `the SMSC does not take the message: ${name}` })],
        Refused: ["refused", failed({ outcome: "Refused", message: `the SMSC refuses the message: ${name}` })]
      } as const
      const [counted, answer] = outcomes[Statuses.meaningOf(status)]
      return Effect.andThen(countSegment(telco, counted), answer)
    })
  )

export const make = Effect.fnUntraced(function* (connection: Connection.Connection, options: Options) {
  const journal = yield* Journal.Journal
  const { telco, waitMillis } = options
  // Messages of several processes to one SIM at one time may get the same reference; those of one
  // process do not.
  let reference = Math.floor(256 * (yield* Random.next))

  const sendSms = Messages.make(journal, SimLocks.make(journal, { telco, waitMillis }), telco, (sms, sending, held) =>
    Effect.gen(function* () {
      const source = yield* Effect.mapError(
        Effect.fromResult(Addresses.sender(sms.from, options.source)),
        (message) => new Telco.Refused({ message })
      )
      const destination = yield* Effect.mapError(options.destinationOf(sms.iccid), CallFailure.toPort)
      const { begin, known } = sending
      if (known === null) reference = (reference + 1) % 256
      const common = known?.reference ?? reference
      const segments = of(sms.text, common, options.alphabet)
      const { segments: most } = Texts.limits
      if (segments.length > most) {
        const message = `the message takes ${segments.length} segments here, as a character of it is not in the SMSC's alphabet; the most is ${most}`
        return yield* new Telco.Refused({ message })
      }
      if (known !== null && known.parts !== segments.length)
        return yield* new Telco.Refused({ message: "another message was sent under this id" })
      const { done, next } = begin({ parts: segments.length, segments: segments.length, reference: common })
      for (const segment of segments.slice(done)) {
        const fields = {
          source_addr_ton: source.ton,
          source_addr_npi: source.npi,
          source_addr: source.address,
          dest_addr_ton: destination.ton,
          dest_addr_npi: destination.npi,
          destination_addr: destination.address,
          esm_class: segment.esmClass,
          registered_delivery: REGISTERED_DELIVERY,
          data_coding: segment.dataCoding,
          short_message: Buffer.from(segment.octets)
        }
        for (let tries = 0; ; tries++) {
          let isThrottled = false
          const submission = connection.turn((submitTo) => {
            const call = Effect.tapError(submitted(telco, fields, submitTo), ({ isOverloaded }) =>
              Effect.sync(() => {
                isThrottled = isOverloaded === true
              })
            )
            return Effect.andThen(
              held.keep,
              next(call, (id) => ({ id }))
            )
          })
          const answer = yield* Effect.result(
            Effect.catchTag(submission, "TelcoCalls.CallFailure", (failure) => Effect.fail(CallFailure.toPort(failure)))
          )
          if (answer._tag === "Success") break
          if (!isThrottled) return yield* answer.failure
          if (tries >= options.throttledRetries) return yield* throttled
        }
      }
    })
  )

  return { sendSms }
})
