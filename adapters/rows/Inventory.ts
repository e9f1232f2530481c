/**
 * The SIM inventory over rows: import and reservations.
 */
import { type AuditEntry, Label, Sim, type SimAggregate, Stock, type Storage } from "simplan/ports"
import { take } from "./Lists.ts"
import * as Rows from "./Rows.ts"
import type { RowStore } from "./RowStore.ts"

/** The place after the SIM with an import sequence: nothing has the next one and no id. */
export const placeAfter = (importSequence: number): Storage.CreatedCursor => ({ createdAt: importSequence + 1, id: "" })

const lastImportSequence = (store: RowStore, organizationId: string): number => {
  for (const { value } of store.list("sim", organizationId, null, "descending")) return value.sim.importSequence
  return 0
}

export const importSims = (
  store: RowStore,
  sims: ReadonlyArray<Storage.NewSim>,
  auditEntry?: AuditEntry.AuditEntry
): Storage.ImportOutcome => {
  const imported: Array<string> = []
  const updated: Array<string> = []
  const taken: Array<Storage.ImportOutcome["taken"][number]> = []
  const differing: Array<Storage.ImportOutcome["differing"][number]> = []
  const named = new Set<string>()
  const last = new Map<string, number>()
  for (const sim of sims) {
    const { iccid, organizationId } = sim
    const isFirst = !named.has(iccid)
    named.add(iccid)
    const known = store.find("sim", iccid)
    if (known !== null) {
      const before = known.value.sim
      const next = Sim.importedAgain(before, sim)
      if (isFirst && before.organizationId === organizationId && Sim.difference(before, sim) !== null) {
        differing.push({ iccid, label: before.label, isEsim: before.isEsim, lpa: before.lpa })
      }
      if (!isFirst || before.organizationId !== organizationId || Sim.isUnchangedByImport(before, next)) {
        taken.push({ iccid, organizationId: before.organizationId })
        continue
      }
      store.put("sim", { ...known.value, sim: next }, known.lease)
      updated.push(iccid)
      continue
    }
    const importSequence = (last.get(organizationId) ?? lastImportSequence(store, organizationId)) + 1
    last.set(organizationId, importSequence)
    store.put("sim", { sim: { ...sim, importSequence, version: 1 }, subscription: null, attachments: [] }, null)
    imported.push(iccid)
  }
  if (imported.length + updated.length > 0 && auditEntry !== undefined) {
    const known = store.find("auditEntry", auditEntry.entryId, auditEntry.organizationId)
    if (known === null) store.put("auditEntry", auditEntry, null)
  }
  return { imported, updated, taken, differing }
}

/**
 * How many free eSIMs are counted of a label, and among how many SIMs it is searched if there is
 * none.
 */
const COUNTED = 1_000

const first = <A>(rows: Iterable<A>): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (const row of rows) if (taken.push(row) >= COUNTED) break
  return taken
}

/** How many eSIMs of a label are free and can be sold, with a load if one is wanted. */
export const countFree = (
  store: RowStore,
  { atMost, load, sellAfter, ...of }: Parameters<Storage.Sims["countFree"]>[0]
): number =>
  take(store.waiting("sim", Rows.freeSims(of)), atMost, (found) => {
    const { sim } = Rows.supplied(found)
    const fits = load === undefined ? Sim.isSellable(sim, sellAfter) : Sim.hasLoad(sim, { load, sellAfter })
    return fits ? found : null
  }).length

export const stockOf = (
  store: RowStore,
  { organizationId, sellAfter }: Storage.OfOrganization & Storage.Selling
): ReadonlyArray<Sim.Stock> => {
  const some = new Set<Label.Label>()
  for (const { value } of first(store.list("sim", organizationId, null, "ascending")))
    if (value.sim.isEsim) some.add(value.sim.label)
  return Label.labels.flatMap((label) => {
    const free = countFree(store, { organizationId, label, sellAfter, atMost: COUNTED })
    return free > 0 || some.has(label) ? [{ organizationId, label, free }] : []
  })
}

