/**
 * Polls the SIMs that are due, and reports to the core what is new (rules T3, R1 and R3).
 *
 * Only packages that simplan has ordered are reported. The first use is reported before the usage
 * and with the OCS's own instant, because a usage of a package without a known time would make its
 * own instant the first use for good (rule T3). Usage is a running total, and its instant is the
 * poll's: the OCS does not say when it was used.
 *
 * A SIM's location and its profile's history are a call each. The poll that finds the first use of
 * a package asks for the location. After further use, and as long as the profile is not installed,
 * a poll asks as soon as one that nothing hurries may come: at most every hour if calls are in
 * use (see `PollSchedule.spacing`). Else every fourth `slowest`, a day by default: a SIM may be
 * moved and a profile be disabled without any use. Once a day the poll of a SIM that was used reads
 * the OCS's own book of usage (see `drift/Usage`).
 *
 * The journal's entries of kind `sim` say when. Processes claim them, so that each poll is one
 * process's, under the lease of the settings: what a dead process has not polled falls due again
 * when the lease ends. What a poll has reported is remembered only after the core has taken it; its
 * reports have ids that follow from their content, so a poll that is repeated counts once.
 *
 * Metrics count polls by outcome, and how late they were. Their labels are names of telcos and
 * outcomes, never ids.
 */
import { Effect, Metric, Clock } from "effect"
import { Catalogues, Problems, Reports, Settings as Limits } from "simplan"
import { Allowance, Package, type Storage, TelcoReport, Time } from "simplan/ports"
import { type CallFailure, Claims, Journal, PollSchedule } from "../telco-calls/index.ts"
import { Api, type Subscriber, type SubscriberPackage } from "./api/Api.ts"
import * as Comparison from "./drift/Comparison.ts"
import * as FullComparison from "./drift/FullComparison.ts"
import * as UsageComparison from "./drift/UsageComparison.ts"
import * as OrderJournal from "./orders/OrderJournal.ts"
import * as Facts from "./reports/Facts.ts"
import * as SimState from "./reports/SimState.ts"
import { Settings } from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"
import * as NotifiedThresholds from "./NotifiedThresholds.ts"

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
  /**
   * Polls it without a comparison of usage: another process may be at a poll of the SIM that is due
   * (see `drift/Usage`).
   */
  readonly pollBeside: (entry: Journal.Entry) => Effect.Effect<void, Failure>
}

/** What a poll finds of a package. */
export interface Observed {
  readonly ordered: SimState.Ordered
  readonly listed: SubscriberPackage
  /** The reports of this package, in their order. */
  readonly reports: ReadonlyArray<TelcoReport.Report>
  /** The state if all reports are taken. */
  readonly state: SimState.PackageState
}

interface Asked {
  readonly telco: string
  readonly now: Time.Instant
  readonly before: SimState.SimState
}

/**
 * When a package was first used, which the OCS says by a clock that may be minutes off: not after
 * the poll, and not before the order by more than the core takes (rule R1).
 */
export const usedFirst = (activationAt: Time.Instant, orderedAt: Time.Instant, now: Time.Instant): Time.Instant =>
  Math.min(now, activationAt < orderedAt - TelcoReport.AHEAD_LIMIT ? orderedAt : activationAt)

const observe = (ordered: SimState.Ordered, listed: SubscriberPackage, { before, now, telco }: Asked): Observed => {
  const { activationAt } = listed
  const externalId = String(listed.id)
  const known = before.packages[externalId]
  const usedBytes = SimState.greatest(listed, known)
  const head = { telco, iccid: ordered.iccid, packageId: ordered.packageId, externalId }
  const elapsed = before.polledAt === null ? 0 : now - before.polledAt
  const risen = usedBytes - (known?.usedBytes ?? 0)
  const reports: Array<TelcoReport.Report> = []
  let reportedActivationAt = known?.reportedActivationAt ?? null
  let reportedBytes = known?.reportedBytes ?? 0
  // Nobody here has one whose creation is undone: its use is reported no more, and stands in the
  // system's own book alone.
  const isOurs = ordered.reviewedBytes === null
  if (isOurs && ordered.window === null && reportedActivationAt === null && activationAt !== null) {
    reports.push(Facts.firstUse(head, usedFirst(activationAt, ordered.orderedAt ?? activationAt, now)))
    reportedActivationAt = activationAt
  }
  if (isOurs && usedBytes > reportedBytes) {
    reports.push(Facts.usage(head, usedBytes, now))
    reportedBytes = usedBytes
  }
  return {
    ordered,
    listed,
    reports,
    state: {
      usedBytes,
      rate: known !== undefined && elapsed > 0 ? Math.max(0, risen) / elapsed : 0,
      usedAt: risen > 0 ? now : (known?.usedAt ?? activationAt ?? listed.assignedAt ?? now),
      reportedBytes,
      reportedActivationAt,
      countedAt: now,
      expirationAt: listed.expirationAt
    }
  }
}

