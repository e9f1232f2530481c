/**
 * Why a SIM is withdrawn from the stock (rule I9).
 */

/** All reasons. */
export const reasons = ["broken", "lost"] as const

/** What is wrong with the SIM. */
export type Reason = (typeof reasons)[number]

const known: ReadonlySet<string> = new Set(reasons)

/** Whether a text is one of `reasons`. */
export const isReason = (text: string): text is Reason => known.has(text)
