/**
 * Reports of the telco about a SIM (rules R1 to R4, T3, U1, U2 and W9). They may arrive late, twice
 * and out of order.
 */
import { Result } from "effect"
import * as Activation from "./Activation.ts"
import * as Allowance from "./Allowance.ts"
import type { NewJob } from "./Decision.ts"
import * as SimAggregate from "./SimAggregate.ts"
import type { AttachmentForReports, ForReports } from "./SimAggregate.ts"
import * as Location from "./Location.ts"
import * as Occurrence from "./Occurrence.ts"
import * as Purchase from "./Purchase.ts"
import { canonicalId, type Former, formerOf, idOf, isTaken, type Package, packageId, usedOnFormer } from "./Package.ts"
import * as PackageEnd from "./PackageEnd.ts"
import type { NameOf } from "./Refusal.ts"
import { isUsed } from "./Sim.ts"
import * as SimReturn from "./SimReturn.ts"
import * as SmdpHistory from "./SmdpHistory.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"
import { DAY, MINUTE } from "./Time.ts"
import * as UsageBook from "./UsageBook.ts"
import type { Payload } from "./WebhookEvent.ts"

/** Rule R1: a running total of a package, or the increase since the last report. */
export type Usage =
  | { readonly _tag: "Total"; readonly bytes: number }
  | { readonly _tag: "Delta"; readonly bytes: number }

/** What the telco reports of a SIM. */
export type Fact =
  | {
      readonly _tag: "Usage"
      readonly packageId: string | null
      readonly usage: Usage
      /**
       * Where it was used: ISO 3166 alpha-2, upper case. Absent or null: where the SIM was last
       * seen (rule U1).
       */
      readonly countryAlpha2?: string | null
    }
  | { readonly _tag: "FirstUse"; readonly packageId: string | null }
  /** The telco has ended a package, which it has to name. */
  | { readonly _tag: "End"; readonly packageId: string; readonly reason: PackageEnd.Reason }
  /**
   * The supplier that has sold the SIM has it no more, or nothing of it can be put into use any
   * more: all packages on it end as `revoked`, and a free one is given to nobody (rule I15).
   */
  | { readonly _tag: "Gone" }
  | {
      readonly _tag: "Location"
      readonly countryAlpha2: string
      readonly operator: string
      readonly rat: string
      readonly imei: string
    }
  | { readonly _tag: "SmdpState"; readonly state: SmdpHistory.State; readonly modificationResult: string }

/** One telco report. It counts once by its id, for 35 days, as rule R1 has it. */
export interface Report {
  /** The telco's; unique in an organization. */
  readonly reportId: string
  /** The SIM that it is about. */
  readonly iccid: string
  /** When it happened at the telco, at most 5 minutes ahead of the clock. */
  readonly occurredAt: Instant
  /** The reported fact. */
  readonly fact: Fact
}

type UsageFact = Extract<Fact, { readonly _tag: "Usage" }>

/** Rule R1: how old a delta may be. */
const DELTA_AGE = 35 * DAY

/**
 * Rules R1 and T3: how far ahead of the clock a report may be, and how far before its attachment a
 * first use.
 */
export const AHEAD_LIMIT = 5 * MINUTE

/**
 * How long report ids are kept. A delta may be dated ahead of the clock by the limit, so ids are
 * kept that much longer.
 */
export const ID_RETENTION = DELTA_AGE + AHEAD_LIMIT

/**
 * Rule R1: how long an id is known whenever a report with it occurred: a telco may date each of its
 * tries anew.
 */
const KNOWN_ANYWAY = DAY

/**
 * Rule R1: since when the ids of these reports may have been taken. None was taken before its
 * report occurred, but for the limit. So whoever looks up those of fresh reports, as nearly all
 * are, needs to go through the ids of few days.
 */
export const seenSince = (reports: ReadonlyArray<Report>, now: Instant): Instant => {
  let since = now - KNOWN_ANYWAY
  for (const { occurredAt } of reports) since = Math.min(since, occurredAt - AHEAD_LIMIT)
  return Math.max(since, now - ID_RETENTION)
}

/**
 * Until when ids may have been taken. A storage need not look further, so the clocks of processes
 * may differ by a day.
 */