const isForgotten = ({ expirationAt }: Pick<SimState.PackageState, "expirationAt">, now: Time.Instant): boolean =>
  expirationAt !== null && expirationAt + SimState.REMEMBERED <= now

/**
 * What is new of the packages that are ours and served, and the use of those that are kept although
 * their creations are undone.
 */
export const observed = (
  ordered: ReadonlyArray<SimState.Ordered>,
  listed: ReadonlyArray<SubscriberPackage>,
  asked: Asked
): ReadonlyArray<Observed> => {
  const isSeen = (one: SimState.Ordered) => SimState.isServed(one) || one.reviewedBytes !== null
  const served = new Map(ordered.filter(isSeen).map((one) => [one.externalId, one]))
  return listed.flatMap((one) => {
    const ours = served.get(String(one.id))
    return ours === undefined || isForgotten(one, asked.now) ? [] : [observe(ours, one, asked)]
  })
}

/**
 * The state after the reports. What was not taken stays unreported, and is reported by the next
 * poll. A package that is listed no more is remembered as it was.
 */
export const remembered = (
  observations: ReadonlyArray<Observed>,
  before: SimState.SimState,
  isTaken: (report: TelcoReport.Report) => boolean,
  now: Time.Instant
): SimState.SimState["packages"] => ({
  ...Object.fromEntries(Object.entries(before.packages).filter(([, state]) => !isForgotten(state, now))),
  ...Object.fromEntries(
    observations.map(({ listed, reports, state }) => {
      const known = before.packages[String(listed.id)]
      const untaken = (tag: "FirstUse" | "Usage") => reports.some((one) => one.fact._tag === tag && !isTaken(one))
      const reported = {
        ...(untaken("Usage") && {
          reportedBytes: known?.reportedBytes ?? 0,
          countedAt: known?.countedAt ?? null
        }),
        ...(untaken("FirstUse") && { reportedActivationAt: known?.reportedActivationAt ?? null })
      }
      return [String(listed.id), { ...state, ...reported }]
    })
  )
})

/** By the ids of packages; those that have all that their plans grant are not in it. */
type Wholes = ReadonlyMap<string, PollSchedule.Whole>

/** What the schedule needs of a package. An inactive one is used no more. */
export const pack =
  (wholes: Wholes) =>
  ({ listed, ordered, state }: Observed): ReadonlyArray<PollSchedule.Pack> =>
    listed.isActive
      ? [
          {
            allowanceBytes: listed.allowanceBytes,
            usedBytes: listed.usedBytes,
            thresholds: ordered.thresholds,
            whole: wholes.get(ordered.packageId) ?? null,
            rate: state.rate,
            usedAt: state.usedAt,
            assignedAt: listed.assignedAt,
            activationAt: listed.activationAt,
            expirationAt: listed.expirationAt
          }
        ]
      : []

/**
 * What the schedule needs of packages that were ordered lately and are not listed: lists may be
 * behind. After the watch time only the comparison of both books expects them.
 */
