/**
 * What a supplier says of the packages of a SIM, what is to be reported of that, and what the
 * journal remembers of a SIM between polls.
 *
 * Usage and ends only rise: a list that lags, and one that lacks a package, take nothing back. The
 * ids of reports follow from their content, so that a poll that is repeated counts once (rule R1).
 */
import { Option, Schema } from "effect"
import { type PackageEnd, type TelcoReport, Time } from "simplan/ports"
import type * as Journal from "../Journal.ts"
import * as PollSchedule from "./PollSchedule.ts"

type Instant = Time.Instant

/** What the supplier says of a bundle now. */
export interface Bundle {
  /** Of all that it grants; null: the supplier does not say, or it is unlimited. */
  readonly allowanceBytes: number | null
  /** The running total; null: the supplier does not say. */
  readonly usedBytes: number | null
  /** When it was first used; null: it was not, or the supplier does not say. */
  readonly activationAt: Instant | null
  /** When its time ends or has ended; null: that is not known. */
  readonly expirationAt: Instant | null
  /** What it has ended by, and when, if the supplier says so; null: it has not ended. */
  readonly end: { readonly reason: PackageEnd.Reason; readonly at: Instant | null } | null
}

/** What it says of the bundle that a package has. */
export interface Seen extends Bundle {
  /** Ours. */
  readonly packageId: string
}

/** What the journal has of a SIM that is polled. */
export interface Known {
  /** The purchase that the SIM came by: an ICCID that is sold again is another one. */
  readonly purchaseId: string
  /** The packages of ours that are on it; empty: it is in stock. */
  readonly packageIds: ReadonlyArray<string>
}

/** What a poll finds of a SIM. */
export interface Found extends Known {
  /** Of its packages those that the supplier lists. */
  readonly seen: ReadonlyArray<Seen>
  /**
   * `gone`: the supplier says that nothing of the SIM can be used any more. `missing`: it does not
   * know the SIM, as a list that lags does not either. Absent: it is there.
   */
  readonly sim?: "gone" | "missing"
}

/** The shape of what is remembered of a package, as the journal keeps it. */
const Pack = Schema.Struct({
  /** When a poll first knew it. */
  since: Schema.Finite,
  usedBytes: Schema.Finite,
  /** Bytes in a millisecond between the last two polls. */
  rate: Schema.Finite,
  usedAt: Schema.Finite,
  /** What of it the core has taken. */
  reportedBytes: Schema.Finite,
  isBegun: Schema.Boolean,
  /** When the core has taken its end; null: it has not. */
  overAt: Schema.NullOr(Schema.Finite),
  allowanceBytes: Schema.NullOr(Schema.Finite),
  activationAt: Schema.NullOr(Schema.Finite),
  expirationAt: Schema.NullOr(Schema.Finite)
})

/** What is remembered of a package. */
export type Pack = typeof Pack.Type

/** The shape of what is remembered of a SIM, as the journal keeps it. */
const State = Schema.Struct({
  /** Null: no poll was answered. */
  purchaseId: Schema.NullOr(Schema.String),
  /** When the last poll was answered; null: none was. */
  polledAt: Schema.NullOr(Schema.Finite),
  /** How many polls in a row have failed. */
  failures: Schema.Finite,
  /** Since when each poll has missed the SIM. Absent: the last one has not. */
  missingSince: Schema.optionalKey(Schema.Finite),
  /** Absent: the core has not taken that it is gone. */
  isGone: Schema.optionalKey(Schema.Literal(true)),
  /** When the supplier has notified something. Absent: a poll has found it, or it is long ago. */
  hintedAt: Schema.optionalKey(Schema.Finite),
  packages: Schema.Record(Schema.String, Pack)
})

/** What is remembered of a SIM. */
export type State = typeof State.Type

/** Of a SIM at which nobody has polled. */
export const initial: State = { purchaseId: null, polledAt: null, failures: 0, packages: {} }

const decode = Schema.decodeUnknownOption(State)

/** What an entry of the journal remembers; nothing, if another version has written it. */
export const of = ({ document }: Pick<Journal.Entry, "document">): State =>
  Option.getOrElse(decode(document), () => initial)

const unseen = (now: Instant): Pack => ({
  since: now,
  usedBytes: 0,
  rate: 0,
  usedAt: now,
  reportedBytes: 0,
  isBegun: false,
  overAt: null,
  allowanceBytes: null,
  activationAt: null,
  expirationAt: null
})

/** A package after a poll, with what is to be reported of it. */
export interface Observed {
  /** Ours. */
  readonly packageId: string
  /** What the core has not taken yet, a first use before usage; empty if nothing is new. */
  readonly reports: ReadonlyArray<TelcoReport.Report>
  /** As it is before the reports are taken. */
  readonly pack: Pack
}