export const seenUntil = (now: Instant): Instant => now + DAY

/**
 * The first UTC day whose report ids are kept: they are forgotten by whole days, once all of one
 * are old enough.
 */
export const keptFrom = (now: Instant): Instant => UsageBook.dayOf(now - ID_RETENTION)

/** Why a report is rejected. */
export interface Rejection {
  /** The field that is wrong, in camel case. Null: the message says it all. */
  readonly field: string | null
  /** What is wrong; it goes on after the field's name. */
  readonly message: string
}

/** A rejection as a sentence for people, with these names of fields. */
export const sentence = ({ field, message }: Rejection, name: NameOf = (own) => own): string =>
  field === null ? message : `${name(field)} ${message}`

/** Of a SIM that is not there, or that is none of whoever reports: both are answered for alike. */
export const UNKNOWN_SIM: Rejection = { field: null, message: "the iccid is not known" }

/** The verdict on one report. */
export type Verdict =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Duplicate" }
  | ({ readonly _tag: "Rejected" } & Rejection)

/**
 * The result of a report: the SIM's aggregate after it, and the events, history and jobs that it
 * causes.
 */
export interface Applied {
  /** As it is after the report. */
  readonly aggregate: ForReports
  /** The events that the report causes, in order. */
  readonly payloads: ReadonlyArray<Payload>
  /** What it adds to the SM-DP+ history. */
  readonly smdpEntries: ReadonlyArray<SmdpHistory.Entry>
  /** What it adds to the book of usage (rule U1). */
  readonly usage: ReadonlyArray<UsageBook.Entry>
  /** The work that follows from it. */
  readonly jobs: ReadonlyArray<NewJob>
}

/** What is wrong with the report, whatever it is about; undefined if nothing is. */
const problemWith = (report: Report, now: Instant): Rejection | undefined => {
  const { fact } = report
  const problem = textProblem(report)
  if (problem !== undefined) return problem
  if (report.occurredAt > now + AHEAD_LIMIT)
    return { field: "occurredAt", message: "is more than 5 minutes ahead of the clock" }
  if (fact._tag !== "Usage") return undefined
  if (!Number.isSafeInteger(fact.usage.bytes) || fact.usage.bytes < 0) {
    return { field: "usage", message: "must be a whole number of bytes, and not less than 0" }
  }
  return fact.usage._tag === "Delta" && report.occurredAt < now - DELTA_AGE
    ? { field: null, message: "a delta must not be older than 35 days" }
    : undefined
}

/** Rule I15: whether what occurred then was of a customer who had the ICCID before. */
export const isFormer = (occurredAt: Instant, sim: Pick<ForReports["sim"], "purchase">): boolean =>
  Purchase.isBefore(occurredAt + AHEAD_LIMIT, sim)

/** Rule R1: applies a report that was not seen before, or says why it is rejected. */
export const apply = (aggregate: ForReports, report: Report, now: Instant): Result.Result<Applied, Rejection> => {
  const problem = problemWith(report, now)
  if (problem !== undefined) return Result.fail(problem)
  if (isFormer(report.occurredAt, aggregate.sim)) return rejected("is before the SIM was bought", "occurredAt")
  const { fact } = report
  switch (fact._tag) {
    case "Usage":
      return Result.map(target(aggregate, report, fact.packageId), (found) => applyUse(aggregate, found, report, fact))
    case "FirstUse":
      return Result.map(target(aggregate, report, fact.packageId), (found) => applyUse(aggregate, found, report, null))
    case "End":
      return Result.map(target(aggregate, report, fact.packageId), (found) =>
        applyEnd(aggregate, found, report.occurredAt, fact.reason, now)
      )
    case "Gone":
      return aggregate.sim.purchase === null
        ? rejected("the SIM was not bought of a supplier")
        : Result.succeed(applyGone(aggregate, report.occurredAt, now))
    case "Location":
      return Result.succeed(applyLocation(aggregate, report, fact))
    case "SmdpState":
      return aggregate.sim.isEsim
        ? Result.succeed(applySmdpState(aggregate, report, fact))
        : rejected("a physical SIM has no SM-DP+ state")
  }
}

