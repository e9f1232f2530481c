/**
 * The SIM inventory: import, pages, and reservations of eSIMs.
 */
import { type AuditEntry, Sim, type Storage } from "simplan/ports"
import { byNumber, type Order } from "./SortedList.ts"
import * as Tables from "./Tables.ts"

export const importSims = (
  tables: Tables.Tables,
  sims: ReadonlyArray<Storage.NewSim>,
  auditEntry?: AuditEntry.AuditEntry
): Storage.ImportOutcome => {
  const imported: Array<string> = []
  const taken: Array<Storage.ImportOutcome["taken"][number]> = []
  for (const sim of sims) {
    const { iccid, organizationId } = sim
    const known = tables.sims.get(iccid)
    if (known !== undefined) {
      taken.push({ iccid, organizationId: known.aggregate.sim.organizationId })
      continue
    }
    const tenant = Tables.tenant(tables, organizationId)
    const importSequence = ++tenant.lastImportSequence
    const row = {
      aggregate: { sim: { ...sim, importSequence, version: 1 }, subscription: null, attachments: [] },
      reservation: null
    }
    tables.sims.set(iccid, row)
    tenant.sims.add({ importSequence, row })
    imported.push(iccid)
  }
  if (imported.length > 0 && auditEntry !== undefined) Tables.keepEntry(tables, auditEntry)
  return { imported, taken }
}

const isSuitable: { readonly [Purpose in Storage.ReservationRequest["purpose"]]: (sim: Sim.Sim) => boolean } = {
  subscription: Sim.isFree,
  "mobile plan": (sim) => sim.isEsim && sim.mobilePlan._tag === "Settled" && !sim.mobilePlan.applied
}

const byImportSequence: Order<Sim.Sim> = (left, right) => byNumber(left.importSequence, right.importSequence)

// Rule S2: never used ones first, then the longest recycled.
const byRecycling: Order<Sim.Sim> = (left, right) =>
  byNumber(left.recycledAt ?? Number.NEGATIVE_INFINITY, right.recycledAt ?? Number.NEGATIVE_INFINITY) ||
  byImportSequence(left, right)

export const reserve = (tables: Tables.Tables, claim: Storage.ReservationRequest): Storage.ReservedSims => {
  const { count, label, machineNow, organizationId, purpose, token, until } = claim
  const order = purpose === "subscription" ? byRecycling : byImportSequence
  const suitable: Array<Tables.SimRow> = []
  for (const { row } of Tables.tenant(tables, organizationId).sims.after(null)) {
    if (row !== null && row.aggregate.sim.label === label && isSuitable[purpose](row.aggregate.sim)) suitable.push(row)
  }
  const rows = suitable
    .filter(({ reservation }) => reservation === null || reservation.until <= machineNow)
    .sort((left, right) => order(left.aggregate.sim, right.aggregate.sim))
    .slice(0, count)
  for (const row of rows) {
    const { sim } = row.aggregate
    row.aggregate = { ...row.aggregate, sim: { ...sim, version: sim.version + 1 } }
    row.reservation = { token, until }
  }
  const sims = rows.map(({ aggregate }) => aggregate.sim)
  return { sims, shortage: sims.length === count ? null : suitable.length === 0 ? "None" : "Busy" }
}

export const release = (
  tables: Tables.Tables,
  {
    organizationId,
    reservations
  }: { readonly organizationId: string; readonly reservations: ReadonlyArray<Storage.SimReservation> }
): void => {
  for (const { iccid, token } of reservations) {
    const row = Tables.simOf(tables, organizationId, iccid)
    if (row?.reservation?.token === token) row.reservation = null
  }
}
