/**
 * A network supply tier. A plan has that of its coverage profile, and only a SIM of the label can
 * carry it.
 */
export type Label = "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
