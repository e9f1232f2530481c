/**
 * Who has a SIM, as its row has it: two columns for the domain's `Sim.Allocation`. The first one
 * distinguishes a withdrawn SIM whose end the telco has not confirmed yet, as `Replaced`. So no
 * statement names its values: a condition is made of a question of the domain, and asks for all of
 * them that are meant.
 */
import { Sim, Withdrawal } from "simplan/ports"

/** The values of the column: the domain's tags, and `Replaced`. */
const values = ["Free", "Provisioning", "InService", "Releasing", "Withdrawn", "Replaced"] as const

/** One of the values. */
export type Stored = (typeof values)[number]

/** The columns of an allocation. */
export interface Columns {
  readonly allocation: Stored
  /**
   * The subscription that has it, or why it is withdrawn; null where it is free: what the index of
   * free eSIMs goes by.
   */
  readonly allocatedTo: string | null
}

/** The columns of an allocation as they are written. */
export const columnsOf = (allocation: Sim.Allocation): Columns => {
  const holder = Sim.holder(allocation)
  const reason = Sim.withdrawnReason({ allocation })
  return reason !== null && holder !== null
    ? { allocation: "Replaced", allocatedTo: holder }
    : { allocation: allocation._tag, allocatedTo: holder ?? reason }
}

/** The allocation that the columns have. */
export const of = (stored: Stored, allocatedTo: string | null): Sim.Allocation => {
  if (stored === "Free" || allocatedTo === null) return { _tag: "Free" }
  if (stored === "Replaced") return { _tag: "Withdrawn", reason: "replaced", ending: allocatedTo }
  if (stored !== "Withdrawn") return { _tag: stored, subscriptionId: allocatedTo }
  return { _tag: stored, reason: Withdrawal.isReason(allocatedTo) ? allocatedTo : "broken", ending: null }
}

/** The condition that a SIM's allocation is one of those for which the domain says so. */
export const where = (isAsked: (sim: Pick<Sim.Sim, "allocation">) => boolean, column = "sim.allocation"): string => {
  const asked = values.filter((value) => isAsked({ allocation: of(value, "") }))
  return `${column} in (${asked.map((value) => `'${value}'`).join(", ")})`
}

/** The condition that a SIM stands so (rule L1). */
export const standing = (status: Sim.Status, column?: string): string =>
  where((sim) => Sim.status(sim) === status, column)

/**
 * What the column `releasing` has of a row that is written: true or null, which an index goes by.
 */
export const RELEASING = `nullif(${standing("releasing", "r.allocation")}, false)`
