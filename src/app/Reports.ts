/**
 * The intake of telco reports (rules R1 to R3): a batch is applied in order of occurrence and committed as a whole,
 * and a report that cannot be taken fails none of its neighbours.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { NewJob } from "../domain/Decision.ts"
import type { Line } from "../domain/Line.ts"
import type { Entry } from "../domain/SmdpHistory.ts"
import * as TelcoReport from "../domain/TelcoReport.ts"
import type { Report, Verdict } from "../domain/TelcoReport.ts"
import type { Instant } from "../domain/Time.ts"
import type { Payload } from "../domain/WebhookEvent.ts"
import { BusinessClock } from "../ports/BusinessClock.ts"
import * as CommitGroup from "../ports/CommitGroup.ts"
import { type ReportedLine, Storage, type StorageError } from "../ports/Storage.ts"
import { Commits } from "./Commits.ts"
import * as Measures from "./Measures.ts"

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
  readonly before: Line
  line: Line
  readonly seen: Set<string>
  readonly accepted: Array<string>
  readonly payloads: Array<Payload>
  readonly entries: Array<Entry>
  readonly jobs: Array<NewJob>
}

const tallyOf = ({ line, seen }: ReportedLine): Tally => ({
  before: line,
  line,
  seen: new Set(seen),
  accepted: [],
  payloads: [],
  entries: [],
  jobs: []
})

const rejected = (message: string): Verdict => ({ _tag: "Rejected", message })

const takeInto = (tally: Tally | undefined, report: Report, now: Instant): Verdict => {
  if (tally === undefined) return rejected("the iccid is not known")
  if (tally.seen.has(report.reportId)) return { _tag: "Duplicate" }
  const applied = TelcoReport.apply(tally.line, report, now)
  if (Result.isFailure(applied)) return rejected(applied.failure)
  const { jobs, line, payloads, smdpEntries } = applied.success
  tally.line = line
  tally.seen.add(report.reportId)
  tally.accepted.push(report.reportId)
  tally.payloads.push(...payloads)
  tally.entries.push(...smdpEntries)
  tally.jobs.push(...jobs)
  return { _tag: "Accepted" }
}

/** The attachments and packages that differ from what was loaded. */
const changed = ({ before, line }: Tally) => {
  const known = new Set<unknown>(before.attachments.flatMap(({ attachment, packages }) => [attachment, ...packages]))
  return {
    attachments: line.attachments.map(({ attachment }) => attachment).filter((attachment) => !known.has(attachment)),
    packages: line.attachments.flatMap(({ packages }) => packages.filter((pack) => !known.has(pack)))
  }
}

const counted = (verdicts: ReadonlyArray<Verdict>) =>
  Measures.tell((context) => {
    const counts = { Accepted: 0, Duplicate: 0, Rejected: 0 }
    for (const { _tag } of verdicts) counts[_tag] += 1
    Measures.reports({ outcome: "accepted" })(counts.Accepted, context)
    Measures.reports({ outcome: "duplicate" })(counts.Duplicate, context)
    Measures.reports({ outcome: "rejected" })(counts.Rejected, context)
  })

/** What storage has to be asked to decide these reports. */
const asked = (reports: ReadonlyArray<Report>) => {
  const byIccid = new Map<
    string,
    { since: Instant; readonly packageIds: Set<string>; readonly reportIds: Set<string> }
  >()
  for (const { fact, iccid, occurredAt, reportId } of reports) {
    const known = byIccid.get(iccid) ?? { since: occurredAt, packageIds: new Set(), reportIds: new Set() }
    known.since = Math.min(known.since, occurredAt)
    known.reportIds.add(reportId)
    if ((fact._tag === "Usage" || fact._tag === "FirstUse") && fact.packageId !== null) {
      known.packageIds.add(fact.packageId)
    }
    byIccid.set(iccid, known)
  }
  return Array.from(byIccid, ([iccid, { packageIds, reportIds, since }]) => ({
    iccid,
    since,
    packageIds: [...packageIds],
    reportIds: [...reportIds]
  }))
}

export const layer: Layer.Layer<Reports, never, Storage | BusinessClock | Commits> = Layer.effect(
  Reports,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits

    const attempt = Effect.fnUntraced(function* (reports: ReadonlyArray<Report>) {
      const now = yield* clock.now
      const found = yield* storage.reportedLines({
        iccids: asked(reports),
        seenSince: now - TelcoReport.ID_RETENTION
      })
      const tallies = new Map(found.map((reported) => [reported.line.sim.iccid, tallyOf(reported)]))
      const inOrder = reports
        .map((report, index) => ({ report, index }))
        .sort((left, right) => left.report.occurredAt - right.report.occurredAt || left.index - right.index)
      const verdicts = new Map(
        inOrder.map(({ index, report }) => [index, takeInto(tallies.get(report.iccid), report, now)])
      )
      const touched = [...tallies.values()].filter(({ accepted }) => accepted.length > 0)
      if (touched.length > 0)
        yield* commits.write(CommitGroup.merged(yield* Effect.forEach(touched, (tally) => commitOf(tally, now))))
      return reports.map((_, index) => verdicts.get(index) ?? rejected("the report was not looked at"))
    })

    const commitOf = Effect.fnUntraced(function* (tally: Tally, now: Instant) {
      const { organizationId } = tally.line.sim
      const commit = yield* commits.of(
        organizationId,
        {
          sim: tally.line.sim,
          ...changed(tally),
          smdpEntries: tally.entries,
          payloads: tally.payloads,
          jobs: tally.jobs
        },
        now
      )
      const seenReports = tally.accepted.map((reportId) => ({ organizationId, reportId, receivedAt: now }))
      return { ...commit, seenReports }
    })

    return Reports.of({
      take: Effect.fn("Reports.take")(({ reports }) =>
        reports.length === 0 ? Effect.succeed([]) : Effect.tap(commits.untilDone(attempt(reports)), counted)
      )
    })
  })
)
