/**
 * Why a SIM is withdrawn from the stock (rules I9, I15 and S8).
 */

/** All reasons. */
export const reasons = ["broken", "lost", "replaced", "returned"] as const

/**
 * What is wrong with the SIM. `replaced`: its subscription has moved to another one. `returned`:
 * its supplier has it back.
 */
export type Reason = (typeof reasons)[number]

const known: ReadonlySet<string> = new Set(reasons)

/** Whether a text is one of `reasons`. */
export const isReason = (text: string): text is Reason => known.has(text)