export const unlisted = (
  ordered: ReadonlyArray<SimState.Ordered>,
  listed: ReadonlyArray<SubscriberPackage>,
  watch: number,
  now: Time.Instant
): ReadonlyArray<PollSchedule.Pack> => {
  const ids = new Set(listed.map(({ id }) => String(id)))
  return ordered.flatMap((one) => {
    const { askedAt, externalId, thresholds, window } = one
    if (!SimState.isServed(one) || ids.has(externalId ?? "") || askedAt === null || now - askedAt >= watch) return []
    return [
      {
        ...{
          allowanceBytes: null,
          usedBytes: 0,
          thresholds,
          whole: null,
          rate: 0,
          usedAt: askedAt,
          assignedAt: askedAt
        },
        activationAt: window?.start ?? null,
        expirationAt: window?.end ?? null
      }
    ]
  })
}

/**
 * What the plans grant of packages that are what was left of them when their subscription moved to
 * the SIM (rule S8).
 */
const wholesOf = (owners: Effect.Success<ReturnType<Problems.Problems["Service"]["owners"]>>): Wholes =>
  new Map(
    (owners ?? []).flatMap(({ attachment: { terms }, packages }) =>
      packages.flatMap((one) => {
        const usedBefore = Package.usedOnFormer(one)
        if (one.replacement === null) return []
        return [[Package.idOf(one), { allowanceBytes: Allowance.bytesOf(terms), usedBefore }] as const]
      })
    )
  )

const NONE: Wholes = new Map()

const often = ({ slowest, spacing }: PollSchedule.Limits): number => Math.min(spacing, slowest)
const seldom = ({ slowest }: PollSchedule.Limits): number => 4 * slowest

const isOver = (polledAt: Time.Instant | null, wait: number, now: Time.Instant): boolean =>
  polledAt === null || now - polledAt >= wait

export const wantsNetwork = (
  { network: { polledAt }, packages }: SimState.SimState,
  observations: ReadonlyArray<Observed>,
  limits: PollSchedule.Limits,
  now: Time.Instant
): boolean => {
  const isFirstUse = observations.some(
    ({ listed, state }) => state.usedBytes > 0 && (packages[String(listed.id)]?.usedBytes ?? 0) === 0
  )
  if (isFirstUse) return true
  const isUsed = observations.some(({ state }) => state.usedBytes > 0 && state.usedAt > (polledAt ?? 0))
  return isOver(polledAt, isUsed ? often(limits) : seldom(limits), now)
}

export const wantsProfile = (
  { profile: { isInstalled, polledAt } }: SimState.SimState,
  limits: PollSchedule.Limits,
  now: Time.Instant
): boolean => isOver(polledAt, isInstalled ? seldom(limits) : often(limits), now)

/** How many polls are claimed at once. */
export const BATCH = 20
/** How many polls are under way at once. */
const AT_ONCE = 10

/** How a poll is made. */
interface Mode {
  /** Beside a poll that is due, perhaps in another process: without a comparison of usage. */
  readonly isBeside: boolean
  /** Whether an entry that is due then was not made due by anybody since the poll began. */
  readonly isEnd: Claims.Claimed["isEnd"]
}

/** A part of a poll: the reports, and the state if they are taken. */
interface Part<A> {
  readonly reports: ReadonlyArray<TelcoReport.Report>
  readonly state: A
}

/** What the OCS answers of a SIM, if it knows the SIM. */
const unlessUnknown = <A>(call: Effect.Effect<A, CallFailure.CallFailure>) =>
  Effect.catchIf(
    call,
    ({ outcome }) => outcome === "NotFound",
    () => Effect.succeed("Unknown" as const)
  )

const unchanged = <A>(state: A): Part<A> => ({ reports: [], state })

