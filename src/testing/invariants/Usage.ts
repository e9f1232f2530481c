/**
 * What must hold of the book of usage (rule U1).
 */
import * as Location from "../../domain/Location.ts"
import { DAY } from "../../domain/Time.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import type { TelcoBook } from "../../domain/UsageReconciliation.ts"
import { attachments, first, type Invariant, make, show, type Frame, type Usage } from "./Invariant.ts"

const sum = (of: ReadonlyArray<{ readonly bytes: number }>): number => of.reduce((all, { bytes }) => all + bytes, 0)

/** How long usage is kept at least. */
const RETENTION = 400 * DAY

/** How long before the beginning of a history its reports may be dated. */
const LATEST = 40 * DAY

/**
 * Rule U1. What is used of an attachment is in the book, by its days, and nothing else is; old
 * months are forgotten.
 */
export const daysSumToWhatIsUsed: Invariant = make(
  "the days of a package sum to what it has used",
  "U1",
  ({ start }) =>
    ({ after, step: { ended }, used }) =>
      first(attachments(after), ({ attachment: { attachmentId }, packages }) => {
        // On each of the SIMs that its subscription was on.
        const entries = [...used.values()].flatMap((of) =>
          of.entries.filter((entry) => entry.attachmentId === attachmentId)
        )
        const [booked, total] = [sum(entries), packages.reduce((all, { usedBytes }) => all + usedBytes, 0)]
        const isWhole = UsageBook.keptFrom(ended, RETENTION) <= start - LATEST
        return booked === total || (booked < total && !isWhole)
          ? null
          : `${attachmentId} has used ${total}, and its days are ${show(entries)}`
      })
)

const keyOf = ({ attachmentId, countryAlpha2, day }: UsageBook.SimEntry): string =>
  `${attachmentId} on ${day} in ${countryAlpha2}`

/** The usage that a step has added to a SIM's; a negative number if it has taken some away. */
const added = (iccid: string, before: Usage, after: Usage): ReadonlyArray<UsageBook.SimEntry> => {
  const left = new Map((before.get(iccid)?.entries ?? []).map((entry) => [keyOf(entry), entry]))
  const changed = (after.get(iccid)?.entries ?? []).flatMap((entry) => {
    const known = left.get(keyOf(entry))
    left.delete(keyOf(entry))
    const bytes = entry.bytes - (known?.bytes ?? 0)
    return bytes === 0 ? [] : [{ ...entry, bytes }]
  })
  return [...changed, ...Array.from(left.values(), (entry) => ({ ...entry, bytes: -entry.bytes }))]
}

/**
 * The days and countries of the usage that a step reports of a SIM, if all of the reports were
 * taken.
 */
const reported = (reports: ReadonlyArray<Report>, iccid: string, { before }: Frame): ReadonlySet<string> => {
  const places = new Set<string>()
  let location = before.get(iccid)?.sim.location ?? null
  for (const { fact, occurredAt, iccid: of } of reports.toSorted((one, other) => one.occurredAt - other.occurredAt)) {
    if (of !== iccid) continue
    if (fact._tag === "Location") {
      const { countryAlpha2, imei, operator, rat } = fact
      location = Location.withReport(location, { countryAlpha2, imei, operator, rat, at: occurredAt })
    }
    if (fact._tag !== "Usage") continue
    const country = fact.countryAlpha2 ?? Location.countryAt(location, occurredAt)
    places.add(`${UsageBook.dayOf(occurredAt)} ${country}`)
  }
  return places
}

/** What is wrong with bytes that a reconciliation has moved. */
const wronglyMoved = (changed: ReadonlyArray<UsageBook.SimEntry>, { from, until, used }: TelcoBook): string | null =>
  first(changed, ({ bytes, countryAlpha2, day }) => {
    if (day === null || day < from || day > until) return "moved on another day than those that were compared"
    const isThere = used.some((one) => one.day === day && one.countryAlpha2 === countryAlpha2)
    return bytes < 0 || day === until || isThere ? null : "moved to where the telco has nothing"
  }) ??
  first(new Set(changed.map(({ attachmentId }) => attachmentId)), (attachmentId) =>
    sum(changed.filter((entry) => entry.attachmentId === attachmentId)) === 0 ? null : `left ${attachmentId}`
  )

/**
 * Rule U1. Usage is booked on the day of a report, in its country or where the SIM was then.
 * Nothing is taken away, and it moves only to where the telco's own book has it.
 */
export const usageIsBookedWhereItWas: Invariant = make(
  "usage is booked on the day and in the country that was reported, and stays or goes where the telco has it",
  "U1",
  () => (frame) => {
    const { step, used, usedBefore } = frame
    const { asked, outcome } = step
    return first(step.changes.usage, ({ iccid }) => {
      const changed = added(iccid, usedBefore, used)
      if (changed.length === 0) return null
      if (asked._tag === "ReconcileUsage" && asked.iccid === iccid) {
        const wrong = wronglyMoved(changed, asked.book)
        return wrong === null ? null : `${show(changed)} of ${iccid} ${wrong}: ${show(asked.book)}`
      }
      const places = asked._tag === "Report" ? reported(asked.reports, iccid, frame) : new Set<string>()
      // Which locations a step has left that was repeated, refused in part or killed is not known.
      const isCertain =
        outcome._tag === "Answered" &&
        outcome.answer.kind === "Verdicts" &&
        outcome.answer.verdicts.every(({ _tag }) => _tag === "Accepted")
      return first(changed, (entry) => {
        const isOld = entry.day !== null && entry.day < UsageBook.keptFrom(step.ended, RETENTION)
        if (entry.bytes < 0) return isOld ? null : `${iccid} lost ${-entry.bytes} bytes of ${keyOf(entry)}`
        const place = `${entry.day} ${entry.countryAlpha2}`
        const isThere = isCertain ? places.has(place) : [...places].some((one) => one.startsWith(`${entry.day} `))
        return isThere ? null : `${iccid} got ${entry.bytes} bytes of ${keyOf(entry)}, and ${show(asked)} was reported`
      })
    })
  }
)

/** Rule U1. The totals of an organization and the sums of its SIMs are equal. */
export const organizationsUseWhatTheirSimsUse: Invariant = make(
  "what an organization has used is what its SIMs have used",
  "U1",
  () =>
    ({ step }) =>
      first(step.changes.usage, ({ iccid, ofOrganization: { days, sims } }) =>
        days === sims ? null : `the organization of ${iccid} has used ${days} by its days, and ${sims} by its SIMs`
      )
)
