/**
 * What a poll of a SIM's packages finds: the reports of what is new, what to remember, and what else the poll asks for.
 *
 * Only packages that simplan has ordered are reported. The first use is reported before the usage and with the OCS's own
 * instant, because a usage of a package without a known time would make its own instant the first use for good (rule T3).
 * Usage is a running total, and its instant is the poll's: the OCS does not say when it was used.
 *
 * A SIM's location and its profile's history are a call each. The poll that finds the first use of a package asks for the
 * location. After further use, and as long as the profile is not installed, a poll asks as soon as one that nothing hurries may
 * come: at most every hour where calls are in use (see `PollSchedule.spacing`). Else every fourth `slowest`, a day by default:
 * a SIM may be moved and a profile be disabled without any use.
 */
import { TelcoReport, Time } from "simplan/ports"
import type { SubscriberPackage } from "../api/Api.ts"
import * as Facts from "../reports/Facts.ts"
import * as SimState from "../reports/SimState.ts"
import type { Pack, Limits } from "./PollSchedule.ts"

type Instant = Time.Instant

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
  readonly now: Instant
  readonly before: SimState.SimState
}

/**
 * When a package was first used, which the OCS says by a clock that may be minutes off: not after the poll, and not before the
 * order by more than the core takes (rule R1).
 */
const usedFirst = (activationAt: Instant, orderedAt: Instant, now: Instant): Instant =>
  Math.min(now, activationAt < orderedAt - TelcoReport.AHEAD_LIMIT ? orderedAt : activationAt)

const observe = (ordered: SimState.Ordered, listed: SubscriberPackage, { before, now, telco }: Asked): Observed => {
  const { activationAt, usedBytes } = listed
  const externalId = String(listed.id)
  const known = before.packages[externalId]
  const of = { telco, iccid: ordered.iccid, packageId: ordered.packageId, externalId }
  const elapsed = before.polledAt === null ? 0 : now - before.polledAt
  const risen = usedBytes - (known?.usedBytes ?? 0)
  const reports: Array<TelcoReport.Report> = []
  let reportedActivationAt = known?.reportedActivationAt ?? null
  let reportedBytes = known?.reportedBytes ?? 0
  if (ordered.window === null && reportedActivationAt === null && activationAt !== null) {
    reports.push(Facts.firstUse(of, usedFirst(activationAt, ordered.orderedAt ?? activationAt, now)))
    reportedActivationAt = activationAt
  }
  if (usedBytes > reportedBytes) {
    reports.push(Facts.usage(of, usedBytes, now))
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
      expirationAt: listed.expirationAt
    }
  }
}

/** How long after its end a package is remembered, in milliseconds. */
export const REMEMBERED = 40 * Time.DAY

const isForgotten = ({ expirationAt }: Pick<SimState.PackageState, "expirationAt">, now: Instant): boolean =>
  expirationAt !== null && expirationAt + REMEMBERED <= now

/** What is new of the packages that are ours and served. */
export const at = (
  ordered: ReadonlyArray<SimState.Ordered>,
  listed: ReadonlyArray<SubscriberPackage>,
  asked: Asked
): ReadonlyArray<Observed> => {
  const served = new Map(ordered.filter(SimState.isServed).map((one) => [one.externalId, one]))
  return listed.flatMap((one) => {
    const ours = served.get(String(one.id))
    return ours === undefined || isForgotten(one, asked.now) ? [] : [observe(ours, one, asked)]
  })
}

/**
 * The state after the reports. What was not taken stays unreported, and is reported by the next poll. A package that is
 * listed no more is remembered as it was.
 */
export const remembered = (
  observations: ReadonlyArray<Observed>,
  before: SimState.SimState,
  isTaken: (report: TelcoReport.Report) => boolean,
  now: Instant
): SimState.SimState["packages"] => ({
  ...Object.fromEntries(Object.entries(before.packages).filter(([, state]) => !isForgotten(state, now))),
  ...Object.fromEntries(
    observations.map(({ listed, reports, state }) => {
      const known = before.packages[String(listed.id)]
      const untaken = (tag: "FirstUse" | "Usage") => reports.some((one) => one.fact._tag === tag && !isTaken(one))
      const reported = {
        ...(untaken("Usage") && { reportedBytes: known?.reportedBytes ?? 0 }),
        ...(untaken("FirstUse") && { reportedActivationAt: known?.reportedActivationAt ?? null })
      }
      return [String(listed.id), { ...state, ...reported }]
    })
  )
})

/** What the schedule needs of a package. An inactive one is used no more. */
export const pack = ({ listed, state }: Observed): ReadonlyArray<Pack> =>
  listed.isActive
    ? [
        {
          allowanceBytes: listed.allowanceBytes,
          usedBytes: listed.usedBytes,
          rate: state.rate,
          usedAt: state.usedAt,
          assignedAt: listed.assignedAt,
          activationAt: listed.activationAt,
          expirationAt: listed.expirationAt
        }
      ]
    : []

const often = ({ slowest, spacing }: Limits): number => Math.min(spacing, slowest)
const seldom = ({ slowest }: Limits): number => 4 * slowest

const isOver = (polledAt: Time.Instant | null, wait: number, now: Time.Instant): boolean =>
  polledAt === null || now - polledAt >= wait

export const wantsNetwork = (
  { network: { polledAt }, packages }: SimState.SimState,
  observations: ReadonlyArray<Observed>,
  limits: Limits,
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
  limits: Limits,
  now: Time.Instant
): boolean => isOver(polledAt, isInstalled ? seldom(limits) : often(limits), now)
