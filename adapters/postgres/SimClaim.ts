/**
 * The claim of a SIM that nobody else is given meanwhile.
 */
import { Effect } from "effect"
import type { Label, Sim, Storage } from "simplan"
import type { Database, Row, Sql } from "./Database.ts"
import * as Sims from "./Sims.ts"

export interface Claim {
  readonly organizationId: string
  readonly label: Label.Label
  readonly purpose: "subscription" | "mobile plan"
  readonly token: string
  readonly machineNow: number
  readonly until: number
}

/** Which SIMs serve the purpose, and in which order; each has a partial index of this very shape. */
const purposes = {
  subscription: {
    fits: `sim.is_esim and sim.hold = 'Free' and not sim.downloaded`,
    order: `sim.recycled_at nulls first, sim.serial`
  },
  "mobile plan": {
    fits: `sim.is_esim and not sim.mobile_plan_applied and sim.mobile_plan_target is null`,
    order: `sim.serial`
  }
} as const

interface Outcome {
  readonly claimed: Sim.Sim | null
  /** Whether there is one that fits, in the snapshot: past claims and locks. */
  readonly fitting: true | null
}

// `fitting` has an order for the planner's sake, which would else read the table as a whole where it expects to find
// one soon; it takes the order out of an `exists`.
const statement = (sql: Sql, of: Claim) => {
  const fits = sql.literal(purposes[of.purpose].fits)
  const order = sql.literal(purposes[of.purpose].order)
  return sql<Row<Outcome>>`
    with chosen as (
      select sim.organization_id, sim.iccid
      from simplan.sim
      where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        and (sim.claim_until is null or sim.claim_until <= ${of.machineNow}::bigint or sim.claim_token = ${of.token})
      order by ${order}
      limit 1
      for update skip locked
    ), claimed as (
      update simplan.sim set
        claim_token = ${of.token}, claim_until = ${of.until}::bigint, version = sim.version + 1
      from chosen
      where sim.organization_id = chosen.organization_id and sim.iccid = chosen.iccid
      returning ${sql.literal(Sims.value)} as value
    )
    select json_build_object(
      'claimed', (select claimed.value from claimed),
      'fitting', (
        select true from simplan.sim
        where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        order by ${order}
        limit 1
      )
    ) as value`
}

export const run = (database: Database) => (of: Claim) =>
  Effect.map(
    database.write((sql) => statement(sql, of)),
    ([outcome]): Storage.ClaimOutcome => {
      if (outcome?.claimed) return { _tag: "Claimed", sim: outcome.claimed }
      return outcome?.fitting ? { _tag: "Busy" } : { _tag: "None" }
    }
  )