export const counts = (
  store: RowStore,
  { organizationId, sellAfter }: Storage.OfOrganization & Storage.Selling
): ReadonlyArray<Stock.Count> => {
  const found = new Map<string, Stock.Count>()
  for (const { value } of store.list("sim", organizationId, null, "ascending")) {
    const { sim } = Rows.supplied(value)
    const { isEsim, label } = sim
    const state = Stock.stateOf(sim, sellAfter)
    const key = `${label} ${isEsim} ${state}`
    found.set(key, { label, isEsim, state, count: (found.get(key)?.count ?? 0) + 1 })
  }
  return [...found.values()]
}

/** Which eSIMs a creation takes. */
type Wanted = Pick<Storage.ReservationRequest, "organizationId" | "label" | "load">

/** Whether a creation that is not decided has an eSIM of the label and the load. */
const isProvisioning = (store: RowStore, of: Wanted): boolean => {
  for (const { value } of store.list("job", of.organizationId, null, "ascending")) {
    if (value.work._tag !== "Provision" || value.endedAt !== null) continue
    const found = store.find("sim", value.work.iccid, of.organizationId)?.value
    const sim = found === undefined ? undefined : Rows.supplied(found).sim
    if (sim?.label === of.label && Sim.isUndecided(sim) && Sim.hasLoad(sim, of.load)) return true
  }
  return false
}

/**
 * Whether a SIM of the label and the load is on its way back to stock. One whose release has ended
 * in refusals is not.
 */
const isReturning = (store: RowStore, of: Wanted): boolean => {
  const refused = new Set<string>()
  for (const { value } of store.also("job", Rows.PROBLEMS, null)) {
    if (value.work._tag === "CancelPackages" && value.work.release !== null) refused.add(value.work.iccid)
  }
  for (const { value } of store.also("sim", Rows.returningSims(of), null)) {
    const { sim } = Rows.supplied(value)
    if (!refused.has(sim.iccid) && Sim.hasLoad(sim, of.load)) return true
  }
  return false
}

/** Whether an eSIM of the label and the load may be free later, if none is. */
const shortageOf = (store: RowStore, of: Wanted): "Releasing" | "None" =>
  isReturning(store, of) || isProvisioning(store, of) ? "Releasing" : "None"

/** The free eSIMs of the label and the load, in the order in which they are given. */
function* freeOf(store: RowStore, of: Wanted) {
  const listed = store.waiting("sim", Rows.freeSims(of))
  if (of.load === null) return yield* listed
  const sellBy = ({ value }: { readonly value: SimAggregate.SimAggregate }): number =>
    Rows.supplied(value).sim.purchase?.sellBy ?? Number.MAX_SAFE_INTEGER
  yield* [...listed].toSorted(
    (one, other) => sellBy(one) - sellBy(other) || one.value.sim.importSequence - other.value.sim.importSequence
  )
}

export const freeSim = (store: RowStore, of: Wanted): Storage.FreeSim => {
  for (const { value } of freeOf(store, of)) {
    const { sim } = Rows.supplied(value)
    if (Sim.hasLoad(sim, of.load)) return { sim, shortage: null }
  }
  return { sim: null, shortage: shortageOf(store, of) }
}

export const reserve = (
  store: RowStore,
  { count, machineNow, purpose, token, until, ...of }: Storage.ReservationRequest
): Storage.ReservedSims => {
  const found: Array<SimAggregate.SimAggregate> = []
  let some = false
  const rows = purpose === "subscription" ? freeOf(store, of) : store.list("sim", of.organizationId, null, "ascending")
  for (const { lease, value: stored } of rows) {
    const value = Rows.supplied(stored)
    if (value.sim.label !== of.label || !Sim.isSuitable(value.sim, purpose, of.load)) continue
    some = true
    if (lease !== null && lease.until > machineNow) continue
    found.push({ ...value, sim: { ...value.sim, version: value.sim.version + 1 } })
    if (found.length >= count) break
  }
  for (const aggregate of found) store.put("sim", aggregate, { token, until })
  const sims = found.map(({ sim }) => sim)
  if (sims.length >= count) return { sims, shortage: null }
  if (some) return { sims, shortage: "Busy" }
  return { sims, shortage: purpose === "subscription" ? shortageOf(store, of) : "None" }
}
