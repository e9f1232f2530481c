/**
 * Finds SIMs that have an order and that nobody polls, and has them polled.
 *
 * The write that makes an order has its SIM polled. This finds the rest: SIMs whose entry was lost,
 * as by a restored backup, and those that an earlier version has left out. Once an hour one process
 * goes through all SIMs with orders, by an entry of the journal of the kind `unpolled` that says
 * how far it has come.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Settings as Limits } from "simplan"
import { Time } from "simplan/ports"
import { Claims, Journal } from "../telco-calls/index.ts"
import * as OrderJournal from "./orders/OrderJournal.ts"
import * as SimState from "./reports/SimState.ts"
import { Settings } from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"

const KIND = "unpolled"

/** There is one entry for an OCS. */
const KEY = "*"

/** How often all SIMs are gone through, in milliseconds. */
const EVERY = Time.HOUR

/** How many SIMs a turn reads that are not due. */
const READ = 200

const Progress = Schema.Struct({ after: Schema.NullOr(Schema.String) })

const decode = Schema.decodeUnknownOption(Progress)

/**
 * A poll that has seen a package goes on with it; one that has not seen it yet is due until the
 * books are compared no more.
 */
export const isLeftOut = (ordered: ReadonlyArray<SimState.Ordered>, state: SimState.SimState, now: Time.Instant) =>
  ordered.some(
    (one) =>
      SimState.isServed(one) &&
      state.packages[one.externalId ?? ""] === undefined &&
      (state.polledAt === null || now - (one.orderedAt ?? now) < SimState.COMPARED)
  )

/** One turn: how many SIMs it has found that nobody polled, and whether there is more to do now. */
export const make = Effect.gen(function* () {
  const { telco } = yield* Settings
  const { leaseMillis } = yield* Limits.Settings
  const journal = yield* Journal.Journal

  const add = (iccid: string, now: Time.Instant) =>
    Journal.change(journal, { telco, kind: Subscribers.KIND, key: iccid }, (before) => ({
      ...{ iccid, externalId: before?.externalId ?? null, document: before?.document ?? {} },
      dueAt: Math.min(now, before?.dueAt ?? now)
    }))

  const check = Effect.fnUntraced(function* (iccid: string, now: Time.Instant) {
    const entry = yield* journal.get({ telco, kind: Subscribers.KIND, key: iccid })
    const ordered = (yield* journal.ofSim({ telco, kind: OrderJournal.KIND, iccid })).map(SimState.orderedOf)
    const state = entry === null ? SimState.initial : SimState.of(entry)
    if (!isLeftOut(ordered, state, now)) return 0
    yield* add(iccid, now)
    yield* Effect.logWarning(`Nobody polled a SIM of ${telco} that has a package: it is polled now`, { iccid })
    return 1
  })

  const next = Effect.fnUntraced(function* (entry: Journal.Entry) {
    const now = yield* Clock.currentTimeMillis
    const { after } = Option.getOrElse(decode(entry.document), () => ({ after: null }))
    const query = { telco, kind: OrderJournal.KIND, other: Subscribers.KIND, after, limit: READ }
    const iccids = yield* journal.withoutDue(query)
    const found = yield* Effect.forEach(iccids, (iccid) => check(iccid, now))
    const last = iccids.length < READ ? null : (iccids.at(-1) ?? null)
    yield* journal.replace({ ...entry, document: { after: last }, dueAt: last === null ? now + EVERY : now })
    return { found: found.reduce((sum: number, one) => sum + one, 0), isOver: last === null }
  })

  const begin = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const entry = { telco, kind: KIND, key: KEY, iccid: null, externalId: null, document: { after: null }, dueAt: now }
    return (yield* journal.add(entry)) !== null
  })

  return Effect.gen(function* () {
    const isFirst = yield* begin
    const turn = yield* Claims.use(journal, { telco, kind: KIND, leaseMillis, limit: 1 }, ({ entries: [entry] }) =>
      entry === undefined ? Effect.succeed(null) : next(entry)
    )
    return turn ?? { found: 0, isOver: !isFirst }
  })
})
