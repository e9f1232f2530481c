/**
 * Returning eSIMs that were bought and that nobody has used (rule I15). The SIM is withdrawn before
 * its supplier is asked, and nobody gets it again unless the supplier refuses: it is never both
 * returned and sold.
 */
import { Result } from "effect"
import { type Change, differences } from "./AuditEntry.ts"
import * as Cost from "./Cost.ts"
import type { Decision } from "./Decision.ts"
import type { Work } from "./Job.ts"
import { NotSupported, type Refusing, SimBusy, SimInUse } from "./Refusal.ts"
import { holder, isGivenBack, isInService, isOut, type Returned, type Sim } from "./Sim.ts"
import { DAY, type Instant } from "./Time.ts"

type ReturnSim = Extract<Work, { readonly _tag: "ReturnSim" }>

/** A SIM that is withdrawn, because its supplier has it back or is asked to take it. */
export const withReturn = <Of extends Pick<Sim, "purchase">>(
  sim: Of,
  returned: Returned
): Of & Pick<Sim, "allocation" | "purchase"> => ({
  ...sim,
  allocation: { _tag: "Withdrawn", reason: "returned", ending: null },
  purchase: sim.purchase === null ? null : { ...sim.purchase, returned }
})

const becoming = (sim: Sim, returned: Returned): Decision => ({
  sim: { loaded: { sim }, next: { sim: withReturn(sim, returned) } }
})

/**
 * Withdraws the SIM, and has its supplier asked to take it back by a job of this id. Null: it is
 * being returned already, or was. `NotSupported` if it was not bought, or shows a sign of a
 * download.
 */
export const begin = (sim: Sim, returnId: string, now: Instant): Result.Result<Decision | null, Refusing<"return">> => {
  const { allocation, downloaded, iccid, label, purchase } = sim
  const refuse = (why: string) => Result.fail(new NotSupported({ message: `The SIM ${iccid} ${why}` }))
  if (isInService(sim)) return Result.fail(new SimInUse({ iccid }))
  if (holder(allocation) !== null) return Result.fail(new SimBusy({ iccid }))
  if (purchase === null) return refuse("was not bought of a supplier, so none takes it back")
  if (isGivenBack(sim)) return Result.succeed(null)
  if (downloaded) return refuse("shows a sign of a download, so its supplier takes it back no more")
  const work: ReturnSim = { _tag: "ReturnSim", iccid, purchaseId: purchase.purchaseId, charged: { label, purchase } }
  const jobs = [{ jobId: `return:${returnId}`, work, dueAt: now }]
  return Result.succeed({ ...becoming(sim, "pending"), jobs })
}

/** What the job has to do. */
export type Step =
  /** Nobody else gets the SIM: its supplier is asked. */
  | { readonly _tag: "Ask" }
  /** An operator has the supplier asked again, which has refused: nobody gets the SIM meanwhile. */
  | { readonly _tag: "Hold"; readonly decision: Decision }
  /** It was returned, is available again, or is another one by now. */
  | { readonly _tag: "Nothing" }

const isAnother = (sim: Sim, { purchaseId }: ReturnSim): boolean => sim.purchase?.purchaseId !== purchaseId

/**
 * What is to be done for the return of a SIM, as it is stored. If its ICCID was sold again, its
 * supplier has it back and is asked whether it was credited: an answer was lost.
 */
export const step = (sim: Sim | null, work: ReturnSim): Step => {
  if (sim === null) return { _tag: "Nothing" }
  if (isAnother(sim, work)) return { _tag: work.charged === undefined ? "Nothing" : "Ask" }
  if (!isOut(sim) || sim.purchase === null) return { _tag: "Nothing" }
  switch (sim.purchase.returned) {
    case "pending":
    case "asked":
      return { _tag: "Ask" }
    case "refused":
      return { _tag: "Hold", decision: becoming(sim, "pending") }
    default:
      return { _tag: "Nothing" }
  }
}

/**
 * What the supplier had said before, and whether the answer is new. While its people decide, only
 * their decision is. `before` is null if the SIM is another one by now.
 */
const news = (sim: Sim, work: ReturnSim, returned: Returned) => {
  const before = isAnother(sim, work) ? null : (sim.purchase?.returned ?? null)
  const isDecided = returned === "credit" || returned === "none"
  return { before, isNew: isDecided || (before !== null && before !== "asked" && before !== returned) }
}

/**
 * The supplier has answered. What it credits is in the ledger (rule C1). A SIM that is another by
 * now stays as it is.
 */
export const ended = (sim: Sim | null, work: ReturnSim, returned: Returned, now: Instant): Decision => {
  if (sim === null || step(sim, work)._tag === "Nothing") return {}
  const { before, isNew } = news(sim, work, returned)
  const { iccid, organizationId } = sim
  const of = { iccid, organizationId, ...(work.charged ?? sim) }
  return {
    ...(before !== null && isNew && becoming(sim, returned)),
    ...(returned === "credit" && { ledger: Cost.refund(of, now) })
  }
}

/** For how long a supplier is asked what its people have decided, from the return on. */
const DECIDED = 90 * DAY

/** When the supplier is asked again; null: what it said is all that there will be. */
export const askedAgainAt = (returned: Returned, since: Instant, now: Instant): Instant | null =>
  returned === "asked" && now + DAY <= since + DECIDED ? now + DAY : null

/** Rule W11: that the SIM is to be returned, and what its supplier has said. */
export const change = (
  { iccid, organizationId }: Pick<Sim, "iccid" | "organizationId">,
  [before, after]: readonly [string | null, string]
): Change => ({
  organizationId,
  action: "sim.return",
  resourceId: iccid,
  iccid,
  changed: differences({ return: before }, { return: after })
})

/** Rule W11: what the supplier has said; null: nothing new. */
export const answer = (sim: Sim | null, work: ReturnSim, returned: Returned): Change | null => {
  if (sim === null) return null
  const { before, isNew } = news(sim, work, returned)
  return isNew ? change(sim, [before ?? "pending", returned]) : null
}
