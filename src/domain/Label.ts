/**
 * Network supply tiers. A plan takes its label from its coverage profile, and only a SIM of that
 * label can carry it.
 */

/** The labels as the interface spells them, `Voilet` included. */
export const labels = ["Green", "Aqua", "Blue", "Voilet", "Red", "Grey", "Orange"] as const

/** A network supply tier. A plan needs a SIM of its label (rule S1). */
export type Label = (typeof labels)[number]

/** Whether a text is one of the labels, exactly as they are written. */
export const isLabel = (text: string): text is Label => labels.some((label) => label === text)
