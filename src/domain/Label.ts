/**
 * Network supply tiers. A plan takes its label from its coverage profile, and only a SIM of that label can carry it.
 */

/** The labels as the interface spells them, `Voilet` included. */
export const labels = ["Green", "Aqua", "Blue", "Voilet", "Red", "Grey", "Orange"] as const

export type Label = (typeof labels)[number]

export const isLabel = (text: string): text is Label => labels.some((label) => label === text)
