/**
 * The answers of Airalo, and what the types of `PartnerApi` make of them.
 *
 * The schemas have only what simplan needs, so unknown fields do not matter; what is needed has to
 * be as the documents say. They contradict themselves in some places, and both forms are read:
 *
 * - numbers are texts in some answers (`quantity` "1" or 1, `validity`, `price` "9.50" or 9.5);
 * - dates are `2023-02-27 14:09:55` in most places, `2023-01-09T10:30:45+00:00` in the history of
 *   an eSIM's packages and `2024-10-12 09:30` in refunds; no zone is UTC, as in the history;
 * - the packages' list is an array on its first page, and an object by index on later ones
 *   ("Get packages", parameter `page`).
 *
 * Amounts of data are MB, of which 1,024 are 1 GB (`amount` 1024 is `data` "1 GB"), so a MB has
 * 1,048,576 bytes, as ours. Prices are decimals, and stay them: a number of JSON is read as its
 * shortest text, which is the one that was sent up to 15 digits.
 */
import { Option, Order as Sort, Schema, SchemaTransformation } from "effect"
import { Amount, SimIdentities, Time } from "simplan/ports"
import type * as PartnerApi from "./PartnerApi.ts"

const MEGA = 1_048_576

const DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/

/** The instant of a date in any of the forms; undefined for others. */
export const parseDate = (text: string): Time.Instant | undefined => {
  const [, day, minute, second = ":00", fraction = "", zone = "Z"] = DATE.exec(text.trim()) ?? []
  return day === undefined ? undefined : Time.fromIso(`${day}T${minute}${second}${fraction}${zone}`)
}

const Instant = Schema.String.check(
  Schema.makeFilter((text) => parseDate(text) !== undefined || "must be a date")
).pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: (text): Time.Instant => parseDate(text) ?? Time.START_OF_TIME,
      encode: (instant): string => new Date(instant).toISOString()
    })
  )
)

const FromText = Schema.String.check(Schema.isPattern(/^\s*\d+(\.\d+)?\s*$/)).pipe(
  Schema.decodeTo(Schema.Finite, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** A number, as a number or as the text of one. */
const Quantity = Schema.Union([Schema.Finite, FromText])

/** A whole number that names something, or the text of one. */
const Id = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^\S+$/))])

/** A price: a number, or the text of one. */
const Price = Schema.Union([Schema.Finite, Schema.String])

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A text in a list may be anything else; then it does not count. */
const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : typeof value === "string" ? [value] : []

const shown = (value: string | number): string => String(value).trim()

/** The decimal of a price; null if it is none. */
const decimal = (price: string | number | null | undefined): string | null =>
  price === null || price === undefined || Amount.parse(shown(price), "USD") === undefined ? null : shown(price)

const CURRENCY = /^[A-Z]{3}$/

/** The amount of a price; null if price or currency are none. */
export const amountOf = (
  price: string | number | null | undefined,
  currency: string | null | undefined
): Amount.Amount | null => {
  const text = decimal(price)
  return text === null || !currency || !CURRENCY.test(currency) ? null : (Amount.parse(text, currency) ?? null)
}

const Sim = Schema.Struct({
  id: Id,
  iccid: Schema.String.check(Schema.isMinLength(1)),
  lpa: optional(Schema.String),
  matching_id: optional(Schema.String),
  qrcode: optional(Schema.String),
  // They are null in all examples.
  imsis: optional(Schema.Unknown),
  msisdn: optional(Schema.Unknown)
})

/** An order, as "Submit order", "Submit top-up order" and "Get order list" have it. */
export const Order = Schema.Struct({
  id: Id,
  code: Schema.String,
  type: Schema.Literals(["sim", "topup"]),
  package_id: Schema.String,
  description: optional(Schema.String),
  created_at: optional(Schema.String),
  currency: optional(Schema.String),
  // A price that cannot be read must not hide the eSIM that was bought for it.
  net_price: optional(Schema.Unknown),
  status: optional(Schema.Struct({ slug: optional(Schema.String) })),
  sims: optional(Schema.Array(Sim))
})

/** What lists say of their pages ("Get order list", `meta`). */
export const Page = Schema.Struct({ current_page: optional(Quantity), last_page: optional(Quantity) })

