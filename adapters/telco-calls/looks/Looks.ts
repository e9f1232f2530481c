/**
 * Looks at the SIMs of a supplier, whose packages are used and end at its place, and reports to the
 * core what is new: first uses, usage, and ends that the supplier decides (rules T3, R1 and R4).
 *
 * The journal's entries of kind `look` say when. A SIM is looked at from its first package on: often
 * while it is in use, more seldom while nothing changes (`PollSchedule`), and never once all of its
 * packages are over. What the supplier notifies is a hint and no more: it has a SIM looked at soon,
 * which is not more often than looks may follow each other, so that hints that are lost, doubled,
 * late or forged change little.
 *
 * Processes claim entries under a lease: what a dead process has not looked at falls due again. What
 * a look has reported is remembered only after the core has taken it.
 */
import { Clock, Context, Effect, Metric } from "effect"
import { Reports, Settings as Limits } from "simplan"
import { type Storage, type Telco, type TelcoReport, Time } from "simplan/ports"
import * as CallFailure from "../CallFailure.ts"
import * as Claims from "../Claims.ts"
import * as Journal from "../Journal.ts"
import * as Background from "./Background.ts"
import * as LookState from "./LookState.ts"
import * as PollSchedule from "./PollSchedule.ts"

/** The kind of the entries; a SIM's key is its ICCID. */
export const KIND = "look"

/** How SIMs are looked at. */
export interface Options {
  /** Names the supplier in the journal, in metrics, and in the ids of reports. */
  readonly telco: string
  /** Keeps when each SIM is due, and what was found of it. */
  readonly journal: Journal.Journal["Service"]
  /** What the supplier has of a SIM; null: nothing of ours is on it. */
  readonly look: (iccid: string) => Effect.Effect<LookState.Found | null, CallFailure.TelcoFailure>
  /** How many calls a second the supplier allows, orders included. */
  readonly callsPerSecond: number
  /** How soon a look follows the one before, in milliseconds; 5 minutes unless given. */
  readonly fastest?: number
  /** How late, in milliseconds; 6 hours unless given. */
  readonly slowest?: number
  /** How long what was used may be missing in what the supplier says, in milliseconds. */
  readonly lag?: number
}

type Needs = Reports.Reports

/** The looks at the SIMs of a supplier. */
export class Looks extends Context.Service<
  Looks,
  {
    /** Has a SIM looked at from now on: it has a package. */
    readonly watch: (iccid: string) => Effect.Effect<void, Telco.Unavailable>
    /**
     * Has a SIM looked at soon, if one of its packages may still be used. What is unknown, and what
     * is over, is left alone.
     */
    readonly hint: (iccid: string) => Effect.Effect<void, Journal.JournalError>
    /** Looks at the SIMs that are due: how many there were, and how many looks have failed. */
    readonly due: Effect.Effect<{ readonly looks: number; readonly failed: number }, Journal.JournalError, Needs>
    /** Looks until it is interrupted; its calls give way to orders. */
    readonly forever: Effect.Effect<never, never, Needs>
    /** Looks at what is due now, at most a hundred SIMs. */
    readonly drain: Effect.Effect<void, never, Needs>
  }
>()("simplan/TelcoCalls/Looks") {}

/** How many SIMs are claimed at once, and how many looks are under way at once. */
const BATCH = 20
const AT_ONCE = 4

/** How soon after a look a hint may have the next one made. */
const HINTED = 30 * Time.SECOND

type Outcome = "reported" | "nothing_new" | "failed"

const counterOf = (telco: string, outcome: Outcome) =>
  Metric.counter("simplan_telco_polls_total", {
    description: "Polls of SIMs at the telco, by what came of them",
    attributes: { telco, outcome },
    incremental: true
  })

