/**
 * Polls the SIMs that are due, and reports to the core what is new (rules T3, R1 and R3).
 *
 * The journal's entries of kind `sim` say when. Processes claim them, so that each poll is one process's, and the claim ends
 * by itself: what a dead process has not polled falls due again. What a poll has reported is remembered only after the core
 * has taken it; its reports have ids that follow from their content, so a poll that is repeated counts once.
 *
 * Metrics count polls by outcome, and how late they were. Their labels are names of telcos and outcomes, never ids.
 */
import { Effect, Metric, Clock } from "effect"
import { Catalogues, Reports } from "simplan"
import { type Storage, type TelcoReport, Time } from "simplan/ports"
import { type CallFailure, Journal } from "../telco-calls/index.ts"
import { Api, type Subscriber } from "./api/Api.ts"
import * as Comparison from "./drift/Comparison.ts"
import * as Facts from "./reports/Facts.ts"
import * as Observation from "./polling/Observation.ts"
import * as NotifiedThresholds from "./reports/NotifiedThresholds.ts"
import * as SimState from "./reports/SimState.ts"
import * as PollSchedule from "./polling/PollSchedule.ts"

/** From a second to a day. */
const BOUNDARIES = [1, 5, 15, 30, 60, 150, 300, 600, 900, 1_800, 3_600, 21_600, 86_400]

type Outcome = "reported" | "nothing_new" | "failed"

const makeMetrics = (telco: string) => {
  const counter = (outcome: Outcome) =>
    Metric.counter("simplan_telco_polls_total", {
      description: "Polls of SIMs at the telco, by what came of them",
      attributes: { telco, outcome },
      incremental: true
    })
  const counters = { reported: counter("reported"), nothing_new: counter("nothing_new"), failed: counter("failed") }
  const lateness = Metric.histogram("simplan_telco_poll_lateness_seconds", {
    description: "Time from when a poll of a SIM was due to when it began",
    attributes: { telco },
    boundaries: BOUNDARIES
  })
  return {
    outcome: (outcome: Outcome) => Metric.update(counters[outcome], 1),
    /** Milliseconds from when a poll was due to when it began. */
    lateness: (millis: number) => Metric.update(lateness, Math.max(0, millis) / 1_000)
  }
}

export interface Options extends Omit<PollSchedule.Limits, "spacing"> {
  /** The name of the OCS in the settings. */
  readonly telco: string
  readonly meter: PollSchedule.Meter
}

export type Failure = CallFailure.CallFailure | Journal.JournalError | Storage.StorageError

export interface Polling {
  /** Polls the SIMs that are due by now. How many there were, and how many polls have failed. */
  readonly due: Effect.Effect<{ readonly polls: number; readonly failed: number }, Journal.JournalError>
  /** Polls the SIM of an entry at once, whenever it is due. */
  readonly poll: (entry: Journal.Entry) => Effect.Effect<void, Failure>
}

/** How long a claim lasts, in milliseconds: longer than the polls that are claimed at once take if every call times out. */
const CLAIM = 5 * Time.MINUTE
/** How many polls are claimed at once. */
export const BATCH = 20
/** How many polls are under way at once. */
const AT_ONCE = 10

/** A part of a poll: the reports, and the state if they are taken. */
interface Part<A> {
  readonly reports: ReadonlyArray<TelcoReport.Report>
  readonly state: A
}

const unchanged = <A>(state: A): Part<A> => ({ reports: [], state })

