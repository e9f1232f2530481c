/**
 * What must hold of eSIMs that are bought of suppliers (rules I15 and S2).
 */
import * as Sim from "../../domain/Sim.ts"
import type { Asked } from "../commands/Command.ts"
import type { Outstanding } from "../History.ts"
import * as TimingModel from "../TimingModel.ts"
import { first, type Frame, type Invariant, isBought, make, show } from "./Invariant.ts"

const kindOf = ({ label, load, organizationId }: Outstanding): string => `${organizationId} ${label} ${load}`

/** Requests that may await a purchase. */
const awaiting = new Set<Asked["_tag"]>(["Subscribe", "Replace", "Repeat"])

/**
 * Rule I15. One request at most waits at a time, and one whose process was killed counts as waiting
 * for some time. No step makes a second purchase.
 */
export const purchasesAreAwaited: Invariant = make(
  "there are never more purchases than requests that waited at once",
  "I15",
  () => {
    let killed = 0
    const known = new Set<string>()
    return ({ step: { asked, changes, outcome } }) => {
      if (awaiting.has(asked._tag) && outcome._tag === "Killed") killed++
      const outstanding = new Map<string, number>()
      const added: Array<string> = []
      for (const one of changes.purchases ?? []) {
        outstanding.set(kindOf(one), (outstanding.get(kindOf(one)) ?? 0) + 1)
        if (!known.has(one.purchaseId)) added.push(one.purchaseId)
        known.add(one.purchaseId)
      }
      if (added.length > 1) return `${show(asked)} has made the purchases ${show(added)}`
      return first(outstanding, ([kind, count]) =>
        count <= 1 + killed ? null : `${count} purchases of ${kind} are outstanding after ${killed} were given up`
      )
    }
  }
)

type Sale = { readonly iccid: string; readonly load: string; readonly organizationId: string }

/**
 * Rule I15. Each eSIM that the telco has sold is one SIM here, with its load, and each that was
 * bought is a sale. Once nothing is under way, all of them are here.
 */
export const salesAreSims: Invariant = make("every eSIM that was bought is one SIM", "I15", () => {
  const sales = new Map<string, Sale>()
  const last = new Map<string, string>()
  return ({ after, step: { asked, changes, outcome } }) => {
    for (const record of changes.records) {
      if (record.kind !== "sale" || record.refusal !== null) continue
      sales.set(record.key, record)
      last.set(record.iccid, record.key)
    }
    const owned = new Set<string>()
    const wrong = first(after.values(), ({ sim: { iccid, organizationId, purchase } }) => {
      if (purchase === null) return null
      const sale = sales.get(purchase.purchaseId)
      if (owned.has(purchase.purchaseId)) return `${purchase.purchaseId} has brought two SIMs`
      owned.add(purchase.purchaseId)
      if (sale?.iccid !== iccid || sale.load !== purchase.load || sale.organizationId !== organizationId)
        return `${iccid} was bought as ${show(purchase)}, and sold as ${show(sale)}`
      return null
    })
    if (wrong !== null || asked._tag !== "Quiet" || outcome._tag !== "Answered") return wrong
    return first(last, ([iccid, key]) => (owned.has(key) ? null : `${iccid} was sold as ${key}, and is not here`))
  }
})

/** The loads of plans, as far as they are known: a process that was killed may have set one. */
const loadsOfPlans = () => {
  const loads = new Map<string, string | null | undefined>()
  return {
    of: (planId: string): string | null | undefined => (loads.has(planId) ? loads.get(planId) : null),
    after: ({ step: { asked, outcome } }: Frame): void => {
      if (asked._tag !== "SetBundle" || outcome._tag === "Refused") return
      loads.set(asked.planId, outcome._tag === "Answered" ? asked.load : undefined)
    }
  }
}

/**
 * Rules S2 and I15. An eSIM with a load goes to plans of that load alone, the one first that has to
 * be put into use first, and none that would have to be within a day. No request is refused for
 * want of one while one is there.
 */
export const loadsGoToTheirPlans: Invariant = make(
  "an eSIM with a load goes to a plan of that load, those first that have to be used first",
  "S2, I15",
  () => {
    const plans = loadsOfPlans()
    return (frame) => {
      const { after, before, step } = frame
      const { asked, began, outcome } = step
      const load = asked._tag === "Subscribe" ? plans.of(asked.planId) : undefined
      plans.after(frame)
      if (asked._tag !== "Subscribe" || asked.iccid !== null || asked.foreign || load === undefined) return null
      const suitable = [...before.values()].flatMap(({ sim }) =>
        sim.organizationId === asked.organizationId &&
        sim.label === "Green" &&
        Sim.isFree(sim) &&
        load !== null &&
        sim.purchase?.load === load &&
        TimingModel.isSold(sim.purchase.sellBy, began)
          ? [sim.purchase.sellBy ?? Number.POSITIVE_INFINITY]
          : []
      )
      if (outcome._tag === "Refused" && ["EsimsIssuing", "SoldOut", "NoBalance"].includes(outcome.refusal._tag)) {
        return suitable.length === 0
          ? null
          : `${show(asked)} was refused with ${outcome.refusal._tag}, and one was free`
      }
      if (outcome._tag !== "Answered" || outcome.answer.kind !== "Created") return null
      const { iccid } = outcome.answer.created.sim
      const purchase = after.get(iccid)?.sim.purchase ?? null
      if ((purchase?.load ?? null) !== load) return `${iccid} with ${show(purchase)} was given to a plan of ${load}`
      if (purchase === null) return null
      if (!TimingModel.isSold(purchase.sellBy, began)) return `${iccid} was given, and lapses: ${show(purchase)}`
      const own = purchase.sellBy ?? Number.POSITIVE_INFINITY
      if (isBought(frame, iccid)) return suitable.length === 0 ? null : `${iccid} was bought, and another one was free`
      return own <= Math.min(...suitable)
        ? null
        : `${iccid} was given, and another one lapses sooner: ${show(purchase)}`
    }
  }
)

/** Rule I15. What its supplier has, or may have, is nobody's. */
export const returnedSimsAreUnsold: Invariant = make(
  "an eSIM that was returned, or is being returned, is given to nobody",
  "I15",
  () => {
    const returned = new Set<string>()
    return ({ after, step: { changes } }) => {
      for (const record of changes.records) {
        if (record.kind === "return" && record.refusal === null) returned.add(record.key)
      }
      return first(after.values(), ({ sim }) => {
        const { allocation, iccid, purchase } = sim
        if (allocation._tag === "Withdrawn" || purchase === null) return null
        return Sim.isGivenBack(sim) || returned.has(purchase.purchaseId)
          ? `${iccid} was returned, and is ${allocation._tag}`
          : null
      })
    }
  }
)
