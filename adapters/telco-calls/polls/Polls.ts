/**
 * Polls the SIMs of a supplier, whose packages are used and end at its place, and reports to the
 * core what is new: first uses, usage, and ends that the supplier decides (rules T3, R1 and R4).
 *
 * The journal's entries of kind `poll` say when. A SIM is polled from its purchase on: once a day
 * while it is in stock, often while it is in use, more seldom while nothing changes
 * (`PollSchedule`), and never once all of its packages are over. A SIM that the supplier has no
 * more is reported as gone.
 *
 * What the supplier notifies is a hint and no more: it has a SIM polled at once, and again with
 * longer and longer waits until something new is found, since what it says may lag behind what it
 * notifies. Polls follow each other by half a minute at least, so that hints that are lost,
 * doubled, late or forged change little.
 *
 * SIMs whose entry is lost are found by those of their purchases (`Sweep`).
 *
 * Processes claim entries under a lease: what a dead process has not polled falls due again. What
 * a poll has reported is remembered only after the core has taken it.
 */
import { Clock, Context, Effect, Metric } from "effect"
import { Reports, Settings as Limits } from "simplan"
import { type Storage, type Telco, type TelcoReport, Time } from "simplan/ports"
import * as CallFailure from "../CallFailure.ts"
import * as Claims from "../Claims.ts"
import * as Journal from "../Journal.ts"
import * as Background from "./Background.ts"
import * as PollState from "./PollState.ts"
import * as PollSchedule from "./PollSchedule.ts"
import * as Sweep from "./Sweep.ts"

/** The kind of the entries; a SIM's key is its ICCID. */
export const KIND = "poll"

/** How SIMs are polled. */
export interface Options {
  /** Names the supplier in the journal, in metrics, and in the ids of reports. */
  readonly telco: string
  /** Keeps when each SIM is due, and what was found of it. */
  readonly journal: Journal.Journal["Service"]
  /** What the supplier has of a SIM; null: nothing of ours is on it. */
  readonly poll: (iccid: string) => Effect.Effect<PollState.Found | null, CallFailure.TelcoFailure>
  /**
   * What of a SIM is to be polled, without a call; null: nothing. With the kind of the journal's
   * entries that are about SIMs. Absent: SIMs whose entry is lost are not searched for.
   */
  readonly known?: {
    readonly kind: string
    readonly of: (iccid: string) => Effect.Effect<PollState.Known | null, CallFailure.TelcoFailure>
  }
  /** How many calls a second the supplier allows, orders included. */
  readonly callsPerSecond: number
  /** How soon a poll follows the one before, in milliseconds; 5 minutes unless given. */
  readonly fastest?: number
  /** How late, in milliseconds; 6 hours unless given. */
  readonly slowest?: number
  /** How long what was used may be missing in what the supplier says, in milliseconds. */
  readonly lag?: number
}

type Needs = Reports.Reports

/** The polls of the SIMs of a supplier. */
export class Polls extends Context.Service<
  Polls,
  {
    /** Has a SIM polled from now on: it has a package. */
    readonly watch: (iccid: string) => Effect.Effect<void, Telco.Unavailable>
    /** Has a SIM polled from now on that nobody has yet. */
    readonly stock: (iccid: string) => Effect.Effect<void, Telco.Unavailable>
    /**
     * Has a SIM polled at once, if one of its packages may still be used. What is unknown, and
     * what is over, is left alone.
     */
    readonly hint: (iccid: string) => Effect.Effect<void, Journal.JournalError>
    /**
     * Until when what was used of the packages of a SIM is counted, by their ids; those that no
     * poll has known are left out.
     */
    readonly asOf: (iccid: string) => Effect.Effect<ReadonlyMap<string, Time.Instant>, Journal.JournalError>
    /** Polls the SIMs that are due: how many there were, and how many polls have failed. */
    readonly due: Effect.Effect<{ readonly polls: number; readonly failed: number }, Journal.JournalError, Needs>
    /**
     * Has SIMs polled whose entries are lost: how many it has found in one step of the search, and
     * whether that is over for now.
     */
    readonly sweep: Effect.Effect<{ readonly found: number; readonly isOver: boolean }, Sweep.Failure>
    /** Polls until it is interrupted; its calls give way to orders. */
    readonly forever: Effect.Effect<never, never, Needs>
    /** Polls what is due now, at most a hundred SIMs. */
    readonly drain: Effect.Effect<void, never, Needs>
  }