interface Asked {
  readonly telco: string
  readonly iccid: string
  readonly now: Instant
}

/**
 * How long a supplier has to miss a SIM, at each poll, until it is taken for gone: no list lags so
 * long, and an account that is set up anew is noticed by then.
 */
const MISSED = Time.DAY

/** How soon a SIM is polled again that is missing, in milliseconds. */
const MISSING = 6 * Time.HOUR

/** How soon one is polled that is in stock, in milliseconds. */
export const STOCK = Time.DAY

/** How soon after a poll a hint may have the next one made, in milliseconds. */
export const HINTED = 30 * Time.SECOND

/** How long what a supplier notifies may be missing in what it says, in milliseconds. */
const HINT_LASTS = 20 * Time.MINUTE

/** A state in which the supplier has just notified something. */
export const hinted = (state: State, now: Instant): State => ({ ...state, hintedAt: now })

/** With the hint of another state of the SIM, if it has come since a state before. */
export const withHintOf = (state: State, { hintedAt }: State, before = initial): State =>
  hintedAt === undefined || hintedAt === before.hintedAt ? state : { ...state, hintedAt }

/**
 * When to poll again after a poll that has not found what was notified: each wait is twice the one
 * before. Null: nothing was notified of late.
 */
export const afterHint = ({ hintedAt }: State, now: Instant): Instant | null => {
  if (hintedAt === undefined) return null
  const dueAt = now + Math.max(HINTED, now - hintedAt)
  return dueAt - hintedAt > HINT_LASTS ? null : dueAt
}

/**
 * Until when what was used of each package is counted, by the last poll that was answered: a
 * supplier counts as late as `lag`.
 */
export const asOf = ({ packages, polledAt }: State, lag: number): ReadonlyMap<string, Instant> =>
  new Map(polledAt === null ? [] : Object.keys(packages).map((packageId) => [packageId, polledAt - lag]))

/** Since when the SIM is missing, this poll included. */
const missingSince = (sim: Found["sim"], before: State, now: Instant): Instant | undefined =>
  sim === "missing" ? (before.missingSince ?? now) : undefined

/** What is to be reported of a SIM that is gone for certain; null: it is not, or it was. */
export const goneOf = ({ purchaseId, sim }: Found, before: State, { iccid, now, telco }: Asked) => {
  const since = missingSince(sim, before, now)
  const isCertain = sim === "gone" || (since !== undefined && now - since >= MISSED)
  if (!isCertain || before.isGone === true) return null
  const fact = { _tag: "Gone" } as const
  return { reportId: `${telco}/poll/${purchaseId}/gone`, iccid, occurredAt: now, fact } satisfies TelcoReport.Report
}

const observe = (seen: Seen, known: Pack | undefined, before: State, { iccid, now, telco }: Asked): Observed => {
  const { activationAt, allowanceBytes, end, expirationAt, packageId } = seen
  const was = known ?? unseen(now)
  const usedBytes = Math.max(was.usedBytes, seen.usedBytes ?? 0)
  const risen = usedBytes - was.usedBytes
  const elapsed = before.polledAt === null || known === undefined ? 0 : now - before.polledAt
  const report = (what: string, occurredAt: Instant, fact: TelcoReport.Fact): TelcoReport.Report => ({
    reportId: `${telco}/poll/${packageId}/${what}`,
    iccid,
    occurredAt: Math.min(occurredAt, now),
    fact
  })
  const reports: Array<TelcoReport.Report> = []
  // Before its usage, which would make its own instant the first use for good (rule T3).
  if (activationAt !== null && !was.isBegun) {
    reports.push(report("first-use", activationAt, { _tag: "FirstUse", packageId }))
  }
  if (usedBytes > was.reportedBytes) {
    const usage = { _tag: "Total", bytes: usedBytes } as const
    reports.push(report(`used/${usedBytes}`, now, { _tag: "Usage", packageId, usage }))
  }
  if (end !== null && was.overAt === null) {
    reports.push(report("end", end.at ?? now, { _tag: "End", packageId, reason: end.reason }))
  }
  return {
    packageId,
    reports,
    pack: {
      ...was,
      usedBytes,
      rate: elapsed > 0 ? risen / elapsed : 0,
      usedAt: risen > 0 ? now : was.usedAt,
      allowanceBytes: allowanceBytes ?? was.allowanceBytes,
      activationAt: activationAt ?? was.activationAt,
      expirationAt: expirationAt ?? was.expirationAt
    }
  }
}

