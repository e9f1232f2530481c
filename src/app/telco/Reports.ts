/**
 * The intake of telco reports (rules R1 to R3): a batch is applied in order of occurrence and committed as a whole,
 * and a report that cannot be taken fails none of its neighbours.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { NewJob } from "../../domain/Decision.ts"
import type { ReportedLine } from "../../domain/ReportedLine.ts"
import type { Entry } from "../../domain/SmdpHistory.ts"
import * as TelcoReport from "../../domain/TelcoReport.ts"
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Payload } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import * as CommitGroup from "../../ports/CommitGroup.ts"
import { type Commit, type Reported, type SeenReport, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as Metrics from "../Metrics.ts"

export class Reports extends Context.Service<
  Reports,
  {
    /** The verdicts, in the order of the reports. */
    readonly take: (request: {
      readonly reports: ReadonlyArray<Report>
    }) => Effect.Effect<ReadonlyArray<Verdict>, StorageError>
  }
>()("simplan/Reports") {}

/** What the reports about one SIM have come to so far. */
interface Tally {
  readonly before: ReportedLine
  line: ReportedLine
  readonly seen: ReadonlyArray<string>
  accepted: ReadonlyArray<string>
  readonly payloads: Array<Payload>
  readonly smdpEntries: Array<Entry>
  readonly jobs: Array<NewJob>
}

const tallyOf = ({ line, seen }: Reported): Tally => ({
  before: line,
  line,
  seen,
  accepted: [],
  payloads: [],
  smdpEntries: [],
  jobs: []
})

const ACCEPTED: Verdict = { _tag: "Accepted" }
const DUPLICATE: Verdict = { _tag: "Duplicate" }
const rejected = (message: string): Verdict => ({ _tag: "Rejected", message })

const takeInto = (tally: Tally | undefined, report: Report, now: Instant): Verdict => {
  if (tally === undefined) return rejected("the iccid is not known")
  const { accepted, seen } = tally
  if (seen.includes(report.reportId) || accepted.includes(report.reportId)) return DUPLICATE
  const applied = TelcoReport.apply(tally.line, report, now)
  if (Result.isFailure(applied)) return rejected(applied.failure)
  const { jobs, line, payloads, smdpEntries } = applied.success
  tally.line = line
  tally.accepted = accepted.length === 0 ? [report.reportId] : [...accepted, report.reportId]
  tally.payloads.push(...payloads)
  tally.smdpEntries.push(...smdpEntries)
  tally.jobs.push(...jobs)
  return ACCEPTED
}

type Rows = Required<NonNullable<Commit["reported"]>>

/** What the lines of these tallies have become: of what hangs on a SIM, what differs from what was loaded. */
const reported = (tallies: ReadonlyArray<Tally>, receivedAt: Instant): Commit => {
  const sims: Array<Rows["sims"][number]> = []
  const attachments: Array<Rows["attachments"][number]> = []
  const packages: Array<Rows["packages"][number]> = []
  const seenReports: Array<SeenReport> = []
  for (const { accepted, before, line } of tallies) {
    const { downloaded, iccid, lastActivityAt, location, organizationId, smdp, version } = line.sim
    sims.push({
      organizationId,
      iccid,
      version,
      downloaded,
      lastActivityAt,
      smdp: smdp === before.sim.smdp ? null : smdp,
      location: location === before.sim.location ? null : location
    })
    line.attachments.forEach((of, index) => {
      const known = before.attachments[index]
      if (of === known) return
      const { anchor, attachmentId, thresholdTold } = of.attachment
      if (of.attachment !== known?.attachment) {
        attachments.push({ organizationId, attachmentId, anchor, thresholdTold })
      }
      of.packages.forEach((pack, at) => {
        if (pack === known?.packages[at]) return
        const { activationAt, expirationAt, occurrence, usedBytes } = pack
        packages.push({ organizationId, attachmentId, occurrence, activationAt, expirationAt, usedBytes })
      })
    })
    for (const reportId of accepted) seenReports.push({ organizationId, reportId, receivedAt })
  }
  return { reported: { sims, attachments, packages }, seenReports }
}

const counted = (verdicts: ReadonlyArray<Verdict>) =>
  Metrics.tell((context) => {
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

/** What storage has to be asked to decide these reports. */
const asked = (reports: ReadonlyArray<Report>): ReadonlyArray<Asked> => {
  const byIccid = new Map<string, Asked>()
  for (const { fact, iccid, occurredAt, reportId } of reports) {
    const packageId = fact._tag === "Usage" || fact._tag === "FirstUse" ? fact.packageId : null
    const packageIds = packageId === null ? [] : [packageId]
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

/** The places of the reports in the order in which they apply: the sort leaves those of one instant as they are. */
const inOrder = (reports: ReadonlyArray<Report>): ReadonlyArray<number> => {
  const occurredAt = (place: number): Instant => reports[place]?.occurredAt ?? 0
  return reports.map((_, place) => place).sort((left, right) => occurredAt(left) - occurredAt(right))
}

export const layer: Layer.Layer<Reports, never, Storage | BusinessClock | Commits> = Layer.effect(
  Reports,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits

    const attempt = Effect.fnUntraced(function* (reports: ReadonlyArray<Report>) {
      const now = yield* clock.now
      const found = yield* storage.simAggregates.forReports({
        iccids: asked(reports),
        seenSince: now - TelcoReport.ID_RETENTION
      })
      const tallies = new Map(found.map((one) => [one.line.sim.iccid, tallyOf(one)]))
      const verdicts: Array<Verdict> = []
      for (const place of inOrder(reports)) {
        const report = reports[place]
        if (report !== undefined) verdicts[place] = takeInto(tallies.get(report.iccid), report, now)
      }
      const touched = [...tallies.values()].filter(({ accepted }) => accepted.length > 0)
      if (touched.length > 0) yield* commits.write(yield* commitOf(touched, now))
      return verdicts
    })

    const commitOf = Effect.fnUntraced(function* (tallies: ReadonlyArray<Tally>, now: Instant) {
      const parts = [reported(tallies, now)]
      for (const { jobs, line, payloads, smdpEntries } of tallies) {
        if (jobs.length + payloads.length + smdpEntries.length === 0) continue
        parts.push(yield* commits.of(line.sim.organizationId, { jobs, payloads, smdpEntries }, now))
      }
      return CommitGroup.merged(parts)
    })

    return Reports.of({
      take: Effect.fn("Reports.take")(({ reports }) =>
        reports.length === 0 ? Effect.succeed([]) : Effect.tap(commits.retryOnConflict(attempt(reports)), counted)
      )
    })
  })
)
