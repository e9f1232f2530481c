/**
 * What the system knows of each SIM, asked for once and kept in the journal under the kind `sim`,
 * with the time at which the SIM is to be polled.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type CallFailure, Journal } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

/**
 * The part of a `sim` entry's document that this module writes. Others may add fields of their own.
 */
export const Subscriber = Schema.Struct({
  subscriberId: Schema.Finite,
  imsi: Schema.NullOr(Schema.String),
  simId: Schema.NullOr(Schema.Finite)
})

/** What the journal keeps of a SIM. */
export type Subscriber = typeof Subscriber.Type

const decode = Schema.decodeUnknownOption(Subscriber)

/** Of the journal's entries; their key is the ICCID. */
export const KIND = "sim"

/** What the OCS knows of SIMs, from the journal if it can be. */
export class Subscribers extends Context.Service<
  Subscribers,
  {
    /** The subscriber of an ICCID, from the journal, or asked for and added to it. */
    readonly of: (iccid: string) => Effect.Effect<Subscriber, CallFailure.CallFailure | Journal.JournalError>
    /** The subscriber of an ICCID, asked for and written to the journal, whatever it has. */
    readonly ask: (iccid: string) => Effect.Effect<Subscriber, CallFailure.CallFailure | Journal.JournalError>
  }
>()("simplan/TelcoOcs/Subscribers") {}

const make = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api

  /** Adds or changes a SIM's entry, whoever else changes it meanwhile. */
  const change = (
    iccid: string,
    to: (before: Pick<Journal.Entry, "document" | "dueAt">) => Pick<Journal.Entry, "document" | "dueAt">
  ) =>
    Journal.change(journal, { telco, kind: KIND, key: iccid }, (before) => ({
      iccid,
      externalId: before?.externalId ?? null,
      ...to(before ?? { document: {}, dueAt: null })
    }))

  const ask = Effect.fnUntraced(function* (iccid: string) {
    const { imsi, simId, subscriberId } = yield* api.subscriber(iccid)
    const subscriber: Subscriber = { subscriberId, imsi, simId }
    yield* change(iccid, ({ document, dueAt }) => ({ document: { ...document, ...subscriber }, dueAt }))
    return subscriber
  })

  return Subscribers.of({
    ask,
    of: Effect.fnUntraced(function* (iccid) {
      const entry = yield* journal.get({ telco, kind: KIND, key: iccid })
      const known = decode(entry?.document)
      return known._tag === "Some" ? known.value : yield* ask(iccid)
    })
  })
})

/** Needs the API, the journal and the settings of one OCS. */
export const layer: Layer.Layer<Subscribers, never, Api.Api | Journal.Journal | Settings> = Layer.effect(
  Subscribers,
  make
)