export const make = (options: Options) =>
  Effect.gen(function* () {
    const { telco } = options
    const { watch } = yield* Settings
    const { leaseMillis } = yield* Limits.Settings
    const api = yield* Api
    const journal = yield* Journal.Journal
    const reports = yield* Reports.Reports
    const problems = yield* Problems.Problems
    const catalogues = yield* Catalogues.Catalogues
    const drift = yield* Comparison.make
    const sinceOf = yield* FullComparison.makeSince(telco)
    const usage = yield* UsageComparison.make(options)
    const thresholds = yield* NotifiedThresholds.make(options)
    const metrics = makeMetrics(telco)

    /**
     * A call beside the list of packages: its failure does not stop the poll. Null: it has failed,
     * or is not wanted.
     */
    const beside = <A>(isWanted: boolean, call: Effect.Effect<A, CallFailure.CallFailure>): Effect.Effect<A | null> =>
      isWanted
        ? // Failure: the next poll asks for it; the SIM itself is compared with the next books, a day later.
          Effect.catch(call, ({ message }) =>
            Effect.as(Effect.logDebug(`A poll of a SIM of ${telco} goes without a part: ${message}`), null)
          )
        : Effect.succeed(null)

    /**
     * A network that the SIM was seen in before `since` is of a former subscription, and no sign of
     * life of this one.
     */
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
     * Writes what a poll has found. An entry that was changed meanwhile keeps its change, and falls
     * due no later than that change wants. How far usage is compared is left to polls that compare
     * it.
     */
    const remember = (
      entry: Journal.Entry,
      state: SimState.SimState,
      dueAt: Time.Instant | null,
      { isBeside, isEnd }: Mode
    ) => {
      const attempt = (current: Journal.Entry, due: Time.Instant | null): Effect.Effect<void, Journal.JournalError> =>
        Effect.gen(function* () {
          const { packages, usage } = SimState.of(current)
          const compared =
            isBeside && usage.comparedTo !== null
              ? usage
              : UsageComparison.withLater(state.usage, SimState.of(entry).usage, usage)
          const kept = { ...state, packages: SimState.withLater(state.packages, packages), usage: compared }
          const written = { ...current, document: SimState.within(current, kept), dueAt: due }
          if ((yield* journal.replace(written)) !== null) return
          const fresh = yield* journal.get(entry)
          if (fresh === null) return
          const wanted = isEnd(fresh.dueAt) ? null : fresh.dueAt
          yield* attempt(fresh, due === null || wanted === null ? (due ?? wanted) : Math.min(due, wanted))
        })
      return attempt(entry, dueAt)
    }

    const poll = Effect.fn("TelcoOcs.poll")(function* (
      entry: Journal.Entry,
      notified: ReadonlyArray<number>,
      mode: Mode
    ) {
      const { isBeside } = mode
      const iccid = entry.key
      const now = yield* Clock.currentTimeMillis
      const before = SimState.of(entry)
      const limits = { ...options, notified, spacing: options.meter.spacing(options, now) }
      const ordered = (yield* journal.ofSim({ telco, kind: OrderJournal.KIND, iccid })).map(SimState.orderedOf)
      const known = yield* unlessUnknown(api.packages(iccid))
      const isUnknown = known === "Unknown"
      const listed = isUnknown ? [] : known
      const observations = observed(ordered, listed, { telco, now, before })
      // A SIM without a package of its own is polled to compare the books, and for nothing else.
      const isServed = observations.length > 0
      const asksNetwork = isServed && wantsNetwork(before, observations, limits, now)
      const comparedSince = yield* sinceOf(now)
      const isCompared = drift.isDue(before, comparedSince, now)
      const asksSubscriber = asksNetwork || isCompared
      const theirs = yield* beside(asksSubscriber, unlessUnknown(api.subscriber(iccid)))
      const subscriber = theirs === "Unknown" ? null : theirs
      const since = Math.min(...observations.map(({ ordered: { orderedAt } }) => orderedAt ?? now))
      const where =
        subscriber === null || !asksNetwork
          ? unchanged(before.network)
          : yield* network(subscriber, before.network, since, now)
      const simId = SimState.simId(entry) ?? subscriber?.simId ?? null
      const asksProfile = isServed && simId !== null && wantsProfile(before, limits, now)
      const history = simId === null ? null : yield* beside(asksProfile, api.profileHistory(simId))
      options.meter.count(1 + (asksSubscriber ? 1 : 0) + (asksProfile ? 1 : 0), now)
      const states =
        history === null
          ? { reports: [], profile: before.profile }
          : Facts.readHistory(history, { telco, iccid, now, profile: before.profile })
      const batch = [...states.reports, ...observations.flatMap((one) => one.reports), ...where.reports]
      const taken = yield* takenOf(batch)
      const isTaken = (report: TelcoReport.Report): boolean => taken.has(report)
      const compared = isCompared
        ? {
            comparedAt: now,
            suspected: yield* drift.compare({
              ...{ iccid, ordered, theirs, before, now, since: comparedSince },
              listed: isUnknown ? null : listed
            })
          }
        : { comparedAt: before.comparedAt, suspected: before.suspected }
      const packages = remembered(observations, before, isTaken, now)
      const isAllTaken = observations.every((one) => one.reports.every(isTaken))
      const comparedUsage = isBeside
        ? UsageComparison.begun({ ordered, before, now })
        : yield* usage.compare({ iccid, ordered, packages, isTaken: isAllTaken, before, now })
      const isMoved = observations.some((one) => Package.isOfMove(one.ordered.packageId))
      const wholes = isMoved ? wholesOf(yield* problems.owners({ iccid })) : NONE
      const wanted =
        PollSchedule.next(
          [...observations.flatMap(pack(wholes)), ...unlisted(ordered, listed, watch, now)],
          limits,
          now
        ) ?? UsageComparison.again(comparedUsage, packages)
      const failures = isUnknown && ordered.some(SimState.isServed) ? before.failures + 1 : 0
      // What a SIM has used that the OCS knows again is not found a day later.
      const again = failures === 0 ? wanted : PollSchedule.afterFailure(failures, limits, now)
      const dueAt = drift.again(again, ordered, compared, now)
      const after: SimState.SimState = {
        ...before,
        polledAt: now,
        nextAt: dueAt,
        failures,
        packages,
        network: where.reports.every(isTaken) ? where.state : before.network,
        ...compared,
        usage: comparedUsage,
        profile: states.reports.every(isTaken) ? states.profile : before.profile
      }
      const named = subscriber === null ? entry : { ...entry, document: SimState.withIds(entry, subscriber) }
      yield* remember(named, after, dueAt, mode)
      yield* metrics.outcome(isUnknown ? "failed" : taken.size > 0 ? "reported" : "nothing_new")
    })

    const failed = Effect.fnUntraced(function* (entry: Journal.Entry, failure: Failure, mode: Mode) {
      yield* metrics.outcome("failed")
      yield* Effect.logDebug(`A poll of a SIM of ${telco} has failed: ${failure.message}`)
      const now = yield* Clock.currentTimeMillis
      const before = SimState.of(entry)
      const failures = before.failures + 1
      const dueAt = PollSchedule.afterFailure(failures, options, now)
      const wait = failure._tag === "TelcoCalls.CallFailure" ? (failure.retryAfterSeconds ?? 0) * Time.SECOND : 0
      yield* remember(entry, { ...before, failures, nextAt: null }, Math.max(dueAt, now + wait), mode)
    })

    const pollEach = Effect.fnUntraced(function* ({ end, entries, isEnd }: Claims.Claimed) {
      const now = yield* Clock.currentTimeMillis
      const mode: Mode = { isBeside: false, isEnd }
      for (const entry of entries) {
        const { nextAt } = SimState.of(entry)
        if (nextAt !== null) yield* metrics.lateness(now - nextAt)
      }
      // Failure: polls that rely on no threshold are early, never late.
      const notified = entries.length === 0 ? [] : yield* Effect.orElseSucceed(relied, () => [])
      const outcomes = yield* Effect.forEach(
        entries,
        (entry) =>
          Effect.as(poll(entry, notified, mode), 0).pipe(
            Effect.catch((failure) => Effect.as(failed(entry, failure, mode), 1)),
            Effect.tap(() => Effect.sync(() => end(entry)))
          ),
        { concurrency: AT_ONCE }
      )
      return { polls: entries.length, failed: outcomes.reduce((sum: number, one) => sum + one, 0) }
    })

    /** By an entry that nobody has claimed. */
    const pollAt = (entry: Journal.Entry, isBeside: boolean) =>
      Effect.flatMap(relied, (notified) => poll(entry, notified, { isBeside, isEnd: (dueAt) => dueAt === entry.dueAt }))

    const relied = thresholds.of(options.notified)

    return {
      poll: (entry) => pollAt(entry, false),
      pollBeside: (entry) => pollAt(entry, true),
      due: Claims.use(journal, { telco, kind: Subscribers.KIND, leaseMillis, limit: BATCH }, pollEach)
    } satisfies Polling
  })
