/**
 * What the journal says about a message: which of its segments the SMSC has taken, and what is to be done about the next
 * one. It has neither the text nor the sender.
 */
import { Effect, Schema } from "effect"
import { Journal } from "../telco-calls/index.ts"

/**
 * `Waiting`: the next segment was not taken, and may be submitted. `Submitting`: it is being submitted, or whoever did so
 * is gone: unknown. `Sent`: all were taken. `Refused`, `Unknown`: the message ends here.
 */
const STATES = ["Waiting", "Submitting", "Sent", "Refused", "Unknown"] as const

const Document = Schema.Struct({
  state: Schema.Literals(STATES),
  /** Of the concatenation, the same for all segments and attempts. */
  reference: Schema.Int,
  segments: Schema.Int,
  /** The SMSC's ids of the segments that it has taken, in their order. */
  taken: Schema.Array(Schema.String),
  /** Why the message was refused. */
  refusal: Schema.NullOr(Schema.String)
})

export type MessageRecord = typeof Document.Type

const decode = Schema.decodeUnknownEffect(Document)

/** What the entry says. */
export const of = (entry: Journal.Entry): Effect.Effect<MessageRecord, Journal.JournalError> =>
  Effect.mapError(
    decode(entry.document),
    (cause) => new Journal.JournalError({ message: "the journal's entry of a message cannot be read", cause })
  )

export const make = (reference: number, segments: number): MessageRecord => ({
  state: "Waiting",
  reference,
  segments,
  taken: [],
  refusal: null
})

/** The SMSC has taken the next segment. */
export const taking = (record: MessageRecord, id: string): MessageRecord => {
  const taken = [...record.taken, id]
  return { ...record, taken, state: taken.length === record.segments ? "Sent" : "Waiting" }
}

/** Where a message of several segments stands, as the end of a sentence. */
const progress = ({ segments, taken }: MessageRecord): string =>
  segments === 1 ? "" : ` (${taken.length} of ${segments} segments were taken before)`

/** What a message without an answer is refused with when it is asked for again. */
export const unknownSentence = (record: MessageRecord): string =>
  record.segments === 1
    ? "the SMSC's answer was lost: the message may have been sent, and is not sent again"
    : `the SMSC's answer was lost: the message may have been sent in part or as a whole, and is not sent again${progress(record)}`

/** What a message is refused with that the SMSC has refused. */
export const refusalSentence = (record: MessageRecord, status: string): string =>
  `the SMSC refuses the message: ${status}${progress(record)}`
