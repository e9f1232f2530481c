/**
 * Bundles in the catalogues of suppliers, which plans may be (rule P5).
 */
import type { Amount } from "./Amount.ts"

/**
 * What a bundle is for. `sim`: an eSIM is bought with it; `topUp`: it goes on one that is there;
 * `any`: both.
 */
export const kinds = ["sim", "topUp", "any"] as const

/** A bundle in the catalogue of a supplier, as it is now. */
export interface SoldBundle {
  /** The code that a purchase or a top-up names: a plan's load (rule P5). */
  readonly code: string
  /** What it is called there. */
  readonly name: string
  /** What it is for. */
  readonly kind: (typeof kinds)[number]
  /** ISO 3166-1 alpha-2, upper case, each once. */
  readonly countries: ReadonlyArray<string>
  /** In bytes; null: unlimited. */
  readonly dataBytes: number | null
  /** How long it lasts, in whole days; null: the supplier does not say so in days. */
  readonly days: number | null
  /** What one costs; null: the supplier does not say. */
  readonly price: Amount | null
}

/** What a list of bundles is asked for. */
export interface Filter {
  /** Each of its words is in the name or in the code, in any case; null: any. */
  readonly search: string | null
  /** ISO 3166-1 alpha-2, upper case, of a country that it is for; null: any. */
  readonly country: string | null
}

/** Whether a list with this filter has the bundle. */
export const isAsked = ({ code, countries, name }: SoldBundle, { country, search }: Filter): boolean => {
  const text = `${name}\n${code}`.toLowerCase()
  const words = (search ?? "").toLowerCase().split(/\s+/)
  return (country === null || countries.includes(country)) && words.every((word) => text.includes(word))
}
