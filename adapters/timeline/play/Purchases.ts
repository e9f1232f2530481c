/**
 * Observes what is bought of suppliers for an organization (rule I15): from when an eSIM is asked
 * for until it is refused, or is in the stock and is claimed. What is outstanding comes from the
 * jobs, refusals from the telco's records, and the rest from the SIMs.
 */
import { Effect } from "effect"
import { Sims, type Time } from "simplan"
import { Amount, type Job, Sim } from "simplan/ports"
import type { Simulated } from "simplan/testing"
import type { Entry } from "./History.ts"
import * as Rules from "./Rules.ts"
import * as Wording from "../Wording.ts"

type Change = Omit<Entry, "at" | "attachment">

/** More purchases than are outstanding at once. */
const MOST = 1_000

const change = (what: string, rule: Rules.Rule, kind: Entry["kind"] = "purchase"): Change => ({
  kind,
  what,
  rules: [rule]
})

const asked = (load: string): Change => change(`an eSIM with ${load} is asked for: none is free`, Rules.bought)

const waits = (load: string, { message }: Job.Waiting, dueAt: Time.Instant): Change =>
  change(`the eSIM with ${load} is not sold yet: ${message}; asked again at ${Wording.instant(dueAt)}`, Rules.issuing)

const costs = ({ cost }: Sim.Purchase): string => (cost === null ? "" : ` for ${Amount.text(cost)}`)

/** Observes the purchases of an organization; each observation gives what is new. */
export const watch = (simulated: Simulated.Simulated, organizationId: string) => {
  const inventory = simulated.iccids(organizationId).length
  const known = new Set<string>()
  const attempts = new Map<string, number>()
  /** Whether each eSIM that was bought was free. */
  const free = new Map<string, boolean>()
  let seen = 0

  const first = (purchaseId: string, load: string): ReadonlyArray<Change> => {
    if (known.has(purchaseId)) return []
    known.add(purchaseId)
    return [asked(load)]
  }

  const outstanding = (job: Job.Job): ReadonlyArray<Change> => {
    const { attempts: tried, dueAt, waiting, work } = job
    if (work._tag !== "BuySim") return []
    const { load, purchaseId } = work
    const isNew = attempts.get(purchaseId) !== tried
    attempts.set(purchaseId, tried)
    return [...first(purchaseId, load), ...(isNew && waiting !== null ? [waits(load, waiting, dueAt)] : [])]
  }

  const recorded = (record: Simulated.TelcoRecord): ReadonlyArray<Change> => {
    if (record.kind !== "sale" || record.organizationId !== organizationId) return []
    const { key, load, refusal } = record
    const refused =
      refusal === null ? [] : [change(`the eSIM with ${load} is refused: ${refusal}`, Rules.unsold, "failure")]
    return [...first(key, load), ...refused]
  }

  const stocked = (sim: Sim.Sim): ReadonlyArray<Change> => {
    const { iccid, purchase } = sim
    if (purchase === null) return []
    const { load } = purchase
    const [was, is] = [free.get(iccid), Sim.isFree(sim)]
    free.set(iccid, is)
    return [
      ...(was === undefined
        ? [
            change(
              `the eSIM ${iccid} is bought with ${load}${costs(purchase)}, and comes into the stock`,
              Rules.stocked
            )
          ]
        : []),
      ...(was !== false && !is ? [change(`the eSIM ${iccid} is claimed with ${load}`, Rules.claimed)] : []),
      ...(was === false && is ? [change(`the eSIM ${iccid} is free with ${load} again`, Rules.deleted)] : [])
    ]
  }

  return Effect.gen(function* () {
    const jobs = yield* Effect.orDie(simulated.storage.jobs.purchases({ organizationId, limit: MOST }))
    const records = simulated.telcoRecords(seen)
    seen += records.length
    const sims = yield* Effect.forEach(simulated.iccids(organizationId).slice(inventory), (iccid) =>
      // Failure: one whose sale was not answered is not here yet.
      Effect.option(simulated.use(Sims.Sims.use((of) => of.get({ organizationId, iccid }))))
    )
    return [
      ...records.flatMap(recorded),
      ...jobs.flatMap(outstanding),
      ...sims.flatMap((sim) => (sim._tag === "Some" ? stocked(sim.value) : []))
    ]
  })
}
