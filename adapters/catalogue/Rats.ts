/**
 * Radio access technologies.
 */

/** Oldest first. */
export const rats = ["2G", "3G", "4G", "5G"] as const

export type Rat = (typeof rats)[number]

export const isRat = (text: string): text is Rat => rats.some((rat) => rat === text)