/**
 * Whether a report is of a use, which counts for the subscription that its SIM has or had. An end
 * counts for a package that is on the SIM alone: on a SIM that was left all packages end.
 */
export const isOfUse = ({ fact }: Report): boolean => fact._tag === "Usage" || fact._tag === "FirstUse"

/** What comes of a use on a SIM that its subscription has left. */
export interface Late {
  /** The SIM that was left, as it is after the report. */
  readonly left: ForReports
  /** What it does to the SIM that has the subscription now. */
  readonly applied: Applied
}

/**
 * Rule S8: a use that is reported of a SIM which its subscription has left counts for the package
 * that has moved to the SIM of `aggregate`. It is booked where it was.
 */
export const applyLate = (
  left: ForReports,
  aggregate: ForReports,
  report: Report,
  now: Instant
): Result.Result<Late, Rejection> => {
  const problem = problemWith(report, now)
  if (problem !== undefined) return Result.fail(problem)
  const { fact } = report
  if (fact._tag !== "Usage" && fact._tag !== "FirstUse") return rejected("the report is about no package")
  const found = target(aggregate, report, fact.packageId, left.sim.iccid)
  return Result.map(found, (of) => {
    const applied = applyUse(aggregate, of, report, fact._tag === "Usage" ? fact : null, left)
    return {
      left: { ...left, sim: withActivity(left.sim, report.occurredAt) },
      applied: { ...applied, aggregate: { ...applied.aggregate, sim: aggregate.sim } }
    }
  })
}

const rejected = (message: string, field: string | null = null) => Result.fail({ field, message })

const problemOf = (field: string, text: string | null): Rejection | undefined => {
  if (text === null) return undefined
  if (!TextLimit.isWithin(text, TextLimit.REPORTED)) return { field, message: TextLimit.message(TextLimit.REPORTED) }
  return TextLimit.isStorable(text) ? undefined : { field, message: TextLimit.NOT_STORABLE }
}

const COUNTRY = /^[A-Z]{2}$/

const countryProblem = (country: string | null): Rejection | undefined =>
  country === null || COUNTRY.test(country)
    ? undefined
    : { field: "countryAlpha2", message: "must be an ISO 3166 alpha-2 code" }

/** Rule W9: what is wrong with the report's texts, undefined if nothing is. */
export const textProblem = ({ fact, iccid, reportId }: Report): Rejection | undefined => {
  const ofHead = problemOf("id", reportId) ?? problemOf("iccid", iccid)
  if (ofHead !== undefined) return ofHead
  switch (fact._tag) {
    case "Usage":
      return problemOf("packageId", fact.packageId) ?? countryProblem(fact.countryAlpha2 ?? null)
    case "FirstUse":
    case "End":
      return problemOf("packageId", fact.packageId)
    case "Location":
      return (
        problemOf("countryAlpha2", fact.countryAlpha2) ??
        problemOf("operator", fact.operator) ??
        problemOf("rat", fact.rat) ??
        problemOf("imei", fact.imei)
      )
    case "SmdpState":
      return problemOf("modificationResult", fact.modificationResult)
    case "Gone":
      return undefined
  }
}

interface Target {
  readonly of: AttachmentForReports
  readonly pack: Package
  /**
   * What the package was on the SIM that the report is about, if its subscription has left that;
   * else null.
   */
  readonly former: Former | null
}

interface There {
  /** Ours; null: the package was not on the SIM. */
  readonly id: string | null
  readonly telcoPackageId: string | null
  readonly former: Former | null
  /** Whether it was on the SIM for certain. */
  readonly isThere: boolean
}

/**
 * What a package is called on the SIM, or on one that its subscription has left. What was over or
 * suspended when its subscription moved has the id that it had, and nothing says on which of the
 * SIMs it was.
 */
const thereOf = (
  { attachment: { attachmentId, replacements } }: AttachmentForReports,
  pack: Package,
  leftIccid: string | null
): There => {
  const { occurrence, replacement, telcoPackageId } = pack
  if (leftIccid === null) return { id: idOf(pack), telcoPackageId, former: null, isThere: true }
  const former = formerOf(pack).findLast(({ iccid }) => iccid === leftIccid)
  if (former !== undefined) {
    const id = packageId(attachmentId, occurrence, former.number)
    return { id, telcoPackageId: former.telcoPackageId, former, isThere: true }
  }
  const isAsItWas = (replacement?.number ?? 0) < replacements
  return isAsItWas
    ? { id: idOf(pack), telcoPackageId, former: null, isThere: false }
    : { id: null, telcoPackageId: null, former: null, isThere: false }
}

