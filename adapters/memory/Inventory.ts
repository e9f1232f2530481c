/**
 * SIMs: their import, their replacement by commits, and the claims on free ones.
 */
import { type Label, Sim, type Storage } from "simplan"
import * as Tables from "./Tables.ts"
import { makePools, type PoolEntry, type Pools, type SimPlace, type SimRow } from "./Tenant.ts"

type Reported = Required<NonNullable<Storage.Commit["reported"]>>

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

// Brings the SIM's place in a pool to what its row says.
const settle = (tables: Tables.Tables, place: SimPlace, purpose: Purpose): void => {
  const { lease, sim } = place.row
  const { label, organizationId, recycledAt, serial } = sim
  const entry = place.entries[purpose]
  const belongs = isEligible[purpose](sim)
  if (entry === null ? !belongs : belongs && isAsBefore(entry, place.row)) return
  if (entry !== null) poolsOf(tables, organizationId, entry.label)[purpose].remove(entry)
  place.entries[purpose] = belongs ? { place, serial, label, recycledAt, lease } : null
  const next = place.entries[purpose]
  if (next !== null) poolsOf(tables, organizationId, label)[purpose].add(next)
}

const isAsBefore = (entry: PoolEntry, { lease, sim }: SimRow): boolean =>
  entry.lease === lease && entry.recycledAt === sim.recycledAt && entry.label === sim.label

const replace = (tables: Tables.Tables, place: SimPlace, row: SimRow): void => {
  place.row = row
  for (const purpose of purposes) settle(tables, place, purpose)
}

/** Moves on the version of a SIM that stays as it is. */
export const touch = (tables: Tables.Tables, { iccid, organizationId }: Sim.Loaded): void => {
  const place = Tables.simOf(tables, organizationId, iccid)
  if (place !== undefined) put(tables, place.row.sim)
}

/** Writes a SIM that a commit carries, which ends any claim on it. */
export const put = (tables: Tables.Tables, sim: Sim.Sim): void => {
  const place = Tables.simOf(tables, sim.organizationId, sim.iccid)
  if (place !== undefined) replace(tables, place, { sim: { ...sim, version: sim.version + 1 }, lease: null })
}

/** Writes a SIM that is in service from now on, which ends any claim on it. */
export const putIntoService = (
  tables: Tables.Tables,
  { iccid, organizationId, subscriptionId }: Storage.Confirmed
): void => {
  const place = Tables.simOf(tables, organizationId, iccid)
  if (place !== undefined) put(tables, { ...place.row.sim, hold: { _tag: "InService", subscriptionId } })
}

/** Writes what was reported of a SIM, which ends any claim on it. */
export const report = (tables: Tables.Tables, reported: Reported["sims"][number]): void => {
  const place = Tables.simOf(tables, reported.organizationId, reported.iccid)
  if (place === undefined) return
  const { sim } = place.row
  const { downloaded, lastActivityAt, location, smdp } = reported
  put(tables, { ...sim, downloaded, lastActivityAt, smdp: smdp ?? sim.smdp, location: location ?? sim.location })
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
    const place: SimPlace = { row, entries: { subscription: null, "mobile plan": null }, subscriptionId: null }
    tables.sims.set(sim.iccid, place)
    Tables.tenant(tables, sim.organizationId).sims.add({ serial: tables.serial, place })
    for (const purpose of purposes) settle(tables, place, purpose)
    imported.push(sim.iccid)
  }
  return { imported, taken }
}

export const claim = (tables: Tables.Tables, claim: Storage.SimClaim): Storage.ClaimedSims => {
  const pool = poolsOf(tables, claim.organizationId, claim.label)[claim.purpose]
  const chosen: Array<SimPlace> = []
  for (const { place } of pool.open(claim.machineNow)) {
    chosen.push(place)
    if (chosen.length === claim.count) break
  }
  const lease = { token: claim.token, until: claim.until }
  const sims = chosen.map((place) => {
    const sim = { ...place.row.sim, version: place.row.sim.version + 1 }
    replace(tables, place, { sim, lease })
    return sim
  })
  if (sims.length === claim.count) return { sims, shortage: null }
  return { sims, shortage: pool.size === 0 ? "None" : "Busy" }
}

export const handBack = (
  tables: Tables.Tables,
  { held, organizationId }: { readonly organizationId: string; readonly held: ReadonlyArray<Storage.HeldSim> }
): void => {
  for (const { iccid, token } of held) {
    const place = Tables.simOf(tables, organizationId, iccid)
    if (place?.row.lease?.token === token) replace(tables, place, { sim: place.row.sim, lease: null })
  }
}
