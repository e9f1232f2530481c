/**
 * What must hold of the notices that eSIMs run out (rule I12). They are apart from `Invariants.all`, because only an endpoint
 * that takes them from the beginning receives them, and because somebody has to have set the levels.
 */
import * as Sim from "../../domain/Sim.ts"
import { isIdle } from "../History.ts"
import { first, type Invariant, type Lines, make } from "./Invariant.ts"

/** The level that is to be set for the label `Green` where an organization has so many eSIMs of it: all but one. */
export const levelOf = (esims: number): number => Math.max(1, esims - 1)

/** The eSIMs of each organization, and how many of them are free. */
const stockOf = (lines: Lines): ReadonlyMap<string, { readonly esims: number; readonly free: number }> => {
  const found = new Map<string, { esims: number; free: number }>()
  for (const { sim } of lines.values()) {
    if (!sim.isEsim || sim.label !== "Green") continue
    const known = found.get(sim.organizationId) ?? { esims: 0, free: 0 }
    found.set(sim.organizationId, { esims: known.esims + 1, free: known.free + (Sim.isFree(sim) ? 1 : 0) })
  }
  return found
}

/**
 * Rule I12. Whenever no job is due, an organization whose free eSIMs have fallen below their level since the last time has
 * been notified; and a notice never says that as many are free as the level has.
 */
export const lowStockIsNotified: Invariant = make(
  "when fewer eSIMs are free than their level says, that is notified",
  "I12",
  () => {
    const low = new Set<string>()
    const notified = new Set<string>()
    return ({ after, step }) => {
      const wrong = first(step.changes.events, ({ organizationId, payload }) => {
        if (payload.type !== "stock.low") return null
        notified.add(organizationId)
        const { free, level } = payload.data
        return free < level ? null : `${organizationId} notified that ${free} are free, and its level is ${level}`
      })
      if (wrong !== null || !isIdle(step)) return wrong
      const complaint = first(stockOf(after), ([organizationId, { esims, free }]) => {
        const isLow = free < levelOf(esims)
        const isKnown = low.has(organizationId) || notified.has(organizationId)
        if (isLow) low.add(organizationId)
        else low.delete(organizationId)
        return !isLow || isKnown ? null : `${organizationId} has ${free} of ${esims} free, and that was not notified`
      })
      notified.clear()
      return complaint
    }
  }
)
