/**
 * The names and texts of the rules: the interface's seven `active_period` rules, and the rules of
 * the domain about time and purchases.
 *
 * The service has applied the rules; this module only finds out which one applied.
 */
import type { Time } from "simplan"
import { Activation, type Plan, Recurrence } from "simplan/ports"

export interface Rule {
  readonly name: string
  readonly says: string
}

const rule = (name: string, says: string): Rule => ({ name, says })

export const firstUse = rule("rule 1", "without an active_period the package activates at first use")
export const period = rule("rule 2", "start and end are the package's own and override the validity period")
export const recurringFirstUse = rule("rule 3", "a recurring plan without an active_period activates at first use")
export const endIgnored = rule("rule 4", "a recurring plan needs start alone; a given end is ignored")
export const past = rule("rule 5", "start at most 24 hours in the past: the first package is created immediately")
export const soon = rule("rule 6", "start within 12 hours: the first package is created immediately")
export const ahead = rule(
  "rule 7",
  "start more than 12 hours ahead: the first package is created 12 hours before its activation"
)

export const clamped = rule("T1", "months are counted from the anchor and clamped to the month's last day")
export const state = rule("T2", "a state is a function of facts and the clock")
export const begins = rule("T2", "an occurrence is active from its activation up to its expiry")
export const use = rule("T3", "the first use activates, for good; expiry is the validity period later")
export const windowLimits = rule("T4", "start lies before end, and end after now")
export const occurrences = rule("T5", "an occurrence is created 12 hours before it activates, each once")
export const oldest = rule("T5", "a recurring plan starts at most 24 hours in the past")
export const lapsed = rule("T5", "an occurrence whose whole period was over is recorded without a telco call")
export const occurrenceRefused = rule("T5", "a refused occurrence is recorded as refused, and the recurrence goes on")
export const retried = rule("T5", "what the telco cannot take now is asked for again until its period is over")
export const suspended = rule("T7", "a suspension is final, and told the telco until it succeeds")
export const terms = rule("P1", "terms are checked when the plan is made")
export const archived = rule("P2", "a plan that is gone goes on serving the attachments it has")
export const attached = rule("S1", "a plan on a SIM in service is added to its subscription")
export const freeSim = rule("S2", "the oldest free eSIM of the plan's label is chosen")
export const claimed = rule("S2", "an eSIM that was bought goes to a plan of its load, and to no other")
export const deleted = rule("S3", "a subscription is deleted unless its eSIM was downloaded")
export const answered = rule("S5", "a creation is answered when the telco has every package that is due")
export const bought = rule("I15", "a request that finds no free eSIM with the plan's load awaits a purchase")
export const issuing = rule("I15", "the supplier is asked under the purchase's id until it has answered for good")
export const stocked = rule("I15", "what is bought comes into the stock, and whoever is first takes it")
export const unsold = rule("I15", "what the supplier refuses is a problem, and refuses the requests that await it")
export const reported = rule("R1", "usage is a running total per package and only rises")
export const duplicate = rule("R1", "a report whose id was seen before changes nothing")
export const routed = rule(
  "R1",
  "a use counts for the package that is active, else for one that waits for its first use"
)
export const thresholds = rule("R2", "50, 80 and 100 % are told once each, for plans that do not recur")
export const changed = rule("R3", "a change of country or SM-DP+ state is told")
export const throttled = rule("plan", "past a threshold the speed is held at its limit")

/** The rules among the seven that apply to a request at `now`. */
export const activePeriod = (
  terms: Pick<Plan.PlanTerms, "recurrence">,
  request: Activation.Request | null,
  now: Time.Instant
): ReadonlyArray<Rule> => {
  if (terms.recurrence === null) return [request === null ? firstUse : period]
  if (request === null) return [recurringFirstUse]
  const ignored = request.end === null ? [] : [endIgnored]
  if (request.start === null) return [endIgnored]
  if (request.start < now - Activation.PAST_LIMIT) return [oldest]
  if (request.start <= now) return [past, ...ignored]
  return [request.start <= now + Recurrence.PROVISIONING_LEAD ? soon : ahead, ...ignored]
}

/** A rule in one line. */
export const inWords = ({ name, says }: Rule): string => `${name}: ${says}`
