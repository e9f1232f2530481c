/**
 * Sending messages exactly once or not at all, as far as SMPP lets: it knows no idempotency keys. The journal gets the
 * intent before each segment is submitted and the outcome after it. A segment whose answer is lost is not submitted
 * again, and its message is refused from then on. One that was certainly not taken is submitted again, by the call that
 * repeats the message.
 *
 * A text as the short messages of SMPP that it is sent in: octets, their data coding, and where there are several the
 * header by which the phone puts them together (concatenation with an 8-bit reference, 3GPP TS 23.040, 9.2.3.24.1).
 *
 * Data coding 0 is "the SMSC's default alphabet" (SMPP 3.4, 5.2.19), and SMSCs differ in which that is. On the air it is the
 * GSM alphabet in any case: a text has septets if all of its characters are of both, else it goes as UCS-2.
 */
import { Cause, Effect, Exit, Random, Schema } from "effect"
import { Sms as Texts, Telco, SmsSegments } from "simplan/ports"
import { CallFailure, Journal, SimLocks } from "../telco-calls/index.ts"
import * as Addresses from "./Addresses.ts"
import * as Connection from "./Connection.ts"
import * as Statuses from "./Statuses.ts"

/**
 * What octets of data coding 0 stand for: `gsm`, a septet of the GSM alphabet (3GPP TS 23.038) each, `latin1` (ISO 8859-1) or
 * `ascii`.
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

/** The octets of a text; undefined where it has a character that the alphabet has not. */
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
   * The address that the SMSC routes to the SIM by: its phone number (`Addresses.msisdn`), or its IMSI where the SMSC takes
   * that (`Addresses.imsi`). simplan's inventory has neither.
   */
  readonly destinationOf: (iccid: string) => Effect.Effect<Addresses.Address, CallFailure.CallFailure>
  /** The sender's type of number and numbering plan, if not by its form (`Addresses.sender`). */
  readonly source: { readonly ton?: number; readonly npi?: number }
  /** What the SMSC takes data coding 0 for: `gsm` unless given. */
  readonly alphabet: Alphabet
  /** How many times a segment is submitted again that the SMSC takes no more messages for, before the call fails: 3. */
  readonly throttledRetries: number
  /** How long a message waits for its turn, or for another message to the same SIM: 3 s. */
  readonly waitMillis: number
}

type Sms = Parameters<Telco.Telco["Service"]["sendSms"]>[0]

/** Asks for the final delivery receipt. */
const REGISTERED_DELIVERY = 0x01

/** Counts what came of a segment that was submitted. */
const countSegment = (telco: string, outcome: "accepted" | "throttled" | "not_done" | "refused" | "unknown") =>
  Connection.increment(
    "simplan_smpp_segments_total",
    "Segments of messages that were submitted to an SMSC, by what came of it",
    { telco, outcome }
  )

const unread = ({ message }: Journal.JournalError) => CallFailure.unavailable(message)

/**
 * `Waiting`: the next segment was not taken, and may be submitted. `Submitting`: it is being submitted, or whoever did so
 * is gone: unknown. `Sent`: all were taken. `Refused`, `Unknown`: the message ends here.
 */
const STATES = ["Waiting", "Submitting", "Sent", "Refused", "Unknown"] as const

/** What the journal has of a message: neither its text nor its sender. */
const MessageRecord = Schema.Struct({
  state: Schema.Literals(STATES),
  /** Of the concatenation, the same for all segments and attempts. */
  reference: Schema.Int,
  segments: Schema.Int,
  /** The SMSC's ids of the segments that it has taken, in their order. */
  taken: Schema.Array(Schema.String),
  /** Why the message was refused. */
  refusal: Schema.NullOr(Schema.String)
})

type MessageRecord = typeof MessageRecord.Type

const decode = Schema.decodeUnknownEffect(MessageRecord)

const recordOf = (entry: Journal.Entry): Effect.Effect<MessageRecord, Journal.JournalError> =>
  Effect.mapError(
    decode(entry.document),
    (cause) => new Journal.JournalError({ message: "the journal's entry of a message cannot be read", cause })
  )

