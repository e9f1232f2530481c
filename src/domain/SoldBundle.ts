/**
 * Bundles in the catalogues of suppliers, and what plans have that are made of them (rule P6).
 */
import { Result } from "effect"
import * as Amount from "./Amount.ts"
import type { Label } from "./Label.ts"
import { type Bundle, limits, type Plan } from "./Plan.ts"
import { InvalidField } from "./Refusal.ts"
import type { Covering } from "./Region.ts"

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
  readonly price: Amount.Amount | null
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

/** What a plan has of a bundle that it is made of. */
export interface Offer {
  /** Those of the bundle, rounded down (rule T1). */
  readonly dataMegaBytes: number
  /** Those of the bundle. */
  readonly periodDays: number
  /** What of the bundle the plan cannot say, a sentence each. */
  readonly notes: ReadonlyArray<string>
}

const MEGABYTE = 1_048_576

const refuse = (field: string, message: string) => Result.fail(new InvalidField({ field, message }))

const find = (
  bundles: ReadonlyArray<SoldBundle>,
  { code, field, kind }: { readonly code: string; readonly field: string; readonly kind: "sim" | "topUp" }
): Result.Result<SoldBundle, InvalidField> => {
  const found = bundles.find((one) => one.code === code)
  if (found === undefined) return refuse(field, "must be the code of a bundle that the telco sells")
  const wanted = kind === "sim" ? "that eSIMs are sold with" : "that goes on an eSIM that is in service"
  return found.kind === kind || found.kind === "any" ? Result.succeed(found) : refuse(field, `must be one ${wanted}`)
}

const megaBytes = ({ dataBytes }: SoldBundle): number | null =>
  dataBytes === null ? null : Math.floor(dataBytes / MEGABYTE)

/** What the plan may say of the bundle's data and days. */
const offerOf = (bundle: SoldBundle): Result.Result<Offer, InvalidField> => {
  const { dataBytes, days } = bundle
  const dataMegaBytes = megaBytes(bundle)
  if (dataBytes === null || dataMegaBytes === null) return refuse("bundle", "must not be unlimited: plans have an end")
  if (dataMegaBytes < 1) return refuse("bundle", "must have at least 1 MB, of 1,048,576 bytes")
  if (dataMegaBytes > limits.dataMegaBytes) return refuse("bundle", `must have at most ${limits.dataMegaBytes} MB`)
  if (days === null) return refuse("bundle", "must last for days that the telco says")
  if (days < 1 || days > limits.periodDays) return refuse("bundle", `must last for 1 to ${limits.periodDays} days`)
  const isRounded = dataBytes !== dataMegaBytes * MEGABYTE
  const rounded = `The bundle has ${dataBytes} bytes: the plan gives ${dataMegaBytes} MB, which is less`
  return Result.succeed({ dataMegaBytes, periodDays: days, notes: isRounded ? [rounded] : [] })
}

/** Rule P6: refuses a limit that the bundle is dearer than, or that is in another currency. */
const priced = (
  { price }: SoldBundle,
  limit: Amount.Amount | null
): Result.Result<ReadonlyArray<string>, InvalidField> => {
  if (limit === null) return Result.succeed([])
  if (price === null) return Result.succeed(["The telco does not say what the bundle costs: the limit is not checked"])
  const compared = Amount.compare(price, limit)
  if (Result.isFailure(compared)) return refuse("currency", `must be that of the price, ${price.currency}`)
  return compared.success > 0
    ? refuse("priceLimit", `must be at least what the bundle costs, ${Amount.text(price)}`)
    : Result.succeed([])
}

/** Rule P6: the bundle that a plan is made of, and what the plan has of it. */
export const offered = (
  bundles: ReadonlyArray<SoldBundle>,
  { limit, load, topUpLoad }: Bundle
): Result.Result<Offer & { readonly bundle: SoldBundle }, InvalidField> =>
  Result.gen(function* () {
    const bundle = yield* find(bundles, { code: load, field: "bundle", kind: "sim" })
    const offer = yield* offerOf(bundle)
    if (topUpLoad !== null) {
      const topUp = yield* find(bundles, { code: topUpLoad, field: "topUpBundle", kind: "topUp" })
      if (topUp.dataBytes !== bundle.dataBytes || topUp.days !== bundle.days) {
        return yield* refuse("topUpBundle", "must have the data and the days of the bundle")
      }
    }
    const unpriced = yield* priced(bundle, limit)
    return { ...offer, bundle, notes: [...offer.notes, ...unpriced] }
  })

