/**
 * What must hold of telco reports: each counts once, and what cannot count is rejected (rule R1).
 */
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import { DAY, type Instant, MINUTE, toIso } from "../../domain/Time.ts"
import type { Step } from "../History.ts"
import { type Lines, packages } from "./Frames.ts"
import { first, type Invariant, make, show } from "./Invariant.ts"

/** How long an id is kept at least. */
const RETENTION = 35 * DAY

/** Whether a report lies too far ahead, or is a delta that lies too far back, whatever it is about. */
const isOutOfReach = ({ fact, occurredAt }: Report, now: Instant): boolean =>
  occurredAt - now > 5 * MINUTE ||
  (fact._tag === "Usage" && fact.usage._tag === "Delta" && now - occurredAt > RETENTION)

const verdictsOf = ({ asked, outcome }: Step): ReadonlyArray<readonly [Report, Verdict]> => {
  if (asked._tag !== "Report" || outcome._tag !== "Answered" || outcome.answer.kind !== "Verdicts") return []
  const { verdicts } = outcome.answer
  const all = asked.reports.flatMap((report, index) => {
    const verdict = verdicts[index]
    return verdict === undefined ? [] : [[report, verdict] as const]
  })
  return all.sort(([left], [right]) => left.occurredAt - right.occurredAt)
}

/**
 * Rule R1. A repeated id is a duplicate for 35 days. A report more than 5 min ahead is rejected, and so is a delta
 * more than 35 days old.
 */
export const reportsCountOnce: Invariant = make(
  "a report counts once, however often it comes, and what lies too far ahead or back is rejected",
  "R1",
  () => {
    const accepted = new Map<string, Instant>()
    // What became of a report whose process was killed is not known until it comes again.
    const open = new Map<string, Instant>()
    return ({ step: { asked, began, outcome }, step }) => {
      if (asked._tag === "Report" && outcome._tag === "Killed") {
        for (const { reportId } of asked.reports) open.set(reportId, open.get(reportId) ?? began)
      }
      return first(verdictsOf(step), ([report, verdict]) => {
        const { reportId } = report
        const known = accepted.get(reportId)
        const perhaps = known ?? open.get(reportId)
        if (verdict._tag === "Duplicate") {
          if (perhaps === undefined) return `${show(report)} is answered as a duplicate, and is new`
          accepted.set(reportId, perhaps)
          return null
        }
        if (known !== undefined && began - known <= RETENTION) {
          return `${show(report)} was ${verdict._tag}, and was taken at ${toIso(known)} already`
        }
        if (verdict._tag === "Accepted") accepted.set(reportId, began)
        const isTaken = verdict._tag === "Accepted"
        if (isOutOfReach(report, began)) return isTaken ? `${show(report)} was taken` : null
        return isTaken || report.fact._tag !== "Location" ? null : `${show(report)} was not taken`
      })
    }
  }
)

const usageOf = ({ fact }: Report) => (fact._tag === "Usage" ? fact.usage : null)

/** Rule R1. A package's usage rises in one step by at most the bytes of the step's accepted reports. */
export const usageIsWhatWasReported: Invariant = make(
  "usage rises by what was reported, and by nothing else",
  "R1",
  () =>
    ({ after, before, step }) => {
      if (step.asked._tag === "Report" && step.outcome._tag === "Killed") return null
      const known = new Map(packages(before).map(({ id, pack }) => [id, pack.usedBytes]))
      const risen = packages(after).filter(({ id, pack }) => pack.usedBytes !== (known.get(id) ?? 0))
      const usages = verdictsOf(step).flatMap(([report, verdict]) =>
        verdict._tag === "Accepted" ? (usageOf(report) ?? []) : []
      )
      // A delta adds to what is there, in whatever order with totals: it is at most all of it together.
      const most = usages.reduce((sum, { bytes }) => sum + bytes, 0)
      return first(risen, ({ id, pack: { usedBytes } }) => {
        const from = known.get(id) ?? 0
        return usedBytes <= from + most
          ? null
          : `${id} rose from ${from} to ${usedBytes}, and ${show(usages)} was reported`
      })
    }
)

/** When the packages that wait for their first use are active from: not known yet. */
const waiting = (lines: Lines): ReadonlySet<string> =>
  new Set(packages(lines).flatMap(({ id, pack }) => (pack.activationAt === null ? [id] : [])))

/** Rule T3. The activation is the `occurredAt` of a report of use or first use in the same step. */
export const firstUsesActivate: Invariant = make(
  "a package that waits for its first use is activated by a report of use, at the instant that it names",
  "T3",
  () =>
    ({ after, before, step }) => {
      const { asked } = step
      const idle = waiting(before)
      const activated = packages(after).filter(({ id, pack }) => idle.has(id) && pack.activationAt !== null)
      const uses = asked._tag === "Report" ? asked.reports.filter(({ fact }) => isUse(fact)) : []
      return first(activated, ({ id, pack: { activationAt, iccid } }) =>
        uses.some((use) => use.iccid === iccid && use.occurredAt === activationAt)
          ? null
          : `${id} was activated at ${toIso(activationAt ?? 0)}, when no use was reported`
      )
    }
)

const isUse = ({ _tag }: Report["fact"]): boolean => _tag === "Usage" || _tag === "FirstUse"