/**
 * Rules R1, T3 and I13: the package that a use counts for. It is the named one; else the package
 * that was active then and expires first; else the oldest one that waits for its first use. A first
 * use looks for the waiting one first. A use before an attachment was created counts for it only if
 * it names the package, because late reports of a recycled SIM are about its former subscription.
 * With `leftIccid` the report is about that SIM, which the subscription has left (rule S8).
 */
const target = (
  aggregate: ForReports,
  report: Report,
  named: string | null,
  leftIccid: string | null = null
): Result.Result<Target, Rejection> => {
  const at = report.occurredAt
  const ours = named === null ? null : canonicalId(named)
  let waiting: Target | undefined
  let active: Target | undefined
  for (const of of SimAggregate.confirmed(aggregate)) {
    const { createdAt, suspendedAt } = of.attachment
    const isServed = suspendedAt === null || at < suspendedAt
    for (const pack of of.packages) {
      if (!isTaken(pack)) continue
      const there = thereOf(of, pack, leftIccid)
      const { former } = there
      if (named !== null) {
        const isNamed = there.telcoPackageId === named || there.id === ours
        if (isNamed) return Result.succeed({ of, pack, former })
      } else if (!there.isThere || (former === null && pack.refusal !== null)) {
      } else if (isServed && PackageEnd.isWaiting(pack)) {
        if (createdAt - AHEAD_LIMIT <= at) waiting ??= { of, pack, former }
      } else if (isServed && isActive(pack, at)) {
        if (active === undefined || end(pack) < end(active.pack)) active = { of, pack, former }
      }
    }
  }
  if (named !== null) return rejected(`"${named}" is no package of this SIM`, "packageId")
  const found = report.fact._tag === "FirstUse" ? (waiting ?? active) : (active ?? waiting)
  return found === undefined ? rejected("the SIM has no package that this could count for") : Result.succeed(found)
}

const NONE: ReadonlyArray<never> = []

const end = (pack: Package): Instant => pack.expirationAt ?? Number.POSITIVE_INFINITY

const isActive = (pack: Package, at: Instant): boolean =>
  pack.activationAt !== null && pack.activationAt <= at && at < end(pack)

/**
 * Rules T3, R2 and U2: a use activates a waiting package; rising usage causes an event for each
 * threshold that it crosses, of the attachment and of the package. `on`: the SIM on which it was
 * used.
 */
const applyUse = (
  aggregate: ForReports,
  { former, of, pack }: Target,
  report: Report,
  fact: UsageFact | null,
  on: ForReports = aggregate
): Applied => {
  const { attachment } = of
  const activated = PackageEnd.isWaiting(pack)
    ? activate(of, pack, report.occurredAt)
    : { attachment, pack, jobs: NONE }
  const used = fact === null ? pack : risen(pack, former, fact.usage)
  const { replacement, usedBytes } = used
  const crossed = Allowance.crossed(attachment.terms, attachment.lastThresholdNotified, usedBytes)
  const next: AttachmentForReports = {
    ...of,
    attachment: { ...activated.attachment, lastThresholdNotified: crossed.at(-1) ?? attachment.lastThresholdNotified },
    packages: SimAggregate.withPackage(of.packages, { ...activated.pack, replacement, usedBytes })
  }
  return {
    aggregate: {
      sim: withActivity(aggregate.sim, report.occurredAt),
      attachments: SimAggregate.withAttachment(aggregate.attachments, next)
    },
    payloads: [
      ...crossed.map((threshold) => consumed(aggregate, attachment, threshold, usedBytes)),
      ...packageAlerts(aggregate, attachment, pack, usedBytes)
    ],
    smdpEntries: NONE,
    usage:
      fact === null || usedBytes === pack.usedBytes
        ? NONE
        : [entryOf(on, attachment, report, fact, usedBytes - pack.usedBytes)],
    jobs: activated.jobs
  }
}

