/**
 * How often a look at a SIM also asks for its location and for its profile's history: each is a call of its own.
 *
 * The look that finds the first use of a package asks for the location. After further use, and as long as the profile is not
 * installed, a look asks as soon as one that nothing hurries may come: at most every hour where calls are in use (see
 * `PollLoad`). Else every fourth `slowest`, a day by default: a SIM may be moved and a profile be disabled without any use.
 */
import type { Time } from "simplan/ports"
import type * as Look from "./Look.ts"
import type { Limits } from "./PollSchedule.ts"
import type { SimState } from "../reports/SimState.ts"

const often = ({ slowest, spacing }: Limits): number => Math.min(spacing, slowest)
const seldom = ({ slowest }: Limits): number => 4 * slowest

const isOver = (lookedAt: Time.Instant | null, wait: number, now: Time.Instant): boolean =>
  lookedAt === null || now - lookedAt >= wait

export const wantsNetwork = (
  { network: { lookedAt }, packages }: SimState,
  looks: ReadonlyArray<Look.Seen>,
  limits: Limits,
  now: Time.Instant
): boolean => {
  const isFirstUse = looks.some(
    ({ listed, state }) => state.usedBytes > 0 && (packages[String(listed.id)]?.usedBytes ?? 0) === 0
  )
  if (isFirstUse) return true
  const isUsed = looks.some(({ state }) => state.usedBytes > 0 && state.usedAt > (lookedAt ?? 0))
  return isOver(lookedAt, isUsed ? often(limits) : seldom(limits), now)
}

export const wantsProfile = (
  { profile: { isInstalled, lookedAt } }: SimState,
  limits: Limits,
  now: Time.Instant
): boolean => isOver(lookedAt, isInstalled ? seldom(limits) : often(limits), now)