/** What is known of a SIM, without what is of a former purchase of its ICCID. */
export const ofPurchase = (state: State, purchaseId: string): State =>
  state.purchaseId === purchaseId ? state : withHintOf({ ...initial, purchaseId, failures: state.failures }, state)

/** What is new of the packages of a SIM, whatever else the supplier lists. */
export const observed = ({ packageIds, seen }: Found, before: State, asked: Asked): ReadonlyArray<Observed> =>
  seen.flatMap((one) =>
    packageIds.includes(one.packageId) ? [observe(one, before.packages[one.packageId], before, asked)] : []
  )

/**
 * What is remembered after the reports. What was not taken stays unreported, and is reported by the
 * next poll. A package that is listed no more is remembered as it was.
 */
export const remembered = (
  { packageIds, purchaseId, sim }: Found,
  before: State,
  observations: ReadonlyArray<Observed>,
  gone: TelcoReport.Report | null,
  isTaken: (report: TelcoReport.Report) => boolean,
  now: Instant
): State => {
  const packages = new Map(packageIds.map((id) => [id, before.packages[id] ?? unseen(now)]))
  for (const { pack, packageId, reports } of observations) {
    const taken = reports.filter(isTaken).map(({ fact }) => fact)
    const usage = taken.find((fact) => fact._tag === "Usage")
    packages.set(packageId, {
      ...pack,
      reportedBytes: usage === undefined ? pack.reportedBytes : usage.usage.bytes,
      isBegun: pack.isBegun || taken.some(({ _tag }) => _tag === "FirstUse"),
      overAt: pack.overAt ?? (taken.some(({ _tag }) => _tag === "End") ? now : null)
    })
  }
  const since = missingSince(sim, before, now)
  const isNew = observations.some(({ reports }) => reports.some(isTaken))
  return {
    ...{ purchaseId, polledAt: now, failures: 0, packages: Object.fromEntries(packages) },
    ...(since !== undefined && { missingSince: since }),
    ...((before.isGone === true || (gone !== null && isTaken(gone))) && { isGone: true }),
    ...(before.hintedAt !== undefined && !isNew && { hintedAt: before.hintedAt })
  }
}

/**
 * The percentages at which events fire for most plans (`Allowance.thresholds`). What suppliers say
 * is behind by up to hours, so nothing hurries for them: polls close in on what is in use, and wait
 * for what is idle.
 */
const THRESHOLDS = [50, 80, 100]

/**
 * Whether a SIM should be polled that is not due: it is in stock, has a package that no poll has
 * known, or one that is expected to change.
 */
export const isLeftOut = (
  { packageIds, purchaseId }: Known,
  state: State,
  limits: Omit<PollSchedule.Limits, "notified">,
  lag: number,
  now: Instant
): boolean => {
  const own = ofPurchase(state, purchaseId)
  return packageIds.some((id) => own.packages[id] === undefined) || next(own, limits, lag, now) !== null
}

/**
 * When to poll again; null: not before there is another package. `lag`: how long after its end a
 * package's usage may still rise.
 */
export const next = (
  state: State,
  limits: Omit<PollSchedule.Limits, "notified">,
  lag: number,
  now: Instant
): Instant | null => {
  const [dueAt, again] = [unhinted(state, limits, lag, now), afterHint(state, now)]
  return dueAt === null || again === null ? dueAt : Math.min(dueAt, again)
}

/** When to poll again, whatever was notified. */
const unhinted = (
  { isGone, missingSince, packages }: State,
  limits: Omit<PollSchedule.Limits, "notified">,
  lag: number,
  now: Instant
): Instant | null => {
  if (isGone === true) return null
  if (missingSince !== undefined) return now + Math.max(limits.fastest, Math.min(MISSING, limits.slowest))
  const all = Object.values(packages)
  if (all.length === 0) return now + STOCK
  const live = all.flatMap((pack) => {
    const { activationAt, allowanceBytes, expirationAt, overAt, rate, since, usedAt, usedBytes } = pack
    if (overAt !== null) return []
    return [
      {
        ...{ allowanceBytes, usedBytes, thresholds: THRESHOLDS, whole: null, rate, usedAt, assignedAt: since },
        activationAt,
        expirationAt: expirationAt === null ? null : expirationAt + lag
      }
    ]
  })
  const finals = all.flatMap(({ overAt }) => (overAt !== null && now < overAt + lag ? [overAt + lag] : []))
  const wanted = PollSchedule.next(live, { ...limits, notified: THRESHOLDS }, now)
  const instants = wanted === null ? finals : [wanted, ...finals]
  return instants.length === 0 ? null : Math.min(...instants)
}
