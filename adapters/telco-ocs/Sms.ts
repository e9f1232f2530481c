/**
 * Sends messages by `sendMtSms`, in as many pieces as the system's limits ask for.
 *
 * The system takes 160 characters, or 70 where a character is escaped as `\uXXXX`. The journal knows how many pieces
 * were sent. A piece whose outcome is unknown is not sent again: nobody gets a message twice.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallKinds, Journal, SimLocks, PortFailure } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"

const PLAIN = 160
const ESCAPED = 70

/** Characters that take two places of the 160 (the extension table of GSM 7 bit). */
const wide = /[\^{}[\]~|]/

const needsEscape = (unit: string): boolean => unit === "\\" || unit > "\u007f"

const escaped = (unit: string): string =>
  needsEscape(unit) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit

/** The pieces in which a text is sent, as the system wants them. No piece ends within a surrogate pair. */
export const pieces = (text: string): ReadonlyArray<string> => {
  const isEscaped = text.split("").some(needsEscape)
  const limit = isEscaped ? ESCAPED : PLAIN
  const all: Array<string> = []
  let piece = ""
  let size = 0
  for (const character of text) {
    const more = isEscaped ? character.length : wide.test(character) ? 2 : 1
    if (size + more > limit) {
      all.push(piece)
      piece = ""
      size = 0
    }
    piece += character
    size += more
  }
  return [...all, piece].map((one) => one.split("").map(escaped).join(""))
}

/** `Sending` is written before a piece is sent: who finds it cannot know whether the piece was sent. */
const Message = Schema.Struct({
  state: Schema.Literals(["Waiting", "Sending", "Sent", "Refused"]),
  sent: Schema.Finite,
  reason: Schema.NullOr(Schema.String)
})

type Message = typeof Message.Type

const decode = Schema.decodeUnknownEffect(Message)

const unknown = (sent: number, all: number): string =>
  `It is unknown whether piece ${sent + 1} of ${all} of the message was sent; it is not sent again`

export class Sms extends Context.Service<Sms, Pick<Telco.Telco["Service"], "sendSms">>()("simplan/TelcoOcs/Sms") {}

const make = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks
  const subscribers = yield* Subscribers.Subscribers

  const imsiOf = Effect.fnUntraced(
    function* (iccid: string) {
      const known = yield* subscribers.of(iccid)
      const imsi = known.imsi ?? (yield* subscribers.ask(iccid)).imsi
      if (imsi === null) return yield* new Telco.Refused({ message: "The subscriber has no IMSI to send a message to" })
      return imsi
    },
    Effect.catchTags({
      "TelcoCalls.CallFailure": (failure) => Effect.fail(PortFailure.of(failure)),
      JournalError: ({ message }) => Effect.fail(PortFailure.unavailable(message))
    })
  )

  const overtaken = PortFailure.unavailable("Another call has gone on with this message", 1)

  const send = Effect.fnUntraced(function* ({
    from,
    iccid,
    messageId,
    text
  }: Parameters<Telco.Telco["Service"]["sendSms"]>[0]) {
    const place = { telco, kind: CallKinds.MESSAGE, key: messageId }
    const all = pieces(text)
    const write = Effect.fnUntraced(function* (before: Journal.Entry | null, document: Message) {
      const next = { ...place, iccid, externalId: null, document, dueAt: null }
      const written = before === null ? journal.add(next) : journal.replace({ ...next, version: before.version })
      const entry = yield* PortFailure.journal(written)
      return entry ?? (yield* overtaken)
    })
    let entry = yield* PortFailure.journal(journal.get(place))
    let sent = 0
    if (entry !== null) {
      const found = yield* Effect.mapError(decode(entry.document), () =>
        PortFailure.unavailable("The message's entry has another form")
      )
      if (found.state === "Sent") return
      if (found.state === "Refused") return yield* new Telco.Refused({ message: found.reason ?? "Refused" })
      if (found.state === "Sending") return yield* new Telco.Refused({ message: unknown(found.sent, all.length) })
      sent = found.sent
    }
    const imsi = yield* imsiOf(iccid)
    for (const [index, piece] of all.entries()) {
      if (index < sent) continue
      entry = yield* write(entry, { state: "Sending", sent: index, reason: null })
      const answer = yield* Effect.result(api.sendSms({ imsi, from, text: piece }))
      if (answer._tag === "Success") continue
      const failure = PortFailure.of(answer.failure)
      // Without an outcome the entry stays as it is, so that the repeated call is refused.
      if (answer.failure.outcome === "NotDone") yield* write(entry, { state: "Waiting", sent: index, reason: null })
      else if (failure._tag === "Telco.Refused") {
        yield* write(entry, { state: "Refused", sent: index, reason: failure.message })
      }
      return yield* failure
    }
    yield* write(entry, { state: "Sent", sent: all.length, reason: null })
  })

  return Sms.of({
    sendSms: Effect.fn("Sms.sendSms")((sms) => locks.withLock(sms.iccid, () => send(sms)))
  })
})

export const layer: Layer.Layer<
  Sms,
  never,
  Api.Api | Journal.Journal | Settings | SimLocks.SimLocks | Subscribers.Subscribers
> = Layer.effect(Sms, make)