/** The looks at the SIMs of one supplier. Make them once in a process. */
export const make = ({
  callsPerSecond,
  fastest = 5 * Time.MINUTE,
  journal,
  lag = 0,
  look,
  slowest = 6 * Time.HOUR,
  telco
}: Options): Looks["Service"] => {
  const meter = PollSchedule.makeMeter(callsPerSecond)
  const place = (iccid: string) => ({ telco, kind: KIND, key: iccid })
  const count = (outcome: Outcome) => Metric.update(counterOf(telco, outcome), 1)

  const watch: Looks["Service"]["watch"] = (iccid) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      CallFailure.ofJournal(
        Journal.change(journal, place(iccid), (before) => ({
          iccid,
          externalId: null,
          document: before?.document ?? LookState.initial,
          dueAt: Math.min(now + fastest, before?.dueAt ?? Number.POSITIVE_INFINITY)
        }))
      )
    )

  const hint: Looks["Service"]["hint"] = Effect.fnUntraced(function* (iccid) {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const entry = yield* journal.get(place(iccid))
      if (entry === null || entry.dueAt === null) return
      const { lookedAt } = LookState.of(entry)
      const dueAt = Math.max(now, (lookedAt ?? 0) + HINTED)
      if (entry.dueAt <= dueAt || (yield* journal.replace({ ...entry, dueAt })) !== null) return
    }
  })

  /** The reports that the core has taken now, or before. */
  const takenOf = Effect.fnUntraced(function* (batch: ReadonlyArray<TelcoReport.Report>) {
    if (batch.length === 0) return new Set<TelcoReport.Report>()
    const verdicts = yield* Reports.Reports.use((of) => of.take({ reports: batch }))
    for (const [at, { reportId }] of batch.entries()) {
      const verdict = verdicts[at]
      if (verdict?._tag === "Rejected")
        yield* Effect.logDebug(`The report ${reportId} is rejected: ${verdict.message}.`)
    }
    return new Set(batch.filter((_, at) => verdicts[at]?._tag === "Accepted" || verdicts[at]?._tag === "Duplicate"))
  })

  /**
   * Writes what a look has found. An entry that was made due meanwhile is due no later than that.
   */
  const remember = (
    entry: Journal.Entry,
    state: LookState.State,
    dueAt: Time.Instant | null,
    isEnd: Claims.Claimed["isEnd"]
  ): Effect.Effect<void, Journal.JournalError> =>
    Effect.gen(function* () {
      if ((yield* journal.replace({ ...entry, document: state, dueAt })) !== null) return
      const fresh = yield* journal.get(entry)
      if (fresh === null) return
      const wanted = isEnd(fresh.dueAt) ? null : fresh.dueAt
      const due = dueAt === null || wanted === null ? (dueAt ?? wanted) : Math.min(dueAt, wanted)
      yield* remember(fresh, state, due, isEnd)
    })

  const lookAt = Effect.fn("TelcoCalls.look")(function* (entry: Journal.Entry, isEnd: Claims.Claimed["isEnd"]) {
    const iccid = entry.key
    const found = yield* look(iccid)
    const now = yield* Clock.currentTimeMillis
    meter.count(1, now)
    if (found === null || found.packageIds.length === 0) {
      yield* remember(entry, { ...LookState.initial, lookedAt: now }, null, isEnd)
      return yield* count("nothing_new")
    }
    const before = LookState.ofPurchase(LookState.of(entry), found.purchaseId)
    const observations = LookState.observed(found, before, { telco, iccid, now })
    const taken = yield* takenOf(observations.flatMap(({ reports }) => reports))
    const state = LookState.remembered(found, before, observations, (report) => taken.has(report), now)
    const limits = { fastest, slowest, notified: [] }
    const dueAt = LookState.next(state, { ...limits, spacing: meter.spacing(limits, now) }, lag, now)
    yield* remember(entry, state, dueAt, isEnd)
    yield* count(taken.size > 0 ? "reported" : "nothing_new")
  })

  const failed = Effect.fnUntraced(function* (
    entry: Journal.Entry,
    failure: CallFailure.TelcoFailure | Journal.JournalError | Storage.StorageError,
    isEnd: Claims.Claimed["isEnd"]
  ) {
    yield* count("failed")
    yield* Effect.logDebug(`A look at a SIM of ${telco} has failed: ${failure.message}`)
    const now = yield* Clock.currentTimeMillis
    const before = LookState.of(entry)
    const failures = before.failures + 1
    const dueAt = PollSchedule.afterFailure(failures, { fastest, slowest, notified: [] }, now)
    const wait = failure._tag === "Telco.Unavailable" ? (failure.retryAfterSeconds ?? 0) * Time.SECOND : 0
    yield* remember(entry, { ...before, failures }, Math.max(dueAt, now + wait), isEnd)
  })

  const due: Looks["Service"]["due"] = Effect.gen(function* () {
    const { leaseMillis } = yield* Limits.Settings
    return yield* Claims.use(
      journal,
      { telco, kind: KIND, leaseMillis, limit: BATCH },
      Effect.fnUntraced(function* ({ end, entries, isEnd }: Claims.Claimed) {
        const outcomes = yield* Effect.forEach(
          entries,
          (entry) =>
            Effect.as(lookAt(entry, isEnd), 0).pipe(
              Effect.catch((failure) => Effect.as(failed(entry, failure, isEnd), 1)),
              Effect.tap(() => Effect.sync(() => end(entry)))
            ),
          { concurrency: AT_ONCE }
        )
        return { looks: entries.length, failed: outcomes.reduce((sum: number, one) => sum + one, 0) }
      })
    )
  })

  const turns = [
    Background.turn(
      `Looking at SIMs of ${telco}`,
      Effect.map(due, ({ failed, looks }) =>
        looks > 0 && failed === looks ? Background.STUCK : looks < BATCH ? Background.IDLE : 0
      )
    )
  ]
  return Looks.of({ watch, hint, due, forever: Background.forever(turns), drain: Background.drain(turns) })
}
