/**
 * What a SIM is here beside what the OCS says of it: whether it has service (rule S7), and whether
 * it has the mobile plan of the settings (rule I6). Each pair that does not agree is a difference
 * with both sides: no status of the OCS is passed over because it is new.
 */
import type { Problem } from "simplan/ports"
import type { Problems } from "simplan"
import type { Subscriber } from "../api/Api.ts"
import * as Findings from "./Findings.ts"

/** The status that agrees with what is had here; any other one differs. */
export const AGREEING = { inService: "ACTIVE", paused: "SUSPENDED" } as const

/** What the OCS has of the SIM itself. `Unknown`: no such SIM. Null: it has not answered. */
export type Theirs = Pick<Subscriber, "status" | "mobilePlanId"> | "Unknown" | null

interface Of {
  readonly telco: string
  readonly iccid: string
  /** What is had here; null while the SIM is sold or released, which is not compared. */
  readonly expected: Pick<Problems.Expected, "hasMobilePlan" | "owners" | "pausedAt"> | null
  readonly theirs: Theirs
  /** The mobile plan of the settings; null: there is none. */
  readonly mobilePlanId: number | null
}

/** Whether the SIM has service. A SIM that nobody has may have any status. */
export const ofService = ({ expected, iccid, telco, theirs }: Of): ReadonlyArray<Problem.Finding> => {
  if (expected === null || theirs === null) return []
  const { owners, pausedAt } = expected
  if (theirs === "Unknown") {
    return pausedAt === undefined && owners.length === 0 ? [] : [Findings.unknown({ telco, iccid }, pausedAt ?? null)]
  }
  const { status } = theirs
  if (pausedAt === undefined || status === null) return []
  const agreeing = pausedAt === null ? AGREEING.inService : AGREEING.paused
  return status === agreeing ? [] : [Findings.service({ telco, iccid }, pausedAt, status)]
}

/**
 * Whether the SIM has the mobile plan. If it is not applied here, a plan that is not the one of
 * the settings is none of simplan's.
 */
export const ofMobilePlan = ({ expected, iccid, mobilePlanId, telco, theirs }: Of): ReadonlyArray<Problem.Finding> => {
  const isApplied = expected?.hasMobilePlan
  if (isApplied === undefined || theirs === null || theirs === "Unknown" || mobilePlanId === null) return []
  const isThere = theirs.mobilePlanId === mobilePlanId
  return isApplied === isThere
    ? []
    : [Findings.mobilePlan({ telco, iccid }, isApplied ? mobilePlanId : null, theirs.mobilePlanId)]
}