const newRecord = (reference: number, segments: number): MessageRecord => ({
  state: "Waiting",
  reference,
  segments,
  taken: [],
  refusal: null
})

/** The record after the SMSC has taken the next segment. */
const withTaken = (record: MessageRecord, id: string): MessageRecord => {
  const taken = [...record.taken, id]
  return { ...record, taken, state: taken.length === record.segments ? "Sent" : "Waiting" }
}

/** Where a message of several segments stands, as the end of a sentence. */
const progress = ({ segments, taken }: MessageRecord): string =>
  segments === 1 ? "" : ` (${taken.length} of ${segments} segments were taken before)`

/** What a message without an answer is refused with when it is asked for again. */
const unknownSentence = (record: MessageRecord): string =>
  record.segments === 1
    ? "the SMSC's answer was lost: the message may have been sent, and is not sent again"
    : `the SMSC's answer was lost: the message may have been sent in part or as a whole, and is not sent again${progress(record)}`

/** What a message is refused with that the SMSC has refused. */
const refusalSentence = (record: MessageRecord, status: string): string =>
  `the SMSC refuses the message: ${status}${progress(record)}`

/** What the record alone answers to the message's call; null: there is something to submit. */
const settled = (record: MessageRecord): Effect.Effect<Telco.SentSms, Telco.Refused> | null => {
  switch (record.state) {
    case "Sent":
      return Effect.succeed({ segments: record.segments })
    case "Refused":
      return Effect.fail(new Telco.Refused({ message: record.refusal ?? "the SMSC has refused the message" }))
    case "Unknown":
      return Effect.fail(new Telco.Refused({ message: unknownSentence(record) }))
    default:
      return null
  }
}

