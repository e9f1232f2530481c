/**
 * SIMs: their import, their replacement by commits, and the claims on free ones.
 */
import { type Label, Sim, type Storage } from "simplan"
import * as Tables from "./Tables.ts"
import { makePools, orders, type Pools, type SimPlace, type SimRow } from "./Tenant.ts"

type Purpose = keyof Pools

const purposes: ReadonlyArray<Purpose> = ["subscription", "mobile plan"]

const isEligible: { readonly [P in Purpose]: (sim: Sim.Sim) => boolean } = {
  subscription: Sim.isFree,
  "mobile plan": (sim) => sim.isEsim && sim.mobilePlan._tag === "Settled" && !sim.mobilePlan.applied
}

const poolsOf = (tables: Tables.Tables, organizationId: string, label: Label.Label): Pools => {
  const { pools } = Tables.tenant(tables, organizationId)
  const known = pools.get(label)
  if (known !== undefined) return known
  const made = makePools()
  pools.set(label, made)
  return made
}

const enter = (tables: Tables.Tables, row: SimRow): void => {
  const pools = poolsOf(tables, row.sim.organizationId, row.sim.label)
  for (const purpose of purposes) if (isEligible[purpose](row.sim)) pools[purpose].add(row)
  if (row.lease === null) return
  const claimed = tables.claims.get(row.lease.token)
  if (claimed === undefined) tables.claims.set(row.lease.token, new Set([row.sim.iccid]))
  else claimed.add(row.sim.iccid)
}

const leave = (tables: Tables.Tables, row: SimRow): void => {
  const pools = poolsOf(tables, row.sim.organizationId, row.sim.label)
  for (const purpose of purposes) if (isEligible[purpose](row.sim)) pools[purpose].remove(row)
  if (row.lease === null) return
  const claimed = tables.claims.get(row.lease.token)
  claimed?.delete(row.sim.iccid)
  if (claimed?.size === 0) tables.claims.delete(row.lease.token)
}

const replace = (tables: Tables.Tables, place: SimPlace, row: SimRow): void => {
  leave(tables, place.row)
  place.row = row
  enter(tables, row)
}

/** Writes a SIM that a commit carries, which ends any claim on it. */
export const put = (tables: Tables.Tables, sim: Sim.Sim): void => {
  const place = Tables.simOf(tables, sim.organizationId, sim.iccid)
  if (place !== undefined) replace(tables, place, { sim: { ...sim, version: sim.version + 1 }, lease: null })
}

export const importSims = (tables: Tables.Tables, sims: ReadonlyArray<Storage.NewSim>): Storage.ImportOutcome => {
  const imported: Array<string> = []
  const taken: Array<{ readonly iccid: string; readonly organizationId: string }> = []
  for (const { ...sim } of sims) {
    const owner = tables.sims.get(sim.iccid)?.row.sim.organizationId
    if (owner !== undefined) {
      taken.push({ iccid: sim.iccid, organizationId: owner })
      continue
    }
    tables.serial++
    const row: SimRow = { sim: { ...sim, serial: tables.serial, version: 1 }, lease: null }
    const place: SimPlace = { row, subscriptionId: null }
    tables.sims.set(sim.iccid, place)
    Tables.tenant(tables, sim.organizationId).sims.add({ serial: tables.serial, place })
    enter(tables, row)
    imported.push(sim.iccid)
  }
  return { imported, taken }
}

type Claim = Parameters<Storage.Storage["Service"]["claimSim"]>[0]

export const claim = (tables: Tables.Tables, claim: Claim): Storage.ClaimOutcome => {
  const pool = poolsOf(tables, claim.organizationId, claim.label)[claim.purpose]
  const row = firstOf(tables, pool.open(claim.machineNow), claim)
  if (row === undefined) return pool.size === 0 ? { _tag: "None" } : { _tag: "Busy" }
  const sim = { ...row.sim, version: row.sim.version + 1 }
  const place = tables.sims.get(sim.iccid)
  if (place !== undefined) replace(tables, place, { sim, lease: { token: claim.token, until: claim.until } })
  return { _tag: "Claimed", sim }
}

// The first SIM in order that is open, or under a claim of the same token.
const firstOf = (tables: Tables.Tables, open: Iterable<SimRow>, claim: Claim): SimRow | undefined => {
  let first: SimRow | undefined
  for (const row of open) {
    first = row
    break
  }
  for (const iccid of tables.claims.get(claim.token) ?? []) {
    const row = Tables.simOf(tables, claim.organizationId, iccid)?.row
    if (row === undefined || row.sim.label !== claim.label || !isEligible[claim.purpose](row.sim)) continue
    if (first === undefined || orders[claim.purpose](row, first) < 0) first = row
  }
  return first
}
