/**
 * Finds SIMs that should be polled and that nobody polls, and has them polled: those whose entry
 * was lost, as by a restored backup.
 *
 * Now and then one process goes through all SIMs that have an entry of some kind and no poll that
 * is due, by an entry of the journal of the kind `unpolled` that says how far it has come.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Settings as Limits } from "simplan"
import type { Telco, Time } from "simplan/ports"
import * as Claims from "../Claims.ts"
import * as Journal from "../Journal.ts"

const KIND = "unpolled"

/** There is one entry for a telco. */
const KEY = "*"

/** How many SIMs a turn reads that are not due. */
const READ = 200

const Progress = Schema.Struct({ after: Schema.NullOr(Schema.String) })

const decode = Schema.decodeUnknownOption(Progress)

/** What a step of the search may fail with; it is taken again. */
export type Failure = Journal.JournalError | Telco.Unavailable | Telco.Refused

/** What is gone through. */
export interface Options {
  /** Names the telco in the journal. */
  readonly telco: string
  /** Has the entries, and how far the search has come. */
  readonly journal: Journal.Journal["Service"]
  /** The kind of entries whose SIMs are gone through. */
  readonly kind: string
  /** The kind of the entries of polls. */
  readonly polls: string
  /** How often all SIMs are gone through, in milliseconds. */
  readonly every: number
  /** Whether a SIM should be polled whose entry is this one, or is missing. */
  readonly isLeftOut: (iccid: string, entry: Journal.Entry | null, now: Time.Instant) => Effect.Effect<boolean, Failure>
}

/** One turn: how many SIMs it has found that nobody polled, and whether there is no more to do. */
export const make = ({ every, isLeftOut, journal, kind, polls, telco }: Options) => {
  const add = (iccid: string, now: Time.Instant) =>
    Journal.change(journal, { telco, kind: polls, key: iccid }, (before) => ({
      ...{ iccid, externalId: before?.externalId ?? null, document: before?.document ?? {} },
      dueAt: Math.min(now, before?.dueAt ?? now)
    }))

  const check = Effect.fnUntraced(function* (iccid: string, now: Time.Instant) {
    const entry = yield* journal.get({ telco, kind: polls, key: iccid })
    if (!(yield* isLeftOut(iccid, entry, now))) return 0
    yield* add(iccid, now)
    yield* Effect.logWarning(`Nobody polled a SIM of ${telco} that should be: it is polled now`, { iccid })
    return 1
  })

  const next = Effect.fnUntraced(function* (entry: Journal.Entry) {
    const now = yield* Clock.currentTimeMillis
    const { after } = Option.getOrElse(decode(entry.document), () => ({ after: null }))
    const iccids = yield* journal.withoutDue({ telco, kind, other: polls, after, limit: READ })
    const found = yield* Effect.forEach(iccids, (iccid) => check(iccid, now))
    const last = iccids.length < READ ? null : (iccids.at(-1) ?? null)
    yield* journal.replace({ ...entry, document: { after: last }, dueAt: last === null ? now + every : now })
    return { found: found.reduce((sum: number, one) => sum + one, 0), isOver: last === null }
  })

  const begin = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const entry = { telco, kind: KIND, key: KEY, iccid: null, externalId: null, document: { after: null }, dueAt: now }
    return (yield* journal.add(entry)) !== null
  })

  return Effect.gen(function* () {
    const isFirst = yield* begin
    const { leaseMillis } = yield* Limits.Settings
    const turn = yield* Claims.use(journal, { telco, kind: KIND, leaseMillis, limit: 1 }, ({ entries: [entry] }) =>
      entry === undefined ? Effect.succeed(null) : next(entry)
    )
    return turn ?? { found: 0, isOver: !isFirst }
  })
}
