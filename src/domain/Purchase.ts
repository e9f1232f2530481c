/**
 * Buying eSIMs of suppliers (rule I15). A supplier sells an eSIM only together with its first
 * bundle, the load. What was bought is a free SIM of the stock with that load, for whoever asks
 * next: a lost answer can only make it late, and nothing of it is ever undone.
 *
 * A purchase is a job until the supplier has answered it for good. A request that finds no free
 * SIM awaits a purchase: one that is outstanding and that nobody awaits, else one more. So there
 * are never more purchases than requests that waited at once.
 */
import * as Cost from "./Cost.ts"
import type { NewJob } from "./Decision.ts"
import * as Id from "./Id.ts"
import type { Job, Refusals, Work } from "./Job.ts"
import type { Bundle, PlanTerms } from "./Plan.ts"
import { ended } from "./Problem.ts"
import {
  changeOfPlan,
  changeOfService,
  imported,
  isOut,
  isUsed,
  type Purchase,
  type Sim,
  type WantedLoad
} from "./Sim.ts"
import type { SimIdentities } from "./SimIdentities.ts"
import { DAY, type Instant } from "./Time.ts"

/** A SIM that has to be put into use within this time is given to nobody any more, in ms. */
const MARGIN = DAY

/** Rule S2: what has to be put into use by then is sold no more. */
export const sellAfter = (now: Instant): Instant => now + MARGIN

/** From when on a SIM that has to be put into use at an instant is sold no more (rule I11). */
export const lapsesAt = (sellBy: Instant): Instant => sellBy - MARGIN

/** Rule S2: the load that a SIM is taken with. */
export const wantedLoad = (load: string, now: Instant): WantedLoad => ({ load, sellAfter: sellAfter(now) })

/** The job that buys a SIM. */
export const jobId = (purchaseId: string): string => `buy:${purchaseId}`

/** Whether the supplier may be asked only if the purchase is within the limits: it never was. */
export const isToBeAdmitted = ({ attempts, refused }: Job, { isLimited }: BuySim): boolean =>
  isLimited === true && attempts === 0 && refused === null

/** The work of a purchase. */
export type BuySim = Extract<Work, { readonly _tag: "BuySim" }>

/** What a SIM is bought for: a plan of the organization, as it is now. */
export const job = (
  purchaseId: string,
  { label, regionCode }: Pick<PlanTerms, "label"> & Partial<Pick<PlanTerms, "regionCode">>,
  { limit, load }: Bundle,
  now: Instant,
  isLimited = false
): NewJob => ({
  jobId: jobId(purchaseId),
  work: {
    ...{ _tag: "BuySim", purchaseId, label, load, limit },
    ...(regionCode !== undefined && { regionCode }),
    ...(isLimited && { isLimited })
  },
  dueAt: now
})

/** Why nothing with a load is sold to the organization, whichever purchase asks for it. */
const reasonsOfLoad = ["sold_out", "no_balance"] as const

/** Which load of a label an organization cannot buy. */
type OfLoad = Pick<Job, "organizationId"> & Pick<BuySim, "label" | "load">

const problemId = ({ label, load, organizationId }: OfLoad, reason: string): string =>
  `review:purchase/${organizationId}/${label}/${reason}/${load}`

/** The ids of the problems that there may be of a load: one for each reason. */
export const problemIds = (of: OfLoad): ReadonlyArray<string> => reasonsOfLoad.map((reason) => problemId(of, reason))

/**
 * The job of the problem that a refusal of the job is (rules S6 and I16): one for a load and a
 * reason, however many purchases are refused, else the job itself.
 */
export const problem = (
  job: Job,
  { label, load }: Pick<BuySim, "label" | "load">,
  said: Pick<Refusals, "message" | "reason" | "soldBy">,
  now: Instant
): Job => {
  const shared = reasonsOfLoad.find((reason) => reason === said.reason)
  const { organizationId } = job
  return {
    ...job,
    jobId: shared === undefined ? job.jobId : problemId({ organizationId, label, load }, shared),
    attempts: job.attempts + 1,
    ...ended(job, said, now),
    waiting: null
  }
}

/** What the supplier says of a SIM that it has sold. */
export interface Sold extends SimIdentities, Pick<Purchase, "sellBy" | "cost" | "telco"> {
  readonly iccid: string
  readonly lpa: string
}

