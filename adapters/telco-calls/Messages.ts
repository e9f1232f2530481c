/**
 * Sends messages at a system that knows no idempotency keys, each in one segment or several.
 *
 * The journal gets the intent before each segment is sent, and the outcome after it. A segment
 * whose outcome is unknown is not sent again, and its message is refused from then on: no SIM gets
 * a message twice. One that was certainly not sent is sent by the call that repeats the message.
 */
import { Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import * as CallRecords from "./CallRecords.ts"
import * as Journal from "./Journal.ts"
import type * as SimLocks from "./SimLocks.ts"

/** What the journal has of a message: neither its text nor its sender. */
const Message = Schema.Struct({
  /** `Sending`: whoever finds it cannot know whether the next segment was sent. */
  state: Schema.Literals(["Waiting", "Sending", "Sent", "Refused"]),
  /** The system's ids of the segments that were sent, in their order; empty if it tells none. */
  sent: Schema.Array(Schema.String),
  /** How many segments are sent. */
  parts: Schema.Finite,
  /** How many the caller is answered; null: the system does not say. */
  segments: Schema.NullOr(Schema.Finite),
  /** What all segments have in common, in every attempt, at systems that need it. */
  reference: Schema.NullOr(Schema.Finite),
  refusal: Schema.NullOr(Schema.String)
})

/** What the journal has of a message: neither its text nor its sender. */
export type Message = typeof Message.Type

type Sms = Parameters<Telco.Telco["Service"]["sendSms"]>[0]

/** A message that is being sent. */
export interface Sending {
  /** Null: nothing was asked of the system yet. */
  readonly known: Message | null
  /** Says what is sent. The segments that are left follow, by `next`. */
  readonly begin: (plan: Pick<Message, "parts" | "segments"> & Partial<Message>) => {
    /** How many segments were sent before. */
    readonly done: number
    /** Sends the next segment; `resultOf` says what the answer tells. */
    readonly next: <A>(
      call: Effect.Effect<A, CallFailure.CallFailure>,
      resultOf?: (answer: A) => { readonly id?: string; readonly segments?: number | null }
    ) => Effect.Effect<A, CallFailure.TelcoFailure>
  }
}

/** Where a message of several segments stands, as the end of a sentence. */
const progress = ({ parts, sent }: Message): string =>
  parts === 1 ? "" : ` (${sent.length} of ${parts} segments were sent before)`

const lost = (message: Message): string =>
  `the message may have been sent${message.parts === 1 ? "" : " in part or as a whole"}, and is not sent again${progress(message)}`

const refused = (message: string) => Effect.fail(new Telco.Refused({ message }))

/** What the record alone answers; null: there is something to send. */
const settled = (known: Message | null): Effect.Effect<Telco.SentSms | undefined, Telco.Refused> | null => {
  if (known?.state === "Sent") return Effect.succeed(known.segments === null ? undefined : { segments: known.segments })
  return known?.state === "Refused" ? refused(known.refusal ?? "The message was refused") : null
}

/**
 * `sendSms` of the port: `send` sends what is left of a message. Messages to one SIM follow each
 * other.
 */
export const make = (
  journal: Journal.Journal["Service"],
  locks: SimLocks.Locks,
  telco: string,
  send: (sms: Sms, sending: Sending, held: SimLocks.Held) => Effect.Effect<void, CallFailure.TelcoFailure>
): Telco.Telco["Service"]["sendSms"] => {
  const records = CallRecords.make(journal, { telco, kind: Journal.MESSAGE }, Message)

  const sendingOf = ({ get, put }: CallRecords.CallRecord<Message>): Sending => ({
    known: get(),
    begin: (plan) => {
      const begun: Message = { reference: null, ...plan, state: "Waiting", sent: get()?.sent ?? [], refusal: null }
      return {
        done: begun.sent.length,
        next: (call, resultOf = () => ({})) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const before: Message = { ...(get() ?? begun), state: "Waiting" }
              const write = (next: Message) => put(next, { externalId: next.sent.at(-1) || null })
              yield* write({ ...before, state: "Sending" })
              // Without an outcome the entry stays as it is, so that the repeated call is refused.
              const answer = yield* Effect.result(restore(call))
              if (answer._tag === "Success") {
                const { id = "", ...more } = resultOf(answer.success)
                const sent = [...before.sent, id]
                const isLast = sent.length === before.parts
                const written = write({ ...before, ...more, sent, state: isLast ? "Sent" : "Waiting" })
                // Failure: a call that is repeated finds a message that was begun, and sends it no
                // more.
                yield* isLast
                  ? Effect.catch(written, ({ message }) =>
                      Effect.logWarning("a message was sent, and the journal does not say so", { telco, message })
                    )
                  : written
                return answer.success
              }
              const { message, outcome, retryAfterSeconds } = answer.failure
              if (outcome === "Unknown")
                return yield* CallFailure.unavailable(`${message}; ${lost(before)}`, retryAfterSeconds)
              const failure = CallFailure.toPort(answer.failure)
              if (failure._tag === "Telco.Unavailable") {
                yield* write(before)
                return yield* failure
              }
              const refusal = `${message}${progress(before)}`
              yield* write({ ...before, state: "Refused", refusal })
              return yield* refused(refusal)
            })
          )
      }
    }
  })

  return (sms) =>
    Effect.gen(function* () {
      const { iccid, messageId } = sms
      // What is known needs no turn among the SIM's messages.
      const known = settled((yield* records.open(messageId, iccid)).get())
      if (known !== null) return yield* known
      return yield* locks.withLock(iccid, (held) =>
        Effect.gen(function* () {
          const record = yield* records.open(messageId, iccid)
          const message = record.get()
          if (message?.state === "Sending") return yield* refused(`The answer was lost: ${lost(message)}`)
          const answer = settled(message)
          if (answer !== null) return yield* answer
          yield* send(sms, sendingOf(record), held)
          return yield* settled(record.get()) ?? Effect.succeed(undefined)
        })
      )
    })
}