export const make = Effect.fnUntraced(function* (connection: Connection.Connection, options: Options) {
  const journal = yield* Journal.Journal
  const { telco, waitMillis } = options
  const { withLock } = SimLocks.make(journal, { telco, waitMillis })
  // Messages of several processes to one SIM at one time may get the same reference; those of one process do not.
  let reference = Math.floor(256 * (yield* Random.next))

  /** The entry of one message, as this call has last read or written it. */
  const open = Effect.fnUntraced(function* (sms: Sms) {
    const place = { telco, kind: Journal.MESSAGE, key: sms.messageId }
    let entry = yield* journal.get(place)
    let record = entry === null ? null : yield* recordOf(entry)
    const write = Effect.fnUntraced(function* (next: MessageRecord) {
      const changed = {
        ...place,
        iccid: sms.iccid,
        externalId: next.taken.at(-1) ?? null,
        document: { ...next },
        dueAt: null
      }
      const written = yield* Journal.write(journal, entry, changed)
      if (written === null) return yield* CallFailure.unavailable("the message is being sent by another call", 1)
      entry = written
      record = next
    })
    return { read: () => record, write }
  })
  type Opened = Effect.Success<ReturnType<typeof open>>

  /** Submits the next segment; what came of it is in the journal when it ends, interrupted or not. */
  const submit = (
    { write }: Opened,
    record: MessageRecord,
    fields: Readonly<Record<string, unknown>>,
    send: Connection.Submit
  ): Effect.Effect<"taken" | "throttled", CallFailure.TelcoFailure | Journal.JournalError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* write({ ...record, state: "Submitting" })
        const exit = yield* Effect.exit(restore(send(fields)))
        if (Exit.isFailure(exit)) {
          const failure = Cause.findErrorOption(exit.cause)
          const isNotDone = failure._tag === "Some" && failure.value.outcome === "NotDone"
          yield* countSegment(telco, isNotDone ? "not_done" : "unknown")
          yield* write({ ...record, state: isNotDone ? "Waiting" : "Unknown" })
          if (failure._tag === "None") return yield* Effect.failCause(Cause.interrupt())
          return yield* CallFailure.unavailable(
            isNotDone ? failure.value.message : `${failure.value.message}; ${unknownSentence(record)}`,
            failure.value.retryAfterSeconds
          )
        }
        const status = exit.value.command_status
        const name = Statuses.nameOf(status)
        switch (Statuses.meaningOf(status)) {
          case "Accepted": {
            const id = exit.value["message_id"]
            const next = withTaken(record, typeof id === "string" ? id : "")
            yield* countSegment(telco, "accepted")
            // For the last segment the call gets the true outcome. Failure: one that is repeated finds a message that was begun,
            // and sends it no more.
            yield* next.state === "Sent"
              ? Effect.catch(write(next), ({ message }) =>
                  Effect.logWarning("a message was sent, and the journal does not say so", { telco, message })
                )
              : write(next)
            return "taken"
          }
          case "Throttled":
            yield* countSegment(telco, "throttled")
            yield* write({ ...record, state: "Waiting" })
            return "throttled"
          case "NotDone":
            yield* countSegment(telco, "not_done")
            yield* write({ ...record, state: "Waiting" })
            return yield* CallFailure.unavailable(`the SMSC does not take the message: ${name}`)
          case "Refused": {
            const refusal = refusalSentence(record, name)
            yield* countSegment(telco, "refused")
            yield* write({ ...record, state: "Refused", refusal })
            return yield* new Telco.Refused({ message: refusal })
          }
        }
      })
    )

  const send = Effect.fnUntraced(function* (opened: Opened, sms: Sms, held: SimLocks.Held) {
    const { iccid } = sms
    const source = yield* Effect.mapError(
      Effect.fromResult(Addresses.sender(sms.from, options.source)),
      (message) => new Telco.Refused({ message })
    )
    const destination = yield* Effect.mapError(options.destinationOf(iccid), CallFailure.toPort)
    const fresh = opened.read() === null
    if (fresh) reference = (reference + 1) % 256
    const segments = of(sms.text, opened.read()?.reference ?? reference, options.alphabet)
    const { segments: most } = Texts.limits
    if (segments.length > most) {
      const message = `the message takes ${segments.length} segments here, as a character of it is not in the SMSC's alphabet; the most is ${most}`
      return yield* new Telco.Refused({ message })
    }
    let record = opened.read() ?? newRecord(reference, segments.length)
    let throttled = 0
    while (record.state === "Waiting") {
      const segment = segments[record.taken.length]
      if (segment === undefined || segments.length !== record.segments) {
        return yield* new Telco.Refused({ message: "another message was sent under this id" })
      }
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
      const current = record
      const outcome = yield* connection
        .turn((submitTo) =>
          Effect.gen(function* () {
            yield* held.keep
            return yield* submit(opened, current, fields, submitTo)
          })
        )
        .pipe(Effect.catchTag("TelcoCalls.CallFailure", (failure) => Effect.fail(CallFailure.toPort(failure))))
      record = opened.read() ?? record
      if (outcome === "taken") throttled = 0
      else if (throttled++ >= options.throttledRetries) {
        return yield* CallFailure.unavailable("the SMSC takes no more messages at the moment", 5)
      }
    }
    return { segments: record.segments }
  })

  const sendSms: Telco.Telco["Service"]["sendSms"] = (sms) =>
    Effect.gen(function* () {
      const known = (yield* open(sms)).read()
      const answer = known === null ? null : settled(known)
      if (answer !== null) return yield* answer
      return yield* withLock(sms.iccid, (held) =>
        Effect.gen(function* () {
          const opened = yield* open(sms)
          const record = opened.read()
          if (record === null) return yield* send(opened, sms, held)
          // Whoever began to submit the segment holds the lock no longer: the outcome stays unknown.
          if (record.state === "Submitting") yield* opened.write({ ...record, state: "Unknown" })
          const answer = settled(opened.read() ?? record)
          return yield* answer === null ? send(opened, sms, held) : answer
        })
      )
    }).pipe(Effect.catchTag("JournalError", (error) => Effect.fail(unread(error))))

  return { sendSms }
})