/** What a SIM was bought by: the work, and the id that the supplier was asked under. */
export interface Bought extends Pick<BuySim, "label" | "load" | "regionCode"> {
  readonly purchaseId: string
}

/** The SIM that was bought, as it comes into the stock. */
export const stocked = (
  { label, load, purchaseId, regionCode }: Bought,
  { cost, iccid, imsi, lpa, msisdn, sellBy, subscriberId, telco }: Sold,
  of: Pick<Sim, "organizationId" | "simId" | "createdAt">
): Omit<Sim, "importSequence" | "version"> => {
  const known = { ...(telco !== undefined && { telco }), ...(regionCode !== undefined && { regionCode }) }
  return imported({
    ...of,
    ...{ iccid, label, isEsim: true, lpa, imsi, msisdn, subscriberId },
    purchase: { purchaseId, load, sellBy, cost, boughtAt: of.createdAt, ...known }
  })
}

/** Rule C1: what the supplier has charged for the SIM, whether or not it is in the stock. */
export const charged = (
  { label, load, purchaseId, regionCode }: Bought,
  { cost: amount, iccid, telco }: Sold,
  { organizationId }: Pick<Sim, "organizationId">,
  now: Instant
): Cost.Booking => {
  const of = { organizationId, purchaseId, load, label, iccid, amount }
  return { put: [Cost.purchase({ ...of, telco: telco ?? null, regionCode: regionCode ?? null }, now)] }
}

/** An eSIM that would be bought, for a preview (rule S9): it has no ICCID and no code yet. */
export const unbought = (of: Pick<Sim, "organizationId" | "simId" | "createdAt" | "label">, load: string): Sim => {
  const none = { iccid: "", lpa: "", imsi: null, msisdn: null, subscriberId: null, sellBy: null, cost: null }
  return { ...stocked({ purchaseId: "", label: of.label, load }, none, of), importSequence: 0, version: 0 }
}

/**
 * The id of the SIM that a purchase brings, if it is a new one. It follows from the id under which
 * the supplier was asked, which has a count behind a colon once it has refused.
 */
export const simId = ({ purchaseId }: Pick<Bought, "purchaseId">): string => {
  const [id = "", refusals = "0"] = purchaseId.split(":")
  return Id.following(id, Number(refusals))
}

/**
 * Whether the purchase has brought the SIM into the stock already, as a new one or as one that was
 * there. It stays so if the SIM was returned and another purchase has brought it again since: then
 * what the first one bought is gone.
 */
export const hasBrought = (bought: Pick<Bought, "purchaseId">, sim: Pick<Sim, "purchase" | "simId">): boolean =>
  sim.simId === simId(bought) || sim.purchase?.purchaseId === bought.purchaseId

/** Whether what a SIM was bought with has to be in use by now: its supplier has taken it back. */
const isLapsed = ({ purchase }: Sim, now: Instant): boolean => (purchase?.sellBy ?? Number.POSITIVE_INFINITY) <= now

const isSettled = ({ mobilePlan, service }: Sim): boolean =>
  changeOfPlan(mobilePlan) === null && changeOfService(service) === null

/**
 * Whether an eSIM that the inventory has is another one by now, if a supplier sells its ICCID:
 * nobody has it, and nobody could get it.
 */
const isGone = (sim: Sim, now: Instant): boolean =>
  sim.isEsim && isSettled(sim) && (isOut(sim) || (!isUsed(sim) && isLapsed(sim, now)))

/**
 * The eSIM that a supplier has sold anew under an ICCID that the organization had: as one that is
 * new, but for its id, its place in the order of import and its moves. Null: it is not gone yet.
 */
export const revived = (stored: Sim, bought: Bought, sold: Sold, now: Instant): Sim | null => {
  if (!isGone(stored, now)) return null
  const { createdAt, moves, organizationId, simId } = stored
  return { ...stored, ...stocked(bought, sold, { organizationId, simId, createdAt: now }), createdAt, moves }
}

/** Whether what happened at that instant was before the SIM was bought: it is of nobody here. */
export const isBefore = (at: Instant, { purchase }: Pick<Sim, "purchase">): boolean =>
  purchase !== null && at < purchase.boughtAt
