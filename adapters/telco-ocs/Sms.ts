/**
 * Sends messages by `sendMtSms`, in as many pieces as the system's limits ask for.
 *
 * The system takes 160 characters, or 70 if a character is escaped as `\uXXXX`. It takes no
 * header by which a phone puts segments together, so each piece is a message of its own, and the
 * answer says how many there are. A text may take as many as any other message has segments
 * (`Sms.limits`). The journal knows how many pieces were sent. A piece whose outcome is unknown is
 * not sent again: no SIM gets a message twice. The IMSI is that of the inventory, if it has one
 * that the system knows.
 */
import { Effect } from "effect"
import { Sms as Texts, SmsSegments, Telco } from "simplan/ports"
import { CallFailure, Journal, Messages, SimLocks } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import * as Settings from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"

const PLAIN = 160
const ESCAPED = 70

/**
 * How many of the 160 places a character takes; undefined if it has to be escaped: it is not
 * ASCII, or not of the GSM alphabet.
 */
const placesOf = (character: string): number | undefined =>
  character === "\\" || character > "\u007f" ? undefined : SmsSegments.septets(character)?.[0]

const needsEscape = (unit: string): boolean => placesOf(unit) === undefined

const escaped = (unit: string): string =>
  needsEscape(unit) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit

/**
 * The pieces in which a text is sent, as the system wants them. No piece ends within a surrogate
 * pair.
 */
export const pieces = (text: string): ReadonlyArray<string> => {
  const isEscaped = text.split("").some(needsEscape)
  const limit = isEscaped ? ESCAPED : PLAIN
  const all: Array<string> = []
  let piece = ""
  let size = 0
  for (const character of text) {
    const more = isEscaped ? character.length : (placesOf(character) ?? 1)
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

/** `sendSms` of the port. Messages to one SIM follow each other. */
export const makeSendSms = Effect.gen(function* () {
  const { identitiesOf, telco } = yield* Settings.Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks
  const subscribers = yield* Subscribers.Subscribers

  const imsiOf = Effect.fnUntraced(
    function* (iccid: string) {
      const listed = yield* identitiesOf(iccid)
      const imsi = listed?.imsi ?? (yield* subscribers.of(iccid)).imsi ?? (yield* subscribers.ask(iccid)).imsi
      if (imsi === null) return yield* new Telco.Refused({ message: "The subscriber has no IMSI to send a message to" })
      return imsi
    },
    Effect.catchTags({
      "TelcoCalls.CallFailure": (failure) => Effect.fail(CallFailure.toPort(failure)),
      JournalError: ({ message }) => Effect.fail(CallFailure.unavailable(message))
    })
  )

  /** The IMSI that the system reports now. Nothing was sent if it cannot be asked. */
  const imsiNow = (iccid: string) =>
    subscribers.ask(iccid).pipe(
      Effect.map(({ imsi }) => imsi),
      Effect.catchTags({
        "TelcoCalls.CallFailure": ({ message, outcome, retryAfterSeconds }) =>
          outcome === "NotFound"
            ? Effect.succeed(null)
            : Effect.fail(
                new CallFailure.CallFailure({
                  outcome: "NotDone",
                  message,
                  ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
                })
              ),
        JournalError: ({ message }) => Effect.fail(new CallFailure.CallFailure({ outcome: "NotDone", message }))
      })
    )

  /**
   * Sends a piece, and gives the IMSI that it went to: another one if the system does not know
   * the one given.
   */
  const sendPiece = Effect.fnUntraced(function* (iccid: string, sms: Parameters<Api.Api["Service"]["sendSms"]>[0]) {
    const answer = yield* Effect.result(api.sendSms(sms))
    if (answer._tag === "Success") return sms.imsi
    if (answer.failure.outcome !== "NotFound") return yield* answer.failure
    const imsi = yield* imsiNow(iccid)
    if (imsi === null || imsi === sms.imsi) return yield* answer.failure
    yield* api.sendSms({ ...sms, imsi })
    return imsi
  })

  const send = Messages.make(journal, locks, telco, ({ from, iccid, text }, { begin }) =>
    Effect.gen(function* () {
      const all = pieces(text)
      const { segments: most } = Texts.limits
      if (all.length > most) {
        const message = `The message takes ${all.length} segments here, where a character that is not ASCII leaves ${ESCAPED} to each; the most is ${most}`
        return yield* new Telco.Refused({ message })
      }
      let imsi = yield* imsiOf(iccid)
      const { done, next } = begin({ parts: all.length, segments: all.length })
      for (const piece of all.slice(done)) imsi = yield* next(sendPiece(iccid, { imsi, from, text: piece }))
    })
  )
  return Effect.fn("Sms.sendSms")((sms: Parameters<typeof send>[0]) => send(sms))
})
