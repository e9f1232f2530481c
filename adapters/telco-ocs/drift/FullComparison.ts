/**
 * A comparison of all SIMs with the OCS that an operator asks for, as after a restore of the
 * database (rule S5): those in stock, those in service, and those that are withdrawn. A SIM that is
 * being sold or released is left to that, which reads its list too. What was compared before it was
 * asked for does not count, nor what was suspected before.
 *
 * The journal has one entry of it, of the kind `comparison`: when it was asked for, how far it is,
 * and when it has ended. Processes claim it under the lease of the settings, so that one at a time
 * goes on with it, at the rate that SIMs in stock have, which it shares with the daily comparison;
 * the others are polled by the polls' own rate. It goes through all inventories in the order
 * of import and waits for the SIMs of a turn. What the OCS does not answer for some minutes is
 * counted as such and left to the daily comparison.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Organizations, Settings as Limits, Sims } from "simplan"
import { Sim, type Storage, Time } from "simplan/ports"
import { Claims, Journal } from "../../telco-calls/index.ts"
import { Orders } from "../orders/Orders.ts"
import * as SimState from "../reports/SimState.ts"
import * as Subscribers from "../Subscribers.ts"
import type * as StockComparison from "./StockComparison.ts"

const KIND = "comparison"

/** How far a comparison of all SIMs is. */
const Progress = Schema.Struct({
  requestedAt: Schema.Finite,
  /** How many SIMs were compared since. */
  compared: Schema.Finite,
  /** Of how many SIMs the OCS has not answered. */
  unanswered: Schema.Finite,
  /** Null: it is under way. */
  doneAt: Schema.NullOr(Schema.Finite)
})

/** How far a comparison of all SIMs is. Times are in milliseconds. */
export type Progress = typeof Progress.Type

const State = Schema.Struct({
  ...Progress.fields,
  /** The organizations up to this one are compared; null: none is. */
  after: Schema.NullOr(Schema.Struct({ createdAt: Schema.Finite, id: Schema.String })),
  /** Of the next organization: the last import sequence that was compared; null: none was. */
  sequence: Schema.NullOr(Schema.Finite),
  /** How often the SIMs of this turn were asked for in vain. */
  tries: Schema.Finite,
  /** The import sequences of those of this turn that are compared: they are not asked for again. */
  done: Schema.Array(Schema.Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})

type State = typeof State.Type

const decode = Schema.decodeUnknownOption(State)

const stateOf = (entry: Journal.Entry | null): State | null => Option.getOrNull(decode(entry?.document))

const placeOf = (telco: string): Journal.Place => ({ telco, kind: KIND, key: "all" })

const document = (state: State): Journal.Document => ({ ...state })

/** How long a turn waits for its SIMs, and how long nothing is done if nothing is due. */
const AGAIN = 2 * Time.SECOND
const PAUSE = 100
const IDLE = Time.SECOND

/** How many SIMs a turn has, how many of them are asked for at once, and how often in vain. */
const SIMS = 20
const AT_ONCE = 5
const TRIES = 60

/** Asks for a comparison of all SIMs: those that were made before do not count from now on. */
export const request = (telco: string): Effect.Effect<Progress, Journal.JournalError, Journal.Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const requestedAt = yield* Clock.currentTimeMillis
    const progress: Progress = { requestedAt, compared: 0, unanswered: 0, doneAt: null }
    const state: State = { ...progress, after: null, sequence: null, tries: 0, done: [] }
    yield* Journal.change(journal, placeOf(telco), () => ({
      ...{ iccid: null, externalId: null, dueAt: requestedAt },
      document: document(state)
    }))
    return progress
  })

/** How far the last one is; null: none was asked for. */
export const progress = (telco: string): Effect.Effect<Progress | null, Journal.JournalError, Journal.Journal> =>
  Effect.gen(function* () {
    const state = stateOf(yield* (yield* Journal.Journal).get(placeOf(telco)))
    if (state === null) return null
    const { compared, doneAt, requestedAt, unanswered } = state
    return { compared, doneAt, requestedAt, unanswered }
  })

/** Before which instant comparisons do not count; a process reads it once in a second. */
export const makeSince = (telco: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    let known = { at: Number.NEGATIVE_INFINITY, since: Number.NEGATIVE_INFINITY }
    return Effect.fnUntraced(function* (now: Time.Instant) {
      if (Math.abs(now - known.at) >= IDLE) {
        const state = stateOf(yield* journal.get(placeOf(telco)))
        known = { at: now, since: state?.requestedAt ?? Number.NEGATIVE_INFINITY }
      }
      return known.since
    })
  })

/** What has come of one SIM. */
type Outcome = "compared" | "waits" | "left"