/** In what a plan differs from the bundle that it is, or is to be. */
export const differing = ["bundle", "data", "days", "countries", "price"] as const

/** What differs between a plan and its bundle. */
export interface Difference {
  /** `bundle`: the telco sells no such one. */
  readonly what: (typeof differing)[number]
  /** What the plan has; of countries, those that the bundle lacks. */
  readonly plan: string
  /** What the bundle has; of countries, those that the plan lacks. Null: the telco sells none. */
  readonly bundle: string | null
}

const without = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): string =>
  left.filter((one) => !right.includes(one)).join(", ")

/** The price, if it is more than the limit, or of another currency. */
export const beyond = ({ price }: SoldBundle, limit: Amount.Amount | null): Amount.Amount | null => {
  if (price === null || limit === null) return null
  const compared = Amount.compare(price, limit)
  return Result.isFailure(compared) || compared.success > 0 ? price : null
}

const daysText = (days: number | null): string => (days === null ? "no days" : `${days} days`)
const dataText = (megaBytes: number | null): string => (megaBytes === null ? "unlimited" : `${megaBytes} MB`)

/**
 * Rule P6: what differs between a plan that covers these countries and the bundle that it is to be.
 * `sold` is null if the telco sells no such one.
 */
export const differences = (
  { terms }: Pick<Plan, "terms">,
  countries: ReadonlyArray<string>,
  { limit, load }: Bundle,
  sold: SoldBundle | null
): ReadonlyArray<Difference> => {
  if (sold === null) return [{ what: "bundle", plan: load, bundle: null }]
  const { dataMegaBytes, periodDays } = terms
  const data = megaBytes(sold)
  const [more, fewer] = [without(countries, sold.countries), without(sold.countries, countries)]
  const price = beyond(sold, limit)
  return [
    ...(data === dataMegaBytes
      ? []
      : [{ what: "data", plan: dataText(dataMegaBytes), bundle: dataText(data) } as const]),
    ...(sold.days === periodDays
      ? []
      : [{ what: "days", plan: daysText(periodDays), bundle: daysText(sold.days) } as const]),
    ...(more === "" && fewer === "" ? [] : [{ what: "countries", plan: more, bundle: fewer } as const]),
    ...(price === null || limit === null
      ? []
      : [{ what: "price", plan: `at most ${Amount.text(limit)}`, bundle: Amount.text(price) } as const])
  ]
}

/** A plan that was made of a bundle, or would be. */
export interface MadePlan {
  /** The organization that owns it. */
  readonly organizationId: string
  /** Null: nothing was made, as it was only tried. */
  readonly planId: string | null
  /** The plan's. */
  readonly name: string
  /** The coverage profile's; null: it would be made. */
  readonly coverageId: string | null
  /** That of the coverage profile. */
  readonly regionName: string
  /** Of the SIMs that take the plan. */
  readonly label: Label
  /** Where the plan may be used. */
  readonly countries: ReadonlyArray<string>
  /** Of the terms. */
  readonly dataMegaBytes: number
  /** Of the terms. */
  readonly periodDays: number
  /** What the plan is at the supplier (rule P5). */
  readonly load: string
  /** Null: the same. */
  readonly topUpLoad: string | null
  /** What the bundle costs now, as a decimal; null: the supplier does not say. */
  readonly price: string | null
  /** That of the price; null: the supplier does not say. */
  readonly currency: string | null
  /** What of the bundle the plan does not have, a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Rule P6: what was made, of a plan that covers this area. */
export const made = (
  { bundle: of, organizationId, planId, terms }: Plan,
  { iso2List, regionName }: Pick<Covering, "regionName" | "iso2List">,
  { bundle, notes }: Offer & { readonly bundle: SoldBundle }
): MadePlan => {
  const { coverageId, dataMegaBytes, label, name, periodDays } = terms
  const left = without(bundle.countries, iso2List)
  const uncovered = `The label ${label} has no network in ${left}, where the bundle is for too: the plan leaves them out`
  return {
    ...{ organizationId, planId, name, coverageId, regionName, label, countries: iso2List, dataMegaBytes, periodDays },
    load: bundle.code,
    topUpLoad: of?.topUpLoad ?? null,
    price: bundle.price === null ? null : Amount.decimal(bundle.price),
    currency: bundle.price?.currency ?? null,
    notes: left === "" ? notes : [...notes, uncovered]
  }
}