>()("simplan/TelcoCalls/Polls") {}

/** How many SIMs are claimed at once, and how many polls are under way at once. */
const BATCH = 20
const AT_ONCE = 4

/** How often SIMs are searched for whose entry is lost: there are as many as were ever sold. */
const SOUGHT = Time.DAY

type Outcome = "reported" | "nothing_new" | "failed"

const counterOf = (telco: string, outcome: Outcome) =>
  Metric.counter("simplan_telco_polls_total", {
    description: "Polls of SIMs at the telco, by what came of them",
    attributes: { telco, outcome },
    incremental: true
  })

/** The polls of the SIMs of one supplier. Make them once in a process. */
export const make = ({
  callsPerSecond,
  fastest = 5 * Time.MINUTE,
  journal,
  known,
  lag = 0,
  poll,
  slowest = 6 * Time.HOUR,
  telco
}: Options): Polls["Service"] => {
  const meter = PollSchedule.makeMeter(callsPerSecond)
  const place = (iccid: string) => ({ telco, kind: KIND, key: iccid })
  const count = (outcome: Outcome) => Metric.update(counterOf(telco, outcome), 1)

  const begin = (iccid: string, after: number): Effect.Effect<void, Telco.Unavailable> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      CallFailure.ofJournal(
        Journal.change(journal, place(iccid), (before) => ({
          iccid,
          externalId: null,
          document: before?.document ?? PollState.initial,
          dueAt: Math.min(now + after, before?.dueAt ?? Number.POSITIVE_INFINITY)
        }))
      )
    )

  const hint: Polls["Service"]["hint"] = Effect.fnUntraced(function* (iccid) {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const entry = yield* journal.get(place(iccid))
      if (entry === null || entry.dueAt === null) return
      const state = PollState.of(entry)
      const { hintedAt, polledAt } = state
      const dueAt = Math.min(entry.dueAt, Math.max(now, (polledAt ?? 0) + PollState.HINTED))
      if (entry.dueAt === dueAt && hintedAt !== undefined && now < hintedAt + PollState.HINTED) return
      if ((yield* journal.replace({ ...entry, document: PollState.hinted(state, now), dueAt })) !== null) return
    }
  })

  const limitsAt = (now: Time.Instant) => {
    const limits = { fastest, slowest, notified: [] }
    return { ...limits, spacing: meter.spacing(limits, now) }
  }

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
   * Writes what a poll has found. An entry that was made due meanwhile is due no later than that.
   */
  const remember = (
    entry: Journal.Entry,
    state: PollState.State,
    dueAt: Time.Instant | null,
    isEnd: Claims.Claimed["isEnd"]
  ): Effect.Effect<void, Journal.JournalError> =>
    Effect.gen(function* () {
      if ((yield* journal.replace({ ...entry, document: state, dueAt })) !== null) return
      const fresh = yield* journal.get(entry)
      if (fresh === null) return
      const wanted = isEnd(fresh.dueAt) ? null : fresh.dueAt
      const due = dueAt === null || wanted === null ? (dueAt ?? wanted) : Math.min(dueAt, wanted)
      yield* remember(fresh, PollState.withHintOf(state, PollState.of(fresh), PollState.of(entry)), due, isEnd)
    })

  const pollSim = Effect.fn("TelcoCalls.poll")(function* (entry: Journal.Entry, isEnd: Claims.Claimed["isEnd"]) {
    const iccid = entry.key
    const found = yield* poll(iccid)
    const now = yield* Clock.currentTimeMillis
    meter.count(1, now)
    if (found === null) {
      yield* remember(entry, { ...PollState.initial, polledAt: now }, null, isEnd)
      return yield* count("nothing_new")
    }
    const before = PollState.ofPurchase(PollState.of(entry), found.purchaseId)
    const asked = { telco, iccid, now }
    const observations = PollState.observed(found, before, asked)
    const gone = PollState.goneOf(found, before, asked)
    const taken = yield* takenOf([...observations.flatMap(({ reports }) => reports), ...(gone === null ? [] : [gone])])
    const state = PollState.remembered(found, before, observations, gone, (report) => taken.has(report), now)
    const dueAt = PollState.next(state, limitsAt(now), lag, now)
    yield* remember(entry, state, dueAt, isEnd)
    yield* count(taken.size > 0 ? "reported" : "nothing_new")
  })

  const failed = Effect.fnUntraced(function* (
    entry: Journal.Entry,
    failure: CallFailure.TelcoFailure | Journal.JournalError | Storage.StorageError,
    isEnd: Claims.Claimed["isEnd"]
  ) {
    yield* count("failed")
    yield* Effect.logDebug(`A poll a SIM of ${telco} has failed: ${failure.message}`)
    const now = yield* Clock.currentTimeMillis
    const before = PollState.of(entry)
    const failures = before.failures + 1
    const after = PollSchedule.afterFailure(failures, { fastest, slowest, notified: [] }, now)
    const dueAt = Math.min(after, PollState.afterHint(before, now) ?? after)
    const wait = failure._tag === "Telco.Unavailable" ? (failure.retryAfterSeconds ?? 0) * Time.SECOND : 0
    yield* remember(entry, { ...before, failures }, Math.max(dueAt, now + wait), isEnd)
  })

  const due: Polls["Service"]["due"] = Effect.gen(function* () {
    const { leaseMillis } = yield* Limits.Settings
    return yield* Claims.use(
      journal,
      { telco, kind: KIND, leaseMillis, limit: BATCH },
      Effect.fnUntraced(function* ({ end, entries, isEnd }: Claims.Claimed) {
        const outcomes = yield* Effect.forEach(
          entries,
          (entry) =>
            Effect.as(pollSim(entry, isEnd), 0).pipe(
              Effect.catch((failure) => Effect.as(failed(entry, failure, isEnd), 1)),
              Effect.tap(() => Effect.sync(() => end(entry)))
            ),
          { concurrency: AT_ONCE }
        )
        return { polls: entries.length, failed: outcomes.reduce((sum: number, one) => sum + one, 0) }
      })
    )
  })

  const sweep: Polls["Service"]["sweep"] =
    known === undefined
      ? Effect.succeed({ found: 0, isOver: true })
      : Sweep.make({
          ...{ telco, journal, kind: known.kind, polls: KIND, every: SOUGHT },
          isLeftOut: (iccid, entry, now) =>
            Effect.map(known.of(iccid), (own) => {
              if (own === null) return false
              const state = entry === null ? PollState.initial : PollState.of(entry)
              return PollState.isLeftOut(own, state, limitsAt(now), lag, now)
            })
        })

  const turns = [
    Background.turn(
      `The search for SIMs of ${telco} that nobody polls`,
      Effect.map(sweep, ({ isOver }) => (isOver ? Time.MINUTE : 0))
    ),
    Background.turn(
      `Polling SIMs of ${telco}`,
      Effect.map(due, ({ failed, polls }) =>
        polls > 0 && failed === polls ? Background.STUCK : polls < BATCH ? Background.IDLE : 0
      )
    )
  ]
  const watch = (iccid: string) => begin(iccid, fastest)
  const stock = (iccid: string) => begin(iccid, PollState.STOCK)
  return Polls.of({
    watch,
    stock,
    hint,
    asOf: (iccid) =>
      Effect.map(journal.get(place(iccid)), (entry) =>
        entry === null ? new Map() : PollState.asOf(PollState.of(entry), lag)
      ),
    due,
    sweep,
    forever: Background.forever(turns),
    drain: Background.drain(turns)
  })
}
