/**
 * Whether the bundle that a plan is can still be bought as the plan has it (rule P6). A job
 * compares it with the catalogue of its telco each hour. What has changed for the worse is a
 * problem, once, until it is as before: meanwhile nothing is bought for the plan.
 */
import * as Amount from "./Amount.ts"
import type { NewJob } from "./Decision.ts"
import * as Jobs from "./Job.ts"
import type { Job } from "./Job.ts"
import type { Bundle, Plan, Sold } from "./Plan.ts"
import { REFUSALS } from "./Problem.ts"
import { beyond, type SoldBundle } from "./SoldBundle.ts"
import { HOUR, type Instant } from "./Time.ts"

/** How long after a check the next one is due, in milliseconds. */
export const EVERY = HOUR

/** The bundle as it is in the telco's catalogue now, for a plan that becomes it. */
export const soldBy = (telco: string, { countries, dataBytes, days }: SoldBundle): Sold => ({
  ...{ telco, countries, dataBytes, days }
})

/** The id of the job that compares the plan's bundle. */
export const jobId = (planId: string): string => `bundle:${planId}`

/** The id of the job of the problem of the plan's bundle. */
export const problemId = (planId: string): string => `review:bundle/${planId}`

/**
 * The job that compares the bundle of a plan that has become it at `now`; none if it is in no
 * catalogue.
 */
export const jobs = ({ bundle, planId }: Pick<Plan, "bundle" | "planId">, now: Instant): ReadonlyArray<NewJob> =>
  bundle?.sold === undefined
    ? []
    : [{ jobId: jobId(planId), work: { _tag: "CheckBundle", planId }, dueAt: now + EVERY }]

const lasting = ({ dataBytes, days }: Pick<Sold, "dataBytes" | "days">): string =>
  `${dataBytes === null ? "unlimited data" : `${dataBytes} bytes`} for ${days === null ? "no days that it says" : `${days} days`}`

/** What has changed for the worse; null: nothing. `now` is undefined if it is sold no more. */
const change = ({ limit, load }: Bundle, before: Sold, now: SoldBundle | undefined): string | null => {
  if (now === undefined) return `${before.telco} sells ${load} no more`
  const price = beyond(now, limit)
  if (price !== null && limit !== null) {
    return `${load} costs ${Amount.text(price)} at ${before.telco} by now, and the limit is ${Amount.text(limit)}`
  }
  if (now.dataBytes !== before.dataBytes || now.days !== before.days) {
    return `${load} of ${before.telco} has ${lasting(now)} by now, and had ${lasting(before)}`
  }
  const lost = before.countries.filter((one) => !now.countries.includes(one)).join(", ")
  return lost === "" ? null : `${load} of ${before.telco} is not for ${lost} any more`
}

/** Why the plan is not bought any more, for who reads the problem or is refused; null: it is. */
export const complaint = ({ bundle, terms }: Plan, bundles: ReadonlyArray<SoldBundle>): string | null => {
  if (bundle?.sold === undefined) return null
  const now = bundles.find(({ code }) => code === bundle.load)
  const why = change(bundle, bundle.sold, now)
  return why === null ? null : `The plan ${terms.name} is sold no more: ${why}`
}

/** Rule S6: the job of the problem, which has ended already. */
export const problem = (
  { organizationId, planId }: Pick<Plan, "organizationId" | "planId">,
  message: string,
  now: Instant
): Job => ({
  ...Jobs.make(
    { jobId: problemId(planId), work: { _tag: "CheckBundle", planId }, dueAt: now },
    { organizationId, createdAt: now }
  ),
  refused: { times: REFUSALS, since: now, message },
  endedAt: now
})
