/**
 * What a look at a SIM's packages tells: the reports of what is new, and what to remember.
 *
 * Only packages that simplan has ordered are told of. The first use is told before the usage and with the OCS's own
 * instant, because a usage of a package without a known time would make its own instant the first use for good (rule T3).
 * Usage is a running total, and its instant is the look's: the OCS does not say when it was used.
 */
import { TelcoReport, Time } from "simplan/ports"
import type { SubscriberPackage } from "../api/Api.ts"
import * as Facts from "../reports/Facts.ts"
import * as PackageEntries from "../reports/PackageEntries.ts"
import type { Pack } from "./PollSchedule.ts"
import type { PackageState, SimState } from "../reports/SimState.ts"

type Instant = Time.Instant

export interface Seen {
  readonly ordered: PackageEntries.Ordered
  readonly listed: SubscriberPackage
  /** The reports of this package, in their order. */
  readonly reports: ReadonlyArray<TelcoReport.Report>
  /** The state if all reports are taken. */
  readonly state: PackageState
}

interface Asked {
  readonly telco: string
  readonly now: Instant
  readonly before: SimState
}

/**
 * When a package was first used, which the OCS says by a clock that may be minutes off: not after the look, and not before the
 * order by more than the core takes (rule R1).
 */
const usedFirst = (activationAt: Instant, orderedAt: Instant, now: Instant): Instant =>
  Math.min(now, activationAt < orderedAt - TelcoReport.AHEAD_LIMIT ? orderedAt : activationAt)

const seen = (ordered: PackageEntries.Ordered, listed: SubscriberPackage, { before, now, telco }: Asked): Seen => {
  const { activationAt, usedBytes } = listed
  const externalId = String(listed.id)
  const known = before.packages[externalId]
  const of = { telco, iccid: ordered.iccid, packageId: ordered.packageId, externalId }
  const elapsed = before.lookedAt === null ? 0 : now - before.lookedAt
  const risen = usedBytes - (known?.usedBytes ?? 0)
  const reports: Array<TelcoReport.Report> = []
  let toldActivationAt = known?.toldActivationAt ?? null
  let toldBytes = known?.toldBytes ?? 0
  if (ordered.window === null && toldActivationAt === null && activationAt !== null) {
    reports.push(Facts.firstUse(of, usedFirst(activationAt, ordered.orderedAt ?? activationAt, now)))
    toldActivationAt = activationAt
  }
  if (usedBytes > toldBytes) {
    reports.push(Facts.usage(of, usedBytes, now))
    toldBytes = usedBytes
  }
  return {
    ordered,
    listed,
    reports,
    state: {
      usedBytes,
      rate: known !== undefined && elapsed > 0 ? Math.max(0, risen) / elapsed : 0,
      usedAt: risen > 0 ? now : (known?.usedAt ?? activationAt ?? listed.assignedAt ?? now),
      toldBytes,
      toldActivationAt,
      expirationAt: listed.expirationAt
    }
  }
}

/** How long after its end a package is remembered, in milliseconds. */
export const REMEMBERED = 40 * Time.DAY

const isForgotten = ({ expirationAt }: Pick<PackageState, "expirationAt">, now: Instant): boolean =>
  expirationAt !== null && expirationAt + REMEMBERED <= now

/** What is new of the packages that are ours and served. */
export const at = (
  ordered: ReadonlyArray<PackageEntries.Ordered>,
  listed: ReadonlyArray<SubscriberPackage>,
  asked: Asked
): ReadonlyArray<Seen> => {
  const served = new Map(ordered.filter(PackageEntries.isServed).map((one) => [one.externalId, one]))
  return listed.flatMap((one) => {
    const ours = served.get(String(one.id))
    return ours === undefined || isForgotten(one, asked.now) ? [] : [seen(ours, one, asked)]
  })
}

/**
 * The state after the reports. What was not taken stays untold, and is told by the next look. A package that is listed no
 * more is remembered as it was.
 */
export const remembered = (
  looks: ReadonlyArray<Seen>,
  before: SimState,
  isTaken: (report: TelcoReport.Report) => boolean,
  now: Instant
): SimState["packages"] => ({
  ...Object.fromEntries(Object.entries(before.packages).filter(([, state]) => !isForgotten(state, now))),
  ...Object.fromEntries(
    looks.map(({ listed, reports, state }) => {
      const known = before.packages[String(listed.id)]
      const untaken = (tag: "FirstUse" | "Usage") => reports.some((one) => one.fact._tag === tag && !isTaken(one))
      const told = {
        ...(untaken("Usage") && { toldBytes: known?.toldBytes ?? 0 }),
        ...(untaken("FirstUse") && { toldActivationAt: known?.toldActivationAt ?? null })
      }
      return [String(listed.id), { ...state, ...told }]
    })
  )
})

/** What the schedule needs of a package. An inactive one is used no more. */
export const pack = ({ listed, state }: Seen): ReadonlyArray<Pack> =>
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
