/**
 * The calls of eSIM Access (open API, version 1), typed. `HttpApi` makes them.
 *
 * Its documents are at https://docs.esimaccess.com; the paths of the calls are named here. Money
 * is in whole ten-thousandths of the currency there, and volumes are bytes, a GB being 1,024 MB of
 * 1,048,576 bytes ("Basics"). Both are so here, and `amountOf` has the amount.
 *
 * The identity of an eSIM is its `esimTranNo`: its ICCID may be sold again to somebody else.
 */
import { Context, type Effect } from "effect"
import type { Amount, Time } from "simplan/ports"
import type { CallFailure } from "../telco-calls/index.ts"

/** The amount of a price, which is in ten-thousandths. */
export const amountOf = (price: number, currency: string): Amount.Amount => ({ units: price, scale: 4, currency })

/** The account's currency, which balances are in. */
export const CURRENCY = "USD"

/** A bundle of the catalogue (`/package/list`). */
export interface Bundle {
  /** The name that stays, such as `AU_1_7`. */
  readonly slug: string
  /** The code that may be used for it too, such as `CKH491`. */
  readonly packageCode: string
  readonly name: string
  /** What one costs; of a daily one, what a day costs. */
  readonly price: Amount.Amount
  /** In bytes; of a daily one, those of a day. */
  readonly bytes: number
  /** How long it lasts; of a daily one 1, and an order says how many. */
  readonly days: number
  /** `dataType`: whether it has one volume, or one a day. */
  readonly volume: "total" | "daily"
  /** The countries that it works in, by ISO 3166-1 alpha-2. */
  readonly countries: ReadonlyArray<string>
  /** What else it names as places, such as `EU-42`. */
  readonly regions: ReadonlyArray<string>
  /** Whether messages can be sent to its eSIMs. */
  readonly takesSms: boolean
  /** For how many days an eSIM with it keeps unless it is used; null: it is not said. */
  readonly unusedDays: number | null
  /** `activeType`: what it begins with; null: it is not said. */
  readonly begins: "installation" | "network" | null
}

/** How a profile is, by `esimStatus` and `smdpStatus`. */
export interface Esim {
  /** The supplier's own, by which calls name the eSIM: an ICCID may be sold again. */
  readonly esimTranNo: string
  /** The number of the order that it was bought by. */
  readonly orderNo: string
  /** Of the order; null: it is not said. */
  readonly transactionId: string | null
  /** Empty while it is allocated. */
  readonly iccid: string
  /** Its activation code; empty while it is allocated. */
  readonly activationCode: string
  /** Null: it is not said. */
  readonly imsi: string | null
  /** Its phone number; null: it has none, or it is not said. */
  readonly msisdn: string | null
  /** Such as `GOT_RESOURCE`, `IN_USE`, `CANCEL`. */
  readonly status: string
  /** Such as `RELEASED`, `INSTALLATION`; empty if it is not said. */
  readonly smdpStatus: string
  /** Whether messages can be sent to it; false if it is not said. */
  readonly takesSms: boolean
  /** In bytes. */
  readonly usedBytes: number
  /** When it was bought; null: it is not said. */
  readonly createdAt: Time.Instant | null
  /** When it was used first; null: it was not, or it is not said. */
  readonly activatedAt: Time.Instant | null
  /** In bytes, top-ups included; null: it is not said. */
  readonly totalBytes: number | null
  /** `expiredTime`: when its time is over; null: it is not said. */
  readonly expiresAt: Time.Instant | null
}

/** What was used of an eSIM (`/esim/usage/query`), 2 to 3 hours late. */
export interface Usage {
  /** The running total, in bytes. */
  readonly usedBytes: number
  /** As of when; null: it is not said. */
  readonly at: Time.Instant | null
}

/** How a bundle is named. */
export type BundleName = { readonly slug: string } | { readonly packageCode: string }

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** The calls of an account. Each fails with `CallFailure`, and is made once. */
export class AccountApi extends Context.Service<
  AccountApi,
  {
    /** `/package/list`, of base packages: all, or those of one name. */
    readonly bundles: (of: BundleName | null) => Call<ReadonlyArray<Bundle>>
    /**
     * `/esim/order`, of one eSIM; the same transaction id is the same order. `days`: of a daily
     * bundle. Refused if it does not cost `price` as a whole. Its number.
     */
    readonly order: (of: {
      readonly transactionId: string
      readonly bundle: BundleName
      readonly price: number
      readonly days: number | null
    }) => Call<string>
    /** `/esim/query`, by an order or an eSIM. Null: it is still being allocated. */
    readonly esims: (
      of: { readonly orderNo: string } | { readonly esimTranNo: string }
    ) => Call<ReadonlyArray<Esim> | null>
    /** `/esim/query`, by when they were bought. Those that are being allocated may be missing. */
    readonly esimsSince: (of: {
      readonly since: Time.Instant
      readonly until: Time.Instant
    }) => Call<ReadonlyArray<Esim>>
    /** `/esim/usage/query`, of one eSIM; null: it says nothing of it. */
    readonly usage: (esimTranNo: string) => Call<Usage | null>
    /** `/esim/cancel`: gives an eSIM back that is new. */
    readonly cancel: (esimTranNo: string) => Call<void>
    /** `/esim/revoke`: takes an eSIM out of use for good. */
    readonly revoke: (esimTranNo: string) => Call<void>
    /** `/esim/suspend` and `/esim/unsuspend`. */
    readonly setSuspended: (of: { readonly esimTranNo: string; readonly isSuspended: boolean }) => Call<void>
    /** `/esim/sendSms`. */
    readonly sendSms: (of: { readonly esimTranNo: string; readonly message: string }) => Call<void>
    /** `/balance/query`. */
    readonly balance: Call<Amount.Amount>
  }
>()("simplan/TelcoEsimAccess/AccountApi") {}
