/**
 * The comparison of both books of one SIM, package by package: what simplan has ordered, and what the OCS has.
 *
 * Only what is certain is a difference: an order whose outcome is open, and everything on a SIM with such an order, is for
 * the orders to settle. So is what they watch. Times are compared to the second, which is how the OCS tells them.
 */
import { type Problem, Time } from "simplan/ports"
import type { SubscriberPackage, Window } from "../api/Api.ts"
import * as Findings from "./Findings.ts"
import * as Look from "../polling/Look.ts"
import type * as PackageEntries from "../reports/PackageEntries.ts"
import type { SimState } from "../reports/SimState.ts"

/** The names of simplan's templates begin so. */
const TEMPLATES = "simplan "

export interface Compared {
  readonly findings: ReadonlyArray<Problem.Finding>
  /** Unused packages of cancelled orders, by the OCS's ids: deleting them takes nothing from anyone. */
  readonly deletable: ReadonlyArray<number>
}

interface Books {
  readonly telco: string
  readonly iccid: string
  readonly ordered: ReadonlyArray<PackageEntries.Ordered>
  readonly listed: ReadonlyArray<SubscriberPackage>
  /** What was remembered of packages before this look. */
  readonly remembered: SimState["packages"]
  readonly now: Time.Instant
}

/** How far apart times may be told that are the same, in milliseconds. */
const INEXACT = Time.SECOND

const isOver = (end: Time.Instant | null, now: Time.Instant): boolean => end !== null && end <= now

const differs = (window: Window, { activationAt, expirationAt }: SubscriberPackage): boolean =>
  (activationAt !== null && Math.abs(activationAt - window.start) > INEXACT) ||
  (expirationAt !== null && Math.abs(expirationAt - window.end) > INEXACT)

/**
 * Whether the OCS has to have a package that was created. It may drop one that is over, and of one that was activated at its
 * first use only the looks know when that is; so what they have forgotten is not missed.
 */
const isDue = (
  { externalId, orderedAt, window }: PackageEntries.Ordered,
  remembered: SimState["packages"],
  now: Time.Instant
): boolean => {
  const known = remembered[externalId ?? ""]
  if (window !== null) return !isOver(window.end, now)
  return known === undefined
    ? orderedAt !== null && now - orderedAt < Look.REMEMBERED
    : !isOver(known.expirationAt, now)
}

export const compare = ({ iccid, listed, now, ordered, remembered, telco }: Books): Compared => {
  const findings: Array<Problem.Finding> = []
  const deletable: Array<number> = []
  const byId = new Map(listed.map((one) => [String(one.id), one]))
  const known = new Set<string>()
  for (const one of ordered) {
    const { externalId, packageId, status, window } = one
    if (externalId === null) continue
    known.add(externalId)
    const found = byId.get(externalId)
    const of = { telco, iccid, packageId, externalId }
    if (status === "Created") {
      if (found === undefined && isDue(one, remembered, now)) {
        findings.push(Findings.missing(of))
      }
      if (found !== undefined && window !== null && differs(window, found)) {
        findings.push(Findings.times(of, window, found))
      }
    }
    if (status === "Cancelled" && found !== undefined && found.isActive && !isOver(found.expirationAt, now)) {
      if (found.usedBytes === 0) deletable.push(found.id)
      else findings.push(Findings.cancelled(of, found.usedBytes))
    }
  }
  const isSettled = ordered.every(({ isWatched, status }) => status !== "Open" && !isWatched)
  for (const one of listed) {
    const { expirationAt, id, isActive, isRecurring, templateName } = one
    const isOurs = !isRecurring && (templateName?.startsWith(TEMPLATES) ?? false)
    if (isOurs && isActive && isSettled && !known.has(String(id)) && !isOver(expirationAt, now)) {
      findings.push(Findings.unordered(telco, iccid, one))
    }
  }
  return { findings, deletable }
}