/**
 * Rule R4: the package is over, as if its time had ended then. An end that says that it was in use
 * begins one that was not known to be. Nothing changes if it was over before.
 */
const applyEnd = (
  aggregate: ForReports,
  { of, pack }: Target,
  at: Instant,
  reason: PackageEnd.Reason,
  now: Instant
): Applied => {
  const end = PackageEnd.endOf(pack, at, now)
  if (end === null) return { aggregate, payloads: NONE, smdpEntries: NONE, usage: NONE, jobs: NONE }
  const isBegun = PackageEnd.isWaiting(pack) && PackageEnd.isOfUsed(reason)
  const begun = isBegun ? activate(of, pack, end) : { attachment: of.attachment, pack, jobs: NONE }
  const next: AttachmentForReports = {
    attachment: begun.attachment,
    packages: SimAggregate.withPackage(of.packages, { ...begun.pack, expirationAt: end })
  }
  return {
    aggregate: {
      sim: isBegun ? withActivity(aggregate.sim, end) : aggregate.sim,
      attachments: SimAggregate.withAttachment(aggregate.attachments, next)
    },
    payloads: NONE,
    smdpEntries: NONE,
    usage: NONE,
    jobs: begun.jobs
  }
}

/**
 * Rules R4 and I15: all packages of the SIM end. A free SIM is withdrawn as one that its supplier
 * has back; one that somebody has stays with its subscription, and is withdrawn once it is free.
 */
const applyGone = (before: ForReports, at: Instant, now: Instant): Applied => {
  let applied: Applied = { aggregate: before, payloads: NONE, smdpEntries: NONE, usage: NONE, jobs: NONE }
  for (const of of SimAggregate.confirmed(before)) {
    for (const pack of of.packages.filter(isTaken)) {
      const { aggregate } = applied
      const present = aggregate.attachments.find(
        ({ attachment }) => attachment.attachmentId === of.attachment.attachmentId
      )
      if (present === undefined) continue
      const found = { of: present, pack, former: null }
      applied = { ...applied, aggregate: applyEnd(aggregate, found, at, "revoked", now).aggregate }
    }
  }
  const { aggregate } = applied
  const { allocation, purchase } = aggregate.sim
  if (allocation === undefined || isUsed({ allocation }) || purchase === null) return applied
  return { ...applied, aggregate: { ...aggregate, sim: SimReturn.withReturn({ ...aggregate.sim, purchase }, "none") } }
}

/** Rule R2: what notifies of an attachment's threshold. */
const consumed = (
  { sim }: ForReports,
  attachment: AttachmentForReports["attachment"],
  threshold: number,
  usedBytes: number
): Extract<Payload, { type: "attachment.allowanceConsumed" }> => ({
  type: "attachment.allowanceConsumed",
  data: {
    usagePercentage: threshold,
    dataUsageBytes: usedBytes,
    esim: sim.iccid,
    planId: attachment.planId,
    attachmentId: attachment.attachmentId,
    subscriptionId: attachment.subscriptionId,
    metadata: attachment.metadata
  }
})

/** Rule U2: what notifies of a package whose usage rises to so many bytes. */
const packageAlerts = (
  aggregate: ForReports,
  attachment: AttachmentForReports["attachment"],
  pack: Package,
  usedBytes: number
): ReadonlyArray<Payload> =>
  Allowance.reachedBetween(attachment.terms, { from: pack.usedBytes, to: usedBytes }).map((percentage) => ({
    type: "package.allowanceConsumed",
    data: {
      ...consumed(aggregate, attachment, percentage, usedBytes).data,
      packageId: idOf(pack)
    }
  }))

// A telco's adapter may report a location by any text.
const codeOf = (country: string | null): string | null => (country !== null && COUNTRY.test(country) ? country : null)

/** Rule U1: what a report adds to the book of usage. */
const entryOf = (
  { sim }: ForReports,
  { attachmentId, planId }: AttachmentForReports["attachment"],
  { occurredAt }: Report,
  { countryAlpha2 }: UsageFact,
  bytes: number
): UsageBook.Entry => ({
  organizationId: sim.organizationId,
  iccid: sim.iccid,
  attachmentId,
  planId,
  label: sim.label,
  day: UsageBook.dayOf(occurredAt),
  countryAlpha2: countryAlpha2 ?? codeOf(Location.countryAt(sim.location, occurredAt)),
  bytes
})

