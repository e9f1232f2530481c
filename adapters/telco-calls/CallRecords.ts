/**
 * What the journal has of calls, as documents of one form for each kind of call.
 *
 * A record is written by the process that has read or written its latest version, so of two
 * processes one goes on with a call, and the call of the other one is `Unavailable`.
 */
import { Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import * as Journal from "./Journal.ts"

/** What is known of one call. */
export interface CallRecord<A> {
  /** The call's. */
  readonly key: string
  /** As it was read or written last; null: there is nothing. */
  readonly get: () => A | null
  /** Writes it; `more` are other parts of its entry. */
  readonly put: (
    next: A,
    more?: Partial<Pick<Journal.Entry, "iccid" | "externalId" | "dueAt">>
  ) => Effect.Effect<void, Telco.Unavailable>
}

/** The records of the calls of a kind. */
export interface CallRecords<A> {
  /** That of one call about a SIM; null: about none yet. */
  readonly open: (key: string, iccid: string | null) => Effect.Effect<CallRecord<A>, Telco.Unavailable>
  /** Those of all calls about a SIM, in the order in which they were asked for. */
  readonly ofSim: (iccid: string) => Effect.Effect<ReadonlyArray<CallRecord<A>>, Telco.Unavailable>
}

/** Reads and writes documents of the schema. */
export const make = <A extends Journal.Document>(
  journal: Journal.Journal["Service"],
  { kind, telco }: Omit<Journal.Place, "key">,
  schema: Schema.Decoder<A>
): CallRecords<A> => {
  const decode = Schema.decodeUnknownEffect(schema)

  const recordOf = (entry: Journal.Entry | null, key: string, iccid: string | null) =>
    Effect.gen(function* () {
      let latest = entry
      let known = entry === null ? null : yield* decode(entry.document)
      const put: CallRecord<A>["put"] = Effect.fnUntraced(function* (next, more) {
        const written = { telco, kind, key, iccid, externalId: null, document: next, dueAt: null, ...more }
        const now = yield* CallFailure.ofJournal(Journal.write(journal, latest, written))
        if (now === null) return yield* CallFailure.unavailable("Another process makes this call", 1)
        latest = now
        known = next
      })
      return { key, get: () => known, put }
    }).pipe(Effect.mapError(() => CallFailure.unavailable("The journal has an entry of a call in another form")))

  return {
    open: (key, iccid) =>
      Effect.flatMap(CallFailure.ofJournal(journal.get({ telco, kind, key })), (entry) => recordOf(entry, key, iccid)),
    ofSim: (iccid) =>
      Effect.flatMap(CallFailure.ofJournal(journal.ofSim({ telco, kind, iccid })), (entries) =>
        Effect.forEach(entries, (entry) => recordOf(entry, entry.key, iccid))
      )
  }
}

/** What is known of a call that has one outcome for good. */
export const Once = Schema.Struct({ isDone: Schema.Boolean, refusal: Schema.NullOr(Schema.String) })

/** What is known of a call that has one outcome for good. */
export type Once = typeof Once.Type

/**
 * Makes a call unless its outcome is known: one that was refused has that outcome for good, and so
 * has one that was done, unless it may be repeated. The outcome is written down whoever gives up.
 */
export const once = (
  record: CallRecord<Once>,
  call: Effect.Effect<void, CallFailure.TelcoFailure>,
  { isRepeatable = false } = {}
): Effect.Effect<void, CallFailure.TelcoFailure> =>
  Effect.suspend(() => {
    const known = record.get()
    if (known?.isDone === true) return Effect.void
    if (known !== null && known.refusal !== null) return Effect.fail(new Telco.Refused({ message: known.refusal }))
    return Effect.uninterruptibleMask((restore) =>
      Effect.tapErrorTag(restore(call), "Telco.Refused", ({ message }) =>
        record.put({ isDone: false, refusal: message })
      ).pipe(Effect.andThen(isRepeatable ? Effect.void : record.put({ isDone: true, refusal: null })))
    )
  })
