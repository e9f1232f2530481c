/**
 * The intake of telco reports (rules R1 to R3 and U1). A batch is applied in the order in which its events occurred, and is
 * committed as a whole. A rejected report does not affect the others.
 */
import { Context, Effect, Layer, Result, Semaphore } from "effect"
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
import { type Commit, type Reported, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits, NamedTypes } from "../commit/Commits.ts"
import * as Metrics from "../Metrics.ts"

/** Takes what the telco reports (rules R1 to R3). */
export class Reports extends Context.Service<
  Reports,
  {
    /** The verdicts, in the order of the reports. ICCIDs and package ids may be as telcos write them (rules I1 and I13). */
    readonly take: (request: {
      readonly reports: ReadonlyArray<Report>
    }) => Effect.Effect<ReadonlyArray<Verdict>, StorageError>
  }
>()("simplan/Reports") {}

/** The state of one SIM after the reports that were applied so far. */
interface Tally {
  readonly before: ForReports
  aggregate: ForReports
  readonly seen: ReadonlyArray<string>
  accepted: ReadonlyArray<string>
  readonly payloads: Array<Payload>
  readonly smdpEntries: Array<Entry>
  readonly usage: Array<UsageBook.Entry>
  readonly jobs: Array<NewJob>
  /** Whether a first use or a state of the profile is among the accepted reports. */
  isAudited: boolean
}

const tallyOf = ({ aggregate, seen }: Reported): Tally => ({
  before: aggregate,
  aggregate,
  seen,
  accepted: [],
  payloads: [],
  smdpEntries: [],
  usage: [],
  jobs: [],
  isAudited: false
})

const ACCEPTED: Verdict = { _tag: "Accepted" }
const DUPLICATE: Verdict = { _tag: "Duplicate" }
const rejected = (message: string): Verdict => ({ _tag: "Rejected", message })

/** The report ids that a batch has taken so far, of an organization. An id is unique in it, of whichever SIM it is. */
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

const takeInto = (tally: Tally | undefined, report: Report, takenOf: Taken, now: Instant): Verdict => {
  if (tally === undefined) return rejected("the iccid is not known")
  const { accepted, seen } = tally
  const taken = takenOf(tally.aggregate.sim.organizationId)
  if (seen.includes(report.reportId) || taken.has(report.reportId)) return DUPLICATE
  const applied = TelcoReport.apply(tally.aggregate, report, now)
  if (Result.isFailure(applied)) return rejected(applied.failure)
  const { jobs, aggregate, payloads, smdpEntries, usage } = applied.success
  tally.aggregate = aggregate
  tally.accepted = accepted.length === 0 ? [report.reportId] : [...accepted, report.reportId]
  taken.add(report.reportId)
  tally.payloads.push(...payloads)
  tally.smdpEntries.push(...smdpEntries)
  tally.usage.push(...usage)
  tally.jobs.push(...jobs)
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
const asked = (reports: ReadonlyArray<Report>): ReadonlyArray<Asked> => {
  const byIccid = new Map<string, Asked>()
  for (const { fact, iccid, occurredAt, reportId } of reports) {
    const packageId = fact._tag === "Usage" || fact._tag === "FirstUse" ? fact.packageId : null
    // A telco's own name of a package stands as it is, and one that is ours in small letters.
    const packageIds = packageId === null ? [] : [...new Set([packageId, Package.canonicalId(packageId)])]
    const known = byIccid.get(iccid)
    if (known === undefined) byIccid.set(iccid, { iccid, since: occurredAt, packageIds, reportIds: [reportId] })
    else {
      known.since = Math.min(known.since, occurredAt)
      known.reportIds.push(reportId)
      known.packageIds.push(...packageIds)
    }
  }
  return [...byIccid.values()]
}

/** The indexes of the reports in the order in which they apply. Reports of one instant keep their order. */
const inOrder = (reports: ReadonlyArray<Report>): ReadonlyArray<number> => {
  const occurredAt = (place: number): Instant => reports[place]?.occurredAt ?? 0
  return reports.map((_, place) => place).sort((left, right) => occurredAt(left) - occurredAt(right))
}

/** The implementation that `Services.layer` provides. It keeps nothing in memory but whose turn it is. */
export const layer: Layer.Layer<Reports, never, Storage | BusinessClock | Commits | NamedTypes> = Layer.effect(
  Reports,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const namedTypes = yield* NamedTypes
    const inTransaction = yield* HostTransaction
    const turn = yield* Semaphore.make(1)

    const attempt = Effect.fnUntraced(function* (reports: ReadonlyArray<Report>) {
      // The storage is not asked for a text that it cannot keep.
      const problems = reports.map(TelcoReport.textProblem)
      const asOf = yield* clock.now
      const found = yield* storage.simAggregates.forReports({
        iccids: asked(reports.filter((_, place) => problems[place] === undefined)),
        seenSince: TelcoReport.seenSince(reports, asOf),
        seenUntil: TelcoReport.seenUntil(asOf)
      })
      // Read after the aggregates, so that what is notified now is not dated before what has led to them.
      const now = yield* clock.now
      const tallies = new Map(found.map((one) => [one.aggregate.sim.iccid, tallyOf(one)]))
      const verdicts: Array<Verdict> = []
      const takenOf = makeTaken()
      for (const place of inOrder(reports)) {
        const report = reports[place]
        if (report === undefined) continue
        const problem = problems[place]
        verdicts[place] =
          problem === undefined ? takeInto(tallies.get(report.iccid), report, takenOf, now) : rejected(problem)
      }
      const touched = [...tallies.values()].filter(({ accepted }) => accepted.length > 0)
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
     * Rule W11: one entry for each SIM whose profile or first use a request reports. Usage and locations come by the
     * thousand and leave none.
     */
    const entriesOf = (tallies: ReadonlyArray<Tally>, now: Instant) =>
      Effect.forEach(
        tallies.filter(({ isAudited }) => isAudited),
        ({ aggregate: { sim } }) => {
          const { iccid, organizationId } = sim
          return commits.entry({ organizationId, action: "sim.report", resourceId: iccid, iccid }, now)
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
          before.attachments !== aggregate.attachments || before.sim.downloaded !== aggregate.sim.downloaded
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
     * A batch that met a conflict waits for its turn before each further attempt. Without turns several large batches about
     * the same SIMs make one another fail, and some of them wait for seconds. Other batches do not wait.
     *
     * A batch inside a transaction of the host never waits for a turn: the batch that has the turn may wait for a lock of
     * that very transaction, and neither would end. No commit of reports has a lease, so that no conflict is final.
     */
    const applied = (reports: ReadonlyArray<Report>) => {
      const once = attempt(reports)
      return Effect.flatMap(inTransaction, (isInside) =>
        isInside
          ? commits.retryOnConflict(once)
          : Effect.catchTag(once, "Conflict", () => commits.retryOnConflict(turn.withPermit(once)))
      )
    }

    return Reports.of({
      take: Effect.fn("Reports.take")(({ reports }) =>
        reports.length === 0 ? Effect.succeed([]) : Effect.tap(applied(reports.map(decoded)), counted)
      )
    })
  })
)