/**
 * Rule T3: activates a package for good. A recurring attachment gets its anchor, and the job of its
 * next occurrence.
 */
const activate = ({ attachment }: AttachmentForReports, pack: Package, firstUse: Instant) => {
  const window = Activation.firstUseWindow(attachment.terms, firstUse)
  const anchored = attachment.terms.recurrence === null ? attachment : { ...attachment, anchor: firstUse }
  const following = Occurrence.next(anchored, pack.occurrence + 1)
  return {
    attachment: anchored,
    pack: { ...pack, activationAt: window.start, expirationAt: window.end },
    jobs: following === undefined ? [] : [following]
  }
}

/**
 * The package after a usage. The telco's total of it has nothing of what was used on other SIMs
 * (rule S8).
 */
const risen = (pack: Package, former: Former | null, usage: Usage): Pick<Package, "replacement" | "usedBytes"> => {
  const { replacement, usedBytes } = pack
  if (former === null || replacement === null) {
    const total = usage._tag === "Total" ? sum(usedOnFormer(pack), usage.bytes) : sum(usedBytes, usage.bytes)
    return { replacement, usedBytes: Math.max(usedBytes, total) }
  }
  const known = usage._tag === "Delta" ? Math.min(usage.bytes, former.unreportedBytes) : 0
  const total = usage._tag === "Delta" ? sum(former.usedBytes, usage.bytes - known) : usage.bytes
  const next = {
    ...former,
    usedBytes: Math.max(former.usedBytes, total),
    unreportedBytes: former.unreportedBytes - known
  }
  return {
    replacement: { ...replacement, former: formerOf(pack).map((one) => (one === former ? next : one)) },
    usedBytes: sum(usedBytes, next.usedBytes - former.usedBytes)
  }
}

const sum = (one: number, other: number): number => Math.min(one + other, Number.MAX_SAFE_INTEGER)

const withActivity = (sim: ForReports["sim"], at: Instant): ForReports["sim"] => ({
  ...sim,
  downloaded: true,
  lastActivityAt: Math.max(sim.lastActivityAt ?? at, at)
})

const applyLocation = (aggregate: ForReports, report: Report, fact: Extract<Fact, { _tag: "Location" }>): Applied => {
  const before = aggregate.sim.location
  const { countryAlpha2, imei, operator, rat } = fact
  const location = Location.withReport(before, { countryAlpha2, operator, rat, imei, at: report.occurredAt })
  const changed = location.countryAlpha2 !== before?.countryAlpha2
  return {
    aggregate: { ...aggregate, sim: { ...withActivity(aggregate.sim, report.occurredAt), location } },
    payloads: changed
      ? [
          {
            type: "subscription.esim.locationChanged",
            data: {
              esim: aggregate.sim.iccid,
              countryIso2: location.countryAlpha2,
              previousCountryIso2: before?.countryAlpha2 ?? null
            }
          }
        ]
      : [],
    smdpEntries: NONE,
    usage: NONE,
    jobs: NONE
  }
}

const applySmdpState = (aggregate: ForReports, report: Report, fact: Extract<Fact, { _tag: "SmdpState" }>): Applied => {
  const { iccid, organizationId, smdp: before } = aggregate.sim
  const { modificationResult, state } = fact
  const { occurredAt: modifiedAt, reportId } = report
  const entry = { organizationId, iccid, reportId, state, modificationResult, modifiedAt }
  const smdp = SmdpHistory.withEntry(before, entry)
  const downloaded = aggregate.sim.downloaded || SmdpHistory.isSuccessful(modificationResult)
  return {
    aggregate: { ...aggregate, sim: { ...aggregate.sim, smdp, downloaded } },
    payloads:
      smdp !== null && smdp.state !== before?.state
        ? [{ type: "esim.smdp.stateChanged", data: { sim: iccid, smdpStateChange: { state, modificationResult } } }]
        : [],
    smdpEntries: [entry],
    usage: NONE,
    jobs: NONE
  }
}
