/**
 * What Airalo sells now. The catalogue is read as a whole, since it has no look-up by package, and
 * kept for an hour: "Get packages" asks for a reading each hour, and leaves out what is out of
 * stock. A package that is not in it is looked for anew, but not more than once a minute.
 *
 * Prices are in the currency of the account, which the balance says: "Get packages" does not. An
 * order cannot say at which price it is made, so one may cost more than the catalogue said. After
 * it the catalogue is read anew.
 */
import { Effect, Semaphore } from "effect"
import { Amount, Clocks, type TelcoBundles, Time } from "simplan/ports"
import type { CallFailure } from "../telco-calls/index.ts"
import type * as PartnerApi from "./PartnerApi.ts"
import * as Shapes from "./Shapes.ts"

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** A package that is on sale. */
export interface Offer extends PartnerApi.Package {
  /** What the account is charged; null: Airalo does not say. */
  readonly price: Amount.Amount | null
}

/** A package as operators choose it. */
export const listed = ({ days, id, kind, megaBytes, operator, price, title }: Offer): TelcoBundles.Bundle => ({
  code: id,
  name: `${operator.title}: ${title}`,
  kind: kind === "topup" ? "topUp" : "sim",
  countries: operator.countries,
  dataBytes: megaBytes === null ? null : Shapes.bytesOf(megaBytes),
  days,
  price
})

/** What Airalo sells, as it was read last. */
export interface Catalogue {
  /** All packages, as they were read an hour ago at most. */
  readonly all: Call<ReadonlyArray<Offer>>
  /** Null: it is not on sale. */
  readonly find: (packageId: string) => Call<Offer | null>
  /** What is known of a package without a call; null: nothing. */
  readonly known: (packageId: string) => Offer | null
  /**
   * The top-up for eSIMs of the same operator that grants the same; null: there is none. A top-up
   * is its own.
   */
  readonly topUpLike: (offer: Offer) => Call<Offer | null>
  /** What an order was charged at. If the catalogue says otherwise, it is read anew. */
  readonly charged: (packageId: string, cost: Amount.Amount) => Effect.Effect<void>
}

const KEPT = Time.HOUR

/** How long a reading that could not be repeated is taken for right. */
const LONGEST = Time.DAY

/** How soon a package that is missing is looked for again. */
const SOON = Time.MINUTE

interface Reading {
  readonly offers: ReadonlyMap<string, Offer>
  readonly at: number
}

const grantsSame = (left: Offer, right: Offer): boolean =>
  left.operator.id === right.operator.id &&
  left.megaBytes === right.megaBytes &&
  left.days === right.days &&
  left.voiceMinutes === right.voiceMinutes &&
  left.texts === right.texts

/** Over the calls; nothing is read yet. */
export const make = (api: Pick<PartnerApi.PartnerApi["Service"], "packages" | "balance">): Effect.Effect<Catalogue> =>
  Effect.map(Semaphore.make(1), (turn) => {
    let last: Reading | null = null

    const read = Effect.gen(function* () {
      const { currency } = yield* api.balance
      const packages = yield* api.packages
      const offers = packages.map((one): readonly [string, Offer] => {
        const price = one.netPrice === null ? undefined : Amount.parse(one.netPrice, currency)
        return [one.id, { ...one, price: price ?? null }]
      })
      const reading = { offers: new Map(offers), at: yield* Clocks.monotonicNow }
      last = reading
      return reading
    })

    /** A reading that is so old at most; an older one if there is no other. */
    const reading = (age: number): Call<Reading> =>
      turn.withPermit(
        Effect.flatMap(Clocks.monotonicNow, (now) => {
          const former = last
          if (former !== null && now - former.at < age) return Effect.succeed(former)
          return former !== null && now - former.at < LONGEST ? Effect.catch(read, () => Effect.succeed(former)) : read
        })
      )

    const find = Effect.fnUntraced(function* (packageId: string) {
      const found = (yield* reading(KEPT)).offers.get(packageId)
      return found ?? (yield* reading(SOON)).offers.get(packageId) ?? null
    })

    const isSame = (price: Amount.Amount, cost: Amount.Amount): boolean => {
      const order = Amount.compare(price, cost)
      return order._tag === "Success" && order.success === 0
    }

    return {
      charged: (packageId, cost) =>
        Effect.sync(() => {
          const price = last?.offers.get(packageId)?.price ?? null
          if (last !== null && price !== null && !isSame(price, cost)) last = { ...last, at: last.at - KEPT }
        }),
      all: Effect.map(reading(KEPT), ({ offers }) => [...offers.values()]),
      find,
      known: (packageId) => last?.offers.get(packageId) ?? null,
      topUpLike: (offer) => {
        if (offer.kind === "topup") return Effect.succeed(offer)
        return Effect.map(reading(KEPT), ({ offers }) => {
          const alike = [...offers.values()].filter((one) => one.kind === "topup" && grantsSame(one, offer))
          return alike[0] ?? null
        })
      }
    }
  })