const described = Schema.decodeUnknownOption(Schema.Struct({ description: Schema.String }))

/** The description of a row of a list of orders, whatever else it has; null: it has none. */
export const referenceOf = (row: unknown): string | null => Option.getOrNull(described(row))?.description ?? null

/** The packages of an eSIM. */
export const SimPackages = Schema.Array(
  Schema.Struct({
    id: Id,
    status: Schema.String,
    remaining: optional(Quantity),
    activated_at: optional(Instant),
    expired_at: optional(Instant),
    finished_at: optional(Instant),
    package: Schema.Struct({
      id: Schema.String,
      type: optional(Schema.String),
      amount: optional(Quantity),
      is_unlimited: optional(Schema.Boolean),
      net_price: optional(Price)
    })
  })
)

/** What is left on an eSIM. */
export const Usage = Schema.Struct({
  remaining: Quantity,
  total: Quantity,
  expired_at: optional(Instant),
  is_unlimited: optional(Schema.Boolean),
  status: Schema.String
})

/** The number of a request for money. */
export const Refund = Schema.Struct({ refund_id: Id })

/** What the account has left. */
export const Balance = Schema.Struct({
  balances: Schema.Struct({
    availableBalance: Schema.Struct({ amount: Price, currency: Schema.String.check(Schema.isPattern(CURRENCY)) })
  })
})

const Offer = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(["sim", "topup"]),
  title: optional(Schema.String),
  amount: Quantity,
  day: Quantity,
  is_unlimited: optional(Schema.Boolean),
  voice: optional(Schema.Unknown),
  text: optional(Schema.Unknown),
  net_price: optional(Price),
  prices: optional(Schema.Struct({ net_price: optional(Schema.Record(Schema.String, Price)) }))
})

const Operator = Schema.Struct({
  id: Id,
  title: optional(Schema.String),
  activation_policy: optional(Schema.String),
  rechargeability: optional(Schema.Boolean),
  is_kyc_verify: optional(Schema.Boolean),
  install_window_days: optional(Quantity),
  topup_grace_window_days: optional(Quantity),
  coverages: optional(Schema.Unknown),
  countries: optional(Schema.Unknown),
  packages: Schema.Array(Schema.Unknown)
})

/** Operators and packages are read one by one, so that an odd one does not hide the others. */
const Country = Schema.Struct({ country_code: optional(Schema.String), operators: Schema.Array(Schema.Unknown) })

/** A page of the catalogue. */
export const Packages = Schema.Union([Schema.Array(Country), Schema.Record(Schema.String, Country)])

/** The host of an SM-DP+, of whatever is in front of and after it. */
const hostOf = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/+$/, "")

/** The QR code's text; else it is made of host and matching id, of which that text consists. */
const lpaOf = ({ lpa, matching_id, qrcode }: typeof Sim.Type): string =>
  qrcode?.trim() || `LPA:1$${hostOf(lpa ?? "")}$${matching_id?.trim() ?? ""}`

const digitsOf = (value: unknown): string | undefined =>
  textsOf(typeof value === "number" ? String(value) : value).find((text) => /^\+?\d+$/.test(text.trim()))

const simFrom = (sim: typeof Sim.Type): PartnerApi.Sim => {
  const { id, iccid, imsis, msisdn } = sim
  const known = SimIdentities.parse({ imsi: digitsOf(imsis) ?? null, msisdn: digitsOf(msisdn) ?? null })
  const { imsi, msisdn: number } = known._tag === "Success" ? known.success : SimIdentities.none
  return { id: String(id), iccid: iccid.trim(), lpa: lpaOf(sim), imsi, msisdn: number }
}

const isPrice = Schema.is(Price)

/** The order that an answer or a row is. */
export const orderFrom = (order: typeof Order.Type): PartnerApi.Order => ({
  id: String(order.id),
  code: order.code,
  kind: order.type,
  packageId: order.package_id,
  reference: order.description ?? null,
  createdAt: parseDate(order.created_at ?? "") ?? null,
  status: order.status?.slug?.toLowerCase() ?? null,
  cost: isPrice(order.net_price) ? amountOf(order.net_price, order.currency) : null,
  currency: order.currency ?? null,
  sims: (order.sims ?? []).map(simFrom)
})

