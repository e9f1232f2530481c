/**
 * The intake of telco reports (rules R1 to R3 and U1). A batch is applied in the order in which its
 * events occurred, and is committed as a whole. A rejected report does not affect the others.
 */
import { Context, Effect, Layer, Result, Semaphore } from "effect"
import type { FieldChange } from "../../domain/AuditEntry.ts"
import type { NewJob } from "../../domain/Decision.ts"
import * as Iccid from "../../domain/Iccid.ts"
import * as Package from "../../domain/Package.ts"
import type { ForReports } from "../../domain/SimAggregate.ts"
import type { Entry } from "../../domain/SmdpHistory.ts"
import * as TelcoReport from "../../domain/TelcoReport.ts"
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import type { OptInType, Payload, WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { type Commit, type ReportQuery, type Reported, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { NamedTypes } from "../commit/Caused.ts"
import * as Metrics from "../Metrics.ts"
import { makePresent } from "../Stays.ts"

/**
 * Which reports whoever makes them may make, in their order: a telco that is one of several speaks
 * only of what is routed to it. The ICCIDs are those of the inventory (rule I1).
 */
export type MayReport = (reports: ReadonlyArray<Report>) => Effect.Effect<ReadonlyArray<boolean>, StorageError>

/** Takes what the telco reports (rules R1 to R3). */
export class Reports extends Context.Service<
  Reports,
  {
    /**
     * The verdicts, in the order of the reports. ICCIDs and package ids may be as telcos write them
     * (rules I1 and I13). What `mayReport` does not allow is answered for as a report of an unknown
     * SIM; all are allowed by default. `telco`: the ids are those of this telco, or of the token of
     * the settings if it is empty, and others may have the same ones; null by default: those that
     * adapters and hosts make (rule R1).
     */
    readonly take: (request: {
      readonly reports: ReadonlyArray<Report>
      readonly mayReport?: MayReport | undefined
      readonly telco?: string | null | undefined
    }) => Effect.Effect<ReadonlyArray<Verdict>, StorageError>
  }
>()("simplan/Reports") {}

/** The state of one SIM after the reports that were applied so far. */
interface Tally {
  before: ForReports
  aggregate: ForReports
  readonly seen: ReadonlyArray<string>
  accepted: ReadonlyArray<string>
  readonly payloads: Array<Payload>
  readonly smdpEntries: Array<Entry>
  readonly usage: Array<UsageBook.Entry>
  readonly jobs: Array<NewJob>
  /** Whether a first use, a state of the profile or an end is among the accepted reports. */
  isAudited: boolean
  /** The packages that reports have ended, with the reasons (rule R4). */
  readonly ended: Array<FieldChange>
}

type Tallies = ReadonlyMap<string, Tally>

const tallyOf = ({ aggregate, seen }: Reported): Tally => ({
  before: aggregate,
  aggregate,
  seen,
  accepted: [],
  payloads: [],
  smdpEntries: [],
  usage: [],
  jobs: [],
  isAudited: false,
  ended: []
})

/** A report's id as it is kept, of whichever telco it is. */
type KeyOf = (report: Report) => string

const keyOfTelco =
  (telco: string | null): KeyOf =>
  ({ reportId }) =>
    telco === null ? reportId : `${telco}/${reportId}`

const ACCEPTED: Verdict = { _tag: "Accepted" }
const DUPLICATE: Verdict = { _tag: "Duplicate" }
const rejected = (rejection: TelcoReport.Rejection): Verdict => ({ _tag: "Rejected", ...rejection })
const UNKNOWN_SIM = rejected(TelcoReport.UNKNOWN_SIM)

/**
 * The report ids that a batch has taken so far, of an organization. An id is unique in it, of
 * whichever SIM it is: `KeyOf` has those of the telcos differ.
 */
type Taken = (organizationId: string) => Set<string>

const makeTaken = (): Taken => {
  const byOrganization = new Map<string, Set<string>>()
  return (organizationId) => {
    const known = byOrganization.get(organizationId)
    if (known !== undefined) return known
    const made = new Set<string>()
    byOrganization.set(organizationId, made)
    return made
  }
}

const add = (tally: Tally, { aggregate, jobs, payloads, smdpEntries, usage }: TelcoReport.Applied): void => {
  tally.aggregate = aggregate
  tally.payloads.push(...payloads)
  tally.smdpEntries.push(...smdpEntries)
  tally.usage.push(...usage)
  tally.jobs.push(...jobs)
}

/**
 * `present`: the SIM that the subscription has moved to (rule S8), if the report is about a
 * package of it.
 */
const takeInto = (
  tally: Tally | undefined,
  present: Tally | undefined,
  report: Report,
  key: string,
  takenOf: Taken,
  now: Instant
): Verdict => {
  if (tally === undefined) return UNKNOWN_SIM
  const { accepted, seen } = tally
  const taken = takenOf(tally.aggregate.sim.organizationId)
  if (seen.includes(key) || taken.has(key)) return DUPLICATE
  if (present === undefined) {
    const applied = TelcoReport.apply(tally.aggregate, report, now)
    if (Result.isFailure(applied)) return rejected(applied.failure)
    const { fact } = report
    if (applied.success.aggregate !== tally.aggregate && (fact._tag === "End" || fact._tag === "Gone")) {
      tally.ended.push(
        fact._tag === "End"
          ? { field: `package ${fact.packageId}`, before: null, after: fact.reason }
          : { field: "at its supplier", before: null, after: "gone" }
      )
      tally.isAudited = true
    }
    add(tally, applied.success)
  } else {
    const late = TelcoReport.applyLate(tally.aggregate, present.aggregate, report, now)
    if (Result.isFailure(late)) return rejected(late.failure)
    tally.aggregate = late.success.left
    add(present, late.success.applied)
  }
  tally.accepted = accepted.length === 0 ? [key] : [...accepted, key]
  taken.add(key)
  if (report.fact._tag === "FirstUse" || report.fact._tag === "SmdpState") tally.isAudited = true
  return ACCEPTED
}

const counted = (verdicts: ReadonlyArray<Verdict>) =>
  Metrics.observe((context) => {
    const counts = { Accepted: 0, Duplicate: 0, Rejected: 0 }
    for (const { _tag } of verdicts) counts[_tag] += 1
    Metrics.reports({ outcome: "accepted" })(counts.Accepted, context)
    Metrics.reports({ outcome: "duplicate" })(counts.Duplicate, context)
    Metrics.reports({ outcome: "rejected" })(counts.Rejected, context)
  })

interface Asked {
  readonly iccid: string
  since: Instant
  readonly packageIds: Array<string>
  readonly reportIds: Array<string>
}

/** Rule I1: the report with the ICCID of the inventory. */
const decoded = (report: Report): Report => {
  const iccid = Iccid.canonical(report.iccid)
  return iccid === report.iccid ? report : { ...report, iccid }
}

/** What to load for these reports. */
const asked = (reports: ReadonlyArray<Report>, keyOf: KeyOf): ReadonlyArray<Asked> => {
  const byIccid = new Map<string, Asked>()
  for (const report of reports) {
    const { fact, iccid, occurredAt } = report
    const key = keyOf(report)
    const packageId = fact._tag === "Usage" || fact._tag === "FirstUse" ? fact.packageId : null
    // A telco's own name of a package stands as it is, and one that is ours in small letters.
    const packageIds = packageId === null ? [] : [...new Set([packageId, Package.canonicalId(packageId)])]
    const known = byIccid.get(iccid)
    if (known === undefined) byIccid.set(iccid, { iccid, since: occurredAt, packageIds, reportIds: [key] })
    else {
      known.since = Math.min(known.since, occurredAt)
      known.reportIds.push(key)
      known.packageIds.push(...packageIds)
    }
  }
  return [...byIccid.values()]
}

/** All packages, however long ago they have expired. */
const ALL = 0

/**
 * The indexes of the reports in the order in which they apply. Reports of one instant keep their
 * order.
 */
const inOrder = (reports: ReadonlyArray<Report>): ReadonlyArray<number> => {
  const occurredAt = (place: number): Instant => reports[place]?.occurredAt ?? 0
  return reports.map((_, place) => place).sort((left, right) => occurredAt(left) - occurredAt(right))
}

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory but whose turn it
 * is.
 */
export const layer: Layer.Layer<Reports, never, Storage | BusinessClock | Commits | NamedTypes> = Layer.effect(
  Reports,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const namedTypes = yield* NamedTypes
    const inTransaction = yield* HostTransaction
    const turn = yield* Semaphore.make(1)
    const presentOf = yield* makePresent

    /**
     * The SIMs that have the subscriptions now which have left SIMs of which a use is reported
     * (rule S8).
     */
    const presents = Effect.fnUntraced(function* (tallies: Tallies, uses: ReadonlySet<string>) {
      const found = new Map<string, string>()
      for (const iccid of uses) {
        const { movedTo = null, organizationId = "" } = tallies.get(iccid)?.aggregate.sim ?? {}
        const left = movedTo === null ? null : yield* storage.sims.get({ organizationId, iccid })
        const present = left === null ? null : yield* presentOf(left)
        if (present !== null) found.set(iccid, present)
      }
      return found
    })

    /**
     * The SIMs that the reports are about, and of those that a subscription has left the one that
     * has it now, with all of its packages: all are then read at once, as they are together.
     */
    const load = Effect.fnUntraced(function* (
      iccids: ReadonlyArray<Asked>,
      uses: ReadonlySet<string>,
      of: Pick<ReportQuery, "seenSince" | "seenUntil">
    ) {
      const read = (all: ReadonlyArray<Asked>) =>
        Effect.map(
          storage.simAggregates.forReports({ iccids: all, ...of }),
          (found): Tallies => new Map(found.map((one) => [one.aggregate.sim.iccid, tallyOf(one)]))
        )
      const tallies = yield* read(iccids)
      const presentOfLeft = yield* presents(tallies, uses)
      if (presentOfLeft.size === 0) return { tallies, presentOfLeft }
      const moved = new Set(presentOfLeft.values())
      const others = iccids.filter(({ iccid }) => !moved.has(iccid))
      const all = Array.from(moved, (iccid): Asked => {
        const known = iccids.find((one) => one.iccid === iccid)
        return { iccid, packageIds: [], reportIds: [], ...known, since: ALL }
      })
      return { tallies: yield* read([...others, ...all]), presentOfLeft }
    })

    /** All of a SIM that is gone, whoever has it: reports of use need less. */
    const readWhole = Effect.fnUntraced(function* (tally: Tally) {
      const { iccid, organizationId } = tally.aggregate.sim
      const whole = yield* storage.simAggregates.get({ organizationId, iccid })
      if (whole === null) return
      tally.before = whole
      tally.aggregate = whole
    })

    const attempt = Effect.fnUntraced(function* (reports: ReadonlyArray<Report>, keyOf: KeyOf) {
      // The storage is not asked for a text that it cannot keep.
      const problems = reports.map(TelcoReport.textProblem)
      const asOf = yield* clock.now
      const sound = reports.filter((_, place) => problems[place] === undefined)
      const uses = new Set(sound.filter(TelcoReport.isOfUse).map(({ iccid }) => iccid))
      const { presentOfLeft, tallies } = yield* load(asked(sound, keyOf), uses, {
        seenSince: TelcoReport.seenSince(reports, asOf),
        seenUntil: TelcoReport.seenUntil(asOf)
      })
      for (const { fact, iccid } of sound) {
        const tally = fact._tag === "Gone" ? tallies.get(iccid) : undefined
        if (tally !== undefined) yield* readWhole(tally)
      }
      // Read after the aggregates, so that what is notified now is not dated before what has led to
      // them.
      const now = yield* clock.now
      const verdicts: Array<Verdict> = []
      const takenOf = makeTaken()
      for (const place of inOrder(reports)) {
        const report = reports[place]
        if (report === undefined) continue
        const problem = problems[place]
        const tally = tallies.get(report.iccid)
        const present = TelcoReport.isOfUse(report) ? tallies.get(presentOfLeft.get(report.iccid) ?? "") : undefined
        verdicts[place] =
          problem === undefined ? takeInto(tally, present, report, keyOf(report), takenOf, now) : rejected(problem)
      }
      const touched = [...tallies.values()].filter(
        ({ accepted, aggregate, before }) => accepted.length > 0 || aggregate !== before
      )
      if (touched.length > 0) yield* commits.write(yield* commitOf(touched, now))
      return verdicts
    })

    /** The opt-in types that each organization takes (rule E1). */
    const typesOf = Effect.fnUntraced(function* (tallies: ReadonlyArray<Tally>) {
      const found = new Map<string, ReadonlySet<OptInType>>()
      for (const { aggregate } of tallies) {
        const { organizationId } = aggregate.sim
        if (!found.has(organizationId)) found.set(organizationId, yield* namedTypes.of(organizationId))
      }
      return found
    })

    /**
     * Rule W11: one entry for each SIM of which a request reports the profile, a first use or the
     * end of a package, which it names with the reason. Usage and locations come by the thousand
     * and leave none.
     */
    const entriesOf = (tallies: ReadonlyArray<Tally>, now: Instant) =>
      Effect.forEach(
        tallies.filter(({ isAudited }) => isAudited),
        ({ aggregate: { sim }, ended }) => {
          const { iccid, organizationId } = sim
          const change = { organizationId, action: "sim.report", resourceId: iccid, iccid, changed: ended } as const
          return commits.entry(change, now)
        }
      )

    const commitOf = Effect.fnUntraced(function* (tallies: ReadonlyArray<Tally>, now: Instant) {
      const sims = tallies.map(({ before, aggregate }) => ({ loaded: before, next: aggregate }))
      const seen = tallies.flatMap(({ accepted, aggregate: { sim } }) =>
        accepted.map((reportId) => ({ organizationId: sim.organizationId, reportId, receivedAt: now }))
      )
      const smdpEntries = tallies.flatMap((tally) => tally.smdpEntries)
      const usage = tallies.flatMap((tally) => UsageBook.merged(tally.usage))
      const events: Array<WebhookEvent> = []
      const put: Array<NonNullable<NonNullable<Commit["jobs"]>["put"]>[number]> = []
      const types = yield* typesOf(tallies)
      for (const { aggregate, before, jobs, payloads } of tallies) {
        const isChanged =
          before.attachments !== aggregate.attachments ||
          before.sim.downloaded !== aggregate.sim.downloaded ||
          before.sim.allocation !== aggregate.sim.allocation
        const isNotified = isChanged && (types.get(aggregate.sim.organizationId)?.size ?? 0) > 0
        if (!isNotified && jobs.length + payloads.length === 0) continue
        const decision = isNotified ? { sim: { loaded: before, next: aggregate }, jobs, payloads } : { jobs, payloads }
        const commit = yield* commits.prepare(aggregate.sim.organizationId, decision, now)
        events.push(...(commit.events ?? []))
        put.push(...(commit.jobs?.put ?? []))
      }
      const auditEntries = yield* entriesOf(tallies, now)
      return { sims, reports: { smdpEntries, seen, usage }, events, jobs: { put }, auditEntries }
    })

    /**
     * A batch that met a conflict waits for its turn before each further attempt. Without turns
     * several large batches about the same SIMs make one another fail, and some of them wait for
     * seconds. Other batches do not wait.
     *
     * A batch inside a transaction of the host never waits for a turn: the batch that has the turn
     * may wait for a lock of that very transaction, and neither would end. No commit of reports has
     * a lease, so that no conflict is final.
     */
    const applied = (reports: ReadonlyArray<Report>, keyOf: KeyOf) => {
      const once = attempt(reports, keyOf)
      return Effect.flatMap(inTransaction, (isInside) =>
        isInside
          ? commits.retryOnConflict(once)
          : Effect.catchTag(once, "Conflict", () => commits.retryOnConflict(turn.withPermit(once)))
      )
    }

    /** The verdicts of what is allowed, and the refusals of the rest. */
    const allowed = Effect.fnUntraced(function* (reports: ReadonlyArray<Report>, keyOf: KeyOf, mayReport: MayReport) {
      // The storage is not asked for a text that it cannot keep.
      const sound = reports.filter((report) => TelcoReport.textProblem(report) === undefined)
      const may = yield* mayReport(sound)
      const refused = new Set(sound.filter((_, place) => may[place] !== true))
      const taken = reports.filter((report) => !refused.has(report))
      const verdicts = taken.length === 0 ? [] : yield* applied(taken, keyOf)
      let next = 0
      return reports.map((report) => (refused.has(report) ? UNKNOWN_SIM : (verdicts[next++] ?? UNKNOWN_SIM)))
    })

    return Reports.of({
      take: Effect.fn("Reports.take")(({ mayReport, reports, telco = null }) => {
        if (reports.length === 0) return Effect.succeed([])
        const [asked, keyOf] = [reports.map(decoded), keyOfTelco(telco)]
        return Effect.tap(mayReport === undefined ? applied(asked, keyOf) : allowed(asked, keyOf, mayReport), counted)
      })
    })
  })
)
