/**
 * eSIM Access as a seller with keys: the same `transactionId` is the same order
 * (https://docs.esimaccess.com, `/esim/order`).
 *
 * A load is the slug of a bundle, such as `AU_1_7`, or its package code, such as `CKH491`, which
 * has no `_`. That of a daily bundle has the number of days after a colon: `JP_0.5_Daily:10`. So an
 * order is made by the load alone, and again if the catalogue has the bundle no more.
 *
 * The order has the price that the catalogue has, and is refused at any other. Its answer has no
 * cost, so the price is the cost.
 */
import { Clock, Effect } from "effect"
import { type Amount, type TelcoBundles, Time } from "simplan/ports"
import { Account, CallFailure, type Purchases } from "../telco-calls/index.ts"
import type * as AccountApi from "./AccountApi.ts"

/** How a load is ordered. */
interface Load {
  /** The slug or the package code. */
  readonly code: string
  readonly name: AccountApi.BundleName
  /** How many days of a daily bundle; null: none are named. */
  readonly days: number | null
}

const loadOf = (load: string): Load => {
  const [, code = load, days] = /^(.*):(\d{1,3})$/.exec(load) ?? []
  const name = code.includes("_") ? { slug: code } : { packageCode: code }
  return { code, name, days: days === undefined ? null : Number(days) }
}

/** A bundle as operators choose it: a daily one is there for one day, as the load `slug:1`. */
export const listed = ({
  bytes,
  countries,
  days,
  name,
  price,
  slug,
  volume
}: AccountApi.Bundle): TelcoBundles.Bundle => ({
  code: volume === "daily" ? `${slug}:1` : slug,
  name,
  kind: "sim",
  countries: Account.countries(countries),
  dataBytes: bytes,
  days: volume === "daily" ? 1 : days,
  price
})

/** For how long it is known how long the eSIMs of a bundle keep, in milliseconds. */
const KNOWN = Time.HOUR

/** How late an order may be, beside now, in what is asked for by time. */
const AHEAD = Time.HOUR

const refused = (message: string, reason?: CallFailure.Refusal) =>
  Effect.fail(
    new CallFailure.CallFailure({
      outcome: "Refused",
      message,
      isAnswered: true,
      ...(reason !== undefined && { reason })
    })
  )

/** The seller over the calls of an account. */
export const make = (api: AccountApi.AccountApi["Service"]): Purchases.Keyed => {
  const known = new Map<string, { readonly unusedDays: number | null; readonly until: number }>()

  /** What a load is in the catalogue now. */
  const find = Effect.fnUntraced(function* (load: string) {
    const { code, days, name } = loadOf(load)
    // It may refuse a name that it does not know.
    const found = yield* Effect.catchIf(
      api.bundles(name),
      ({ outcome }) => outcome === "Refused" || outcome === "NotFound",
      () => Effect.succeed([])
    )
    const bundle = found.find((one) => one.slug === code || one.packageCode === code)
    if (bundle === undefined) return yield* refused(`eSIM Access sells no bundle ${code}`, "sold_out")
    if (bundle.volume === "daily" && days === null) {
      return yield* refused(`The bundle ${code} is a daily one, and ${load} names no number of days`)
    }
    if (bundle.volume === "total" && days !== null) {
      return yield* refused(`The bundle ${code} is no daily one, and ${load} names a number of days`)
    }
    known.set(load, { unusedDays: bundle.unusedDays, until: (yield* Clock.currentTimeMillis) + KNOWN })
    return bundle
  })

  const unusedDaysNow = (load: string) => Effect.map(find(load), ({ unusedDays }) => unusedDays)

  /** How long an eSIM with a load keeps unless it is used; null: nobody says. */
  const unusedDaysOf = Effect.fnUntraced(function* (load: string) {
    const entry = known.get(load)
    if (entry !== undefined && (yield* Clock.currentTimeMillis) < entry.until) return entry.unusedDays
    // A bundle that is sold no more says nothing.
    return yield* Effect.catchIf(
      unusedDaysNow(load),
      ({ outcome }) => outcome === "Refused",
      () => Effect.succeed(null)
    )
  })

  const quote = ({ load }: { readonly load: string }) =>
    Effect.map(find(load), ({ price: { currency, scale, units } }): Amount.Amount => {
      const { days } = loadOf(load)
      return { units: units * (days ?? 1), scale, currency }
    })

  return {
    strategy: "Keyed",
    quote,
    order: ({ key, price, purchase }) =>
      Effect.gen(function* () {
        const { days, name } = loadOf(purchase.load)
        const { units } = price ?? (yield* quote(purchase))
        return { reference: yield* api.order({ transactionId: key, bundle: name, price: units, days }) }
      }),
    search: (key, since) =>
      Effect.gen(function* () {
        const until = (yield* Clock.currentTimeMillis) + AHEAD
        const esims = yield* api.esimsSince({ since, until })
        const orders = new Map(
          esims.flatMap(({ orderNo, transactionId }) => (transactionId === null ? [] : [[orderNo, transactionId]]))
        )
        const own = [...orders].filter(([, transactionId]) => transactionId === key)
        return own.map(([reference, text]) => ({ reference, text }))
      }),
    read: ({ purchase, reference }) =>
      Effect.gen(function* () {
        const esims = yield* api.esims({ orderNo: reference })
        const esim = esims?.find((one) => one.orderNo === reference)
        if (esim?.status === "CANCEL") return yield* refused(`eSIM Access has cancelled the order ${reference}`)
        // It is there once it has both.
        if (esim === undefined || esim.iccid === "" || esim.activationCode === "") return null
        const unusedDays = yield* unusedDaysOf(purchase.load)
        const { activationCode, createdAt, esimTranNo, iccid, imsi, msisdn } = esim
        const boughtAt = createdAt ?? (yield* Clock.currentTimeMillis)
        return {
          iccid,
          lpa: activationCode,
          sellBy: unusedDays === null ? null : Time.addDays(boughtAt, unusedDays),
          cost: null,
          imsi,
          msisdn,
          subscriberId: esimTranNo
        }
      })
  }
}