export const make = (options: Options) =>
  Effect.gen(function* () {
    const { telco } = options
    const api = yield* Api
    const journal = yield* Journal.Journal
    const reports = yield* Reports.Reports
    const catalogues = yield* Catalogues.Catalogues
    const drift = yield* Comparison.make
    const thresholds = yield* NotifiedThresholds.make(options)
    const metrics = makeMetrics(telco)

    /** A call beside the list of packages: its failure does not stop the poll. Null: it has failed, or is not wanted. */
    const beside = <A>(isWanted: boolean, call: Effect.Effect<A, CallFailure.CallFailure>): Effect.Effect<A | null> =>
      isWanted
        ? Effect.catch(call, ({ message }) =>
            Effect.as(Effect.logDebug(`A poll of a SIM of ${telco} goes without a part: ${message}`), null)
          )
        : Effect.succeed(null)

    /** A network that the SIM was seen in before `since` is of a former subscription, and no sign of life of this one. */
    const network = Effect.fnUntraced(function* (
      { iccid, network: found }: Subscriber,
      state: SimState.SimState["network"],
      since: Time.Instant,
      now: Time.Instant
    ) {
      const polled = { ...state, polledAt: now }
      if (found === null) return unchanged(polled)
      const at = found.at ?? (yield* beside(true, api.lastSeen(iccid)))
      if (at === null || at < since || at <= (state.reportedAt ?? since - 1)) return unchanged(polled)
      const place = Facts.placeOf(yield* catalogues.current, found)
      if (place === undefined) {
        yield* Effect.logDebug(`${telco} names a network of MCC ${found.mcc}, which the catalogue does not have.`)
        return unchanged(polled)
      }
      const report = Facts.location({ telco, iccid }, place, Math.min(at, now))
      return { reports: [report], state: { ...polled, reportedAt: at } }
    })

    /** The reports that the core has taken now, or before. */
    const takenOf = Effect.fnUntraced(function* (batch: ReadonlyArray<TelcoReport.Report>) {
      const verdicts = yield* reports.take({ reports: batch })
      const taken = batch.filter((_, place) => verdicts[place]?._tag !== "Rejected")
      for (const [place, { reportId }] of batch.entries()) {
        const verdict = verdicts[place]
        if (verdict?._tag === "Rejected")
          yield* Effect.logDebug(`The report ${reportId} is rejected: ${verdict.message}.`)
      }
      return new Set(taken)
    })

    /**
     * Writes what a poll has found. An entry that was changed meanwhile keeps its change, and falls due no later than that
     * change wants.
     */
    const remember = (entry: Journal.Entry, state: SimState.SimState, dueAt: Time.Instant | null) => {
      const attempt = (current: Journal.Entry, due: Time.Instant | null): Effect.Effect<void, Journal.JournalError> =>
        Effect.gen(function* () {
          const written = { ...current, document: SimState.within(current, state), dueAt: due }
          if ((yield* journal.replace(written)) !== null) return
          const fresh = yield* journal.get(entry)
          if (fresh === null) return
          const wanted = fresh.dueAt === entry.dueAt ? null : fresh.dueAt
          yield* attempt(fresh, due === null || wanted === null ? (due ?? wanted) : Math.min(due, wanted))
        })
      return attempt(entry, dueAt)
    }

    const poll = Effect.fn("TelcoOcs.poll")(function* (entry: Journal.Entry, notified: ReadonlyArray<number>) {
      const iccid = entry.key
      const now = yield* Clock.currentTimeMillis
      const before = SimState.of(entry)
      const limits = { ...options, notified, spacing: options.meter.spacing(options, now) }
      const ordered = (yield* journal.ofSim({ telco, kind: "package", iccid })).map(SimState.orderedOf)
      const listed = yield* api.packages(iccid)
      const observations = Observation.at(ordered, listed, { telco, now, before })
      // A SIM without a package of its own is polled to compare the books, and for nothing else.
      const isServed = observations.length > 0
      const wantsNetwork = isServed && Observation.wantsNetwork(before, observations, limits, now)
      const subscriber = yield* beside(wantsNetwork, api.subscriber(iccid))
      const since = Math.min(...observations.map(({ ordered: { orderedAt } }) => orderedAt ?? now))
      const where =
        subscriber === null ? unchanged(before.network) : yield* network(subscriber, before.network, since, now)
      const simId = SimState.simId(entry) ?? subscriber?.simId ?? null
      const wantsProfile = isServed && simId !== null && Observation.wantsProfile(before, limits, now)
      const history = simId === null ? null : yield* beside(wantsProfile, api.profileHistory(simId))
      options.meter.count(1 + (wantsNetwork ? 1 : 0) + (wantsProfile ? 1 : 0), now)
      const states =
        history === null
          ? { reports: [], profile: before.profile }
          : Facts.readHistory(history, { telco, iccid, now, profile: before.profile })
      const batch = [...states.reports, ...observations.flatMap((one) => one.reports), ...where.reports]
      const taken = yield* takenOf(batch)
      const isTaken = (report: TelcoReport.Report): boolean => taken.has(report)
      const isCompared = drift.isDue(before, now)
      const compared = isCompared
        ? { comparedAt: now, suspected: yield* drift.compare({ iccid, ordered, listed, before, now }) }
        : { comparedAt: before.comparedAt, suspected: before.suspected }
      const wanted = PollSchedule.next(observations.flatMap(Observation.pack), limits, now)
      const dueAt = drift.again(wanted, ordered, compared, now)
      const after: SimState.SimState = {
        ...before,
        polledAt: now,
        nextAt: dueAt,
        failures: 0,
        packages: Observation.remembered(observations, before, isTaken, now),
        network: where.reports.every(isTaken) ? where.state : before.network,
        ...compared,
        profile: states.reports.every(isTaken) ? states.profile : before.profile
      }
      const known = subscriber === null ? entry : { ...entry, document: SimState.withIds(entry, subscriber) }
      yield* remember(known, after, dueAt)
      yield* metrics.outcome(taken.size > 0 ? "reported" : "nothing_new")
    })

    const failed = Effect.fnUntraced(function* (entry: Journal.Entry, failure: Failure) {
      yield* metrics.outcome("failed")
      yield* Effect.logDebug(`A poll of a SIM of ${telco} has failed: ${failure.message}`)
      const now = yield* Clock.currentTimeMillis
      const before = SimState.of(entry)
      const failures = before.failures + 1
      const dueAt = PollSchedule.afterFailure(failures, options, now)
      const wait = failure._tag === "TelcoCalls.CallFailure" ? (failure.retryAfterSeconds ?? 0) * Time.SECOND : 0
      yield* remember(entry, { ...before, failures, nextAt: null }, Math.max(dueAt, now + wait))
    })

    /** Lets other processes poll at once what this one has claimed. */
    const handBack = (entries: ReadonlyArray<Journal.Entry>, now: Time.Instant) =>
      Effect.forEach(entries, (entry) => Effect.ignore(journal.replace({ ...entry, dueAt: now })), { discard: true })

    const claimed = (now: Time.Instant) =>
      journal.claimDue({ telco, kind: "sim", now, until: now + CLAIM, limit: BATCH })

    const relied = thresholds.of(options.notified)

    return {
      poll: (entry) => Effect.flatMap(relied, (notified) => poll(entry, notified)),
      due: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const entries = yield* claimed(now)
        for (const entry of entries) {
          const { nextAt } = SimState.of(entry)
          if (nextAt !== null) yield* metrics.lateness(now - nextAt)
        }
        // What has been claimed is polled in any case.
        const notified = entries.length === 0 ? [] : yield* Effect.orElseSucceed(relied, () => [])
        const open = new Map(entries.map((entry) => [entry.key, entry]))
        const outcomes = yield* Effect.forEach(
          entries,
          (entry) =>
            Effect.as(poll(entry, notified), 0).pipe(
              Effect.catch((failure) => Effect.as(failed(entry, failure), 1)),
              Effect.tap(() => Effect.sync(() => open.delete(entry.key)))
            ),
          { concurrency: AT_ONCE }
        ).pipe(Effect.onInterrupt(() => handBack([...open.values()], now)))
        return { polls: entries.length, failed: outcomes.reduce((sum: number, one) => sum + one, 0) }
      })
    } satisfies Polling
  })