/** One turn. It returns how long to wait before the next one, in milliseconds. */
export const make = ({ isSupplied = () => true, meter, telco }: StockComparison.Options) =>
  Effect.gen(function* () {
    const { leaseMillis } = yield* Limits.Settings
    const journal = yield* Journal.Journal
    const sims = yield* Sims.Sims
    const orders = yield* Orders
    const organizations = yield* Organizations.Organizations

    const inStock = ({ iccid, organizationId }: Sim.Sim) =>
      sims.withhold({ organizationId, iccid, list: orders.listStock({ iccid }) }).pipe(
        Effect.as("compared" as const),
        // Failure: the turn is repeated, and what is never answered is left to the daily
        // comparison.
        Effect.catchTags({
          "Telco.Refused": () => Effect.succeed("waits" as const),
          "Telco.Unavailable": () => Effect.succeed("waits" as const)
        })
      )

    /** A poll compares it, which is due now. */
    const polled = Effect.fnUntraced(function* ({ iccid }: Sim.Sim, { requestedAt, tries }: State, now: number) {
      const place = { telco, kind: Subscribers.KIND, key: iccid }
      const entry = yield* journal.get(place)
      if (entry !== null && (SimState.of(entry).comparedAt ?? 0) >= requestedAt) return "compared" as const
      // A process may be at it since.
      if (tries > 0) return "waits" as const
      yield* Journal.change(journal, place, (before) => ({
        ...{ iccid, externalId: before?.externalId ?? null, document: before?.document ?? {} },
        dueAt: Math.min(now, before?.dueAt ?? now)
      }))
      return "waits" as const
    })

    const compare = (
      sim: Sim.Sim,
      state: State,
      now: number
    ): Effect.Effect<Outcome, Journal.JournalError | Storage.StorageError> => {
      if (!isSupplied(sim)) return Effect.succeed("left" as const)
      if (!Sim.isUsed(sim)) return inStock(sim)
      return Sim.isInService(sim) || Sim.isOut(sim) ? polled(sim, state, now) : Effect.succeed("left" as const)
    }

    /** The next SIMs, and what the entry is to remember. */
    const advance = Effect.fnUntraced(function* (state: State, now: number) {
      const { items: found } = yield* organizations.page({ after: state.after, limit: 1 })
      const [organization] = found
      if (organization === undefined) return { calls: 0, dueAt: null, next: { ...state, doneAt: now } }
      const { createdAt, organizationId } = organization
      const page = yield* sims.page({ organizationId, isEsim: null, label: null, after: state.sequence, limit: SIMS })
      const last = page.items.at(-1)
      if (last === undefined) {
        const after = { createdAt, id: organizationId }
        return { calls: 0, dueAt: now, next: { ...state, after, sequence: null, tries: 0, done: [] } }
      }
      const open = page.items.filter(({ importSequence }) => !state.done.includes(importSequence))
      const outcomes: ReadonlyArray<Outcome> = yield* Effect.forEach(open, (sim) => compare(sim, state, now), {
        concurrency: AT_ONCE
      })
      const calls = open.filter((sim) => !Sim.isUsed(sim)).length
      const waiting = outcomes.filter((one) => one === "waits").length
      const done = [
        ...state.done,
        ...open.flatMap(({ importSequence }, index) => (outcomes[index] === "compared" ? [importSequence] : []))
      ]
      if (waiting > 0 && state.tries < TRIES) {
        return { calls, dueAt: now + AGAIN, next: { ...state, tries: state.tries + 1, done } }
      }
      const next = {
        ...{ ...state, sequence: last.importSequence, tries: 0, done: [] },
        ...{ compared: state.compared + done.length, unanswered: state.unanswered + waiting }
      }
      return { calls, dueAt: now, next }
    })

    const turn = Effect.fnUntraced(function* ({ entries: [entry] }: Claims.Claimed) {
      const now = yield* Clock.currentTimeMillis
      const state = stateOf(entry ?? null)
      if (entry === undefined || state === null || state.doneAt !== null) return IDLE
      const { calls, dueAt, next } = yield* advance(state, now)
      yield* journal.replace({ ...entry, document: document(next), dueAt })
      if (next.doneAt !== null) {
        const { compared, unanswered } = next
        yield* Effect.logInfo(`All SIMs were compared with ${telco}`, { compared, unanswered })
      }
      const elapsed = (yield* Clock.currentTimeMillis) - now
      return calls === 0 ? PAUSE : Math.max(PAUSE, meter.stockMillis(calls, now) - elapsed)
    })
    return Claims.use(journal, { telco, kind: KIND, leaseMillis, limit: 1 }, turn)
  })