/** The bytes of so many MB, a part of one too. */
export const bytesOf = (megaBytes: number): number => Math.round(megaBytes * MEGA)

/** The packages of an eSIM, in the order of the answer. */
export const simPackagesFrom = (packages: typeof SimPackages.Type): ReadonlyArray<PartnerApi.SimPackage> =>
  packages.map(({ package: { amount, id: packageId, is_unlimited, net_price, type }, ...one }) => {
    const isLimited = is_unlimited !== true && (amount ?? 0) > 0
    return {
      id: String(one.id),
      packageId,
      kind: type === "sim" || type === "topup" ? type : null,
      status: one.status.toUpperCase(),
      grantedBytes: isLimited ? bytesOf(amount ?? 0) : null,
      usedBytes:
        isLimited && typeof one.remaining === "number" ? bytesOf(Math.max(0, (amount ?? 0) - one.remaining)) : null,
      activationAt: one.activated_at ?? null,
      expirationAt: one.expired_at ?? null,
      finishedAt: one.finished_at ?? null,
      netPrice: decimal(net_price)
    }
  })

/** What is left on an eSIM. */
export const usageFrom = ({
  expired_at,
  is_unlimited,
  remaining,
  status,
  total
}: typeof Usage.Type): PartnerApi.Usage => ({
  remainingBytes: bytesOf(remaining),
  totalBytes: bytesOf(total),
  expirationAt: expired_at ?? null,
  isUnlimited: is_unlimited ?? false,
  status: status.toUpperCase()
})

const Coverages = Schema.Array(Schema.Struct({ code: Schema.String }))
const coveragesOf = Schema.decodeUnknownOption(Coverages)
const countriesOf = Schema.decodeUnknownOption(Schema.Array(Schema.Struct({ country_code: Schema.String })))

const operatorFrom = (operator: typeof Operator.Type, country: string): PartnerApi.Operator => {
  const codes = [
    ...Option.getOrElse(coveragesOf(operator.coverages), () => []).map(({ code }) => code),
    ...Option.getOrElse(countriesOf(operator.countries), () => []).map(({ country_code }) => country_code),
    country
  ]
  const countries = codes.map((code) => code.trim().toUpperCase()).filter((code) => /^[A-Z]{2}$/.test(code))
  return {
    id: String(operator.id),
    title: operator.title ?? "",
    isActivatedByUse: operator.activation_policy !== "installation",
    isRechargeable: operator.rechargeability ?? false,
    needsIdentity: operator.is_kyc_verify ?? false,
    installWindowDays: operator.install_window_days ?? null,
    topUpWindowDays: operator.topup_grace_window_days ?? null,
    countries: [...new Set(countries)].toSorted(Sort.String)
  }
}

const counted = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null)

const packageFrom = (offer: typeof Offer.Type, operator: PartnerApi.Operator): PartnerApi.Package => ({
  id: offer.id,
  kind: offer.type,
  title: offer.title ?? offer.id,
  megaBytes: offer.is_unlimited === true || offer.amount === 0 ? null : offer.amount,
  days: offer.day,
  netPrices: new Map(
    Object.entries(offer.prices?.net_price ?? {}).flatMap(([currency, price]) => {
      const text = decimal(price)
      return text === null ? [] : [[currency, text] as const]
    })
  ),
  netPrice: decimal(offer.net_price),
  voiceMinutes: counted(offer.voice),
  texts: counted(offer.text),
  operator
})

const offerOf = Schema.decodeUnknownOption(Offer)
const operatorOf = Schema.decodeUnknownOption(Operator)

/** The packages of a page of the catalogue, without those that cannot be read. */
export const packagesFrom = (page: typeof Packages.Type): ReadonlyArray<PartnerApi.Package> =>
  Object.values(page).flatMap(({ country_code, operators }) =>
    operators.flatMap((one) => {
      const operator = Option.getOrNull(operatorOf(one))
      if (operator === null) return []
      const carrier = operatorFrom(operator, country_code ?? "")
      return operator.packages.flatMap((offer) =>
        Option.match(offerOf(offer), { onNone: () => [], onSome: (found) => [packageFrom(found, carrier)] })
      )
    })
  )
