/**
 * The calls of Airalo's Partner API, version 2, that simplan needs, typed. `HttpPartnerApi` makes
 * them over HTTP. The names of its documents' sections are those of developers.partners.airalo.com.
 *
 * Nothing in it can be cancelled, suspended or given a key. What stands in for a key is the
 * description of an order, which orders are found by ("Get order list").
 */
import { Context, type Effect } from "effect"
import type { Amount, Time } from "simplan/ports"
import type { CallFailure } from "../telco-calls/index.ts"

/** An eSIM with its first package, or a package for one that is there. */
export type Kind = "sim" | "topup"

/** An eSIM of an order. */
export interface Sim {
  /** Airalo's own number of it. */
  readonly id: string
  /** As Airalo writes it; those of its sandbox may be none (rule I1). */
  readonly iccid: string
  /** The text of its QR code, or made of host and matching id, which stand beside it. */
  readonly lpa: string
  /** Null: it has none, or Airalo does not say. */
  readonly imsi: string | null
  /** Null: it has none. */
  readonly msisdn: string | null
}

/** An order, as its answer or the list has it. */
export interface Order {
  /** Airalo's own number of it. */
  readonly id: string
  /** Such as `20230227-009666`; invoices name it. */
  readonly code: string
  /** What was ordered. */
  readonly kind: Kind
  /** The package that was ordered. */
  readonly packageId: string
  /** Its description: our reference, or a text of somebody's. */
  readonly reference: string | null
  /** When it was made; null: the text is no date. */
  readonly createdAt: Time.Instant | null
  /** `completed`, `failed` or `refunded`; null: the answer has none. */
  readonly status: string | null
  /**
   * The net price, which is what is charged ("FAQ"). Null: it is not there, as in most examples of
   * the documents. The price beside it is the shop's.
   */
  readonly cost: Amount.Amount | null
  /** The currency of the order; null: the answer has none. */
  readonly currency: string | null
  /** Of an order of eSIMs. */
  readonly sims: ReadonlyArray<Sim>
}

/** What is asked for beside a package. */
export interface NewOrder {
  /** The id of the package in the catalogue. */
  readonly packageId: string
  /** The order's description, by which it is found again. */
  readonly reference: string
}

/** A package on an eSIM ("Get eSIM package history"). */
export interface SimPackage {
  /** Airalo's own number of it. */
  readonly id: string
  /** The package in the catalogue that it was ordered as. */
  readonly packageId: string
  /** Null: Airalo does not say. */
  readonly kind: Kind | null
  /** Such as `NOT_ACTIVE`, `ACTIVE`, `FINISHED` or `EXPIRED`. */
  readonly status: string
  /** In bytes; null: unlimited, or Airalo does not say. */
  readonly grantedBytes: number | null
  /** In bytes; null: unlimited, or Airalo does not say. */
  readonly usedBytes: number | null
  /** Null: it was not used yet. */
  readonly activationAt: Time.Instant | null
  /** Null: it was not used yet. */
  readonly expirationAt: Time.Instant | null
  /** When it was used up; null: it is not. */
  readonly finishedAt: Time.Instant | null
  /** The net price, as a decimal in the currency of the account; null: Airalo does not say. */
  readonly netPrice: string | null
}

/** What is left on an eSIM, all its packages together ("Get usage"). */
export interface Usage {
  /** In bytes. */
  readonly remainingBytes: number
  /** In bytes; 0 if it is unlimited. */
  readonly totalBytes: number
  /** Null: none of its packages was used yet, or it is recycled. */
  readonly expirationAt: Time.Instant | null
  /** Whether there is no limit. */
  readonly isUnlimited: boolean
  /** `NOT_ACTIVE`, `ACTIVE`, `FINISHED`, `EXPIRED`, `RECYCLED` or `UNKNOWN`. */
  readonly status: string
}

/** A package of the catalogue ("Get packages"). */
export interface Package {
  /** Such as `kallur-digital-7days-1gb`. */
  readonly id: string
  /** A top-up is only for eSIMs of the same operator. */
  readonly kind: Kind
  /** Such as `1 GB - 7 Days`. */
  readonly title: string
  /** Of data, in MB of 1,048,576 bytes; null: unlimited. */
  readonly megaBytes: number | null
  /** For how many days it lasts. */
  readonly days: number
  /** What the account is charged, by currency, as decimals ("prices.net_price"). */
  readonly netPrices: ReadonlyMap<string, string>
  /** The same in the currency of the account; null: Airalo does not say. */
  readonly netPrice: string | null
  /** Minutes; null: none. */
  readonly voiceMinutes: number | null
  /** Messages; null: none. */
  readonly texts: number | null
  /** The operator that carries it. */
  readonly operator: Operator
}

/** Who carries packages, and on which terms. */
export interface Operator {
  /** Airalo's own number of it; that of its packages' top-ups is the same. */
  readonly id: string
  /** Such as `Kallur Digital`. */
  readonly title: string
  /** Whether its time begins with the first use; else with the installation. */
  readonly isActivatedByUse: boolean
  /** Whether eSIMs of it take top-ups. */
  readonly isRechargeable: boolean
  /** Whether its customers have to prove who they are. */
  readonly needsIdentity: boolean
  /** For how many days after its purchase an eSIM can be installed; null: no limit is known. */
  readonly installWindowDays: number | null
  /** For how many days after its end an eSIM takes a top-up; null: no limit is known. */
  readonly topUpWindowDays: number | null
  /** ISO 3166 alpha-2, upper case, in rising order. */
  readonly countries: ReadonlyArray<string>
}

/** Why money is asked back ("Refund request"). */
export type RefundReason = "INVALID_ACTIVATION" | "DUPLICATE_ORDER" | "SERVICE_ISSUES" | "OTHERS"

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** The calls of the Partner API. Each fails with `CallFailure`. */
export class PartnerApi extends Context.Service<
  PartnerApi,
  {
    /** `POST /orders`: buys one eSIM with the package. */
    readonly order: (order: NewOrder) => Call<Order>
    /** `POST /orders/topups`: buys the package for an eSIM that is there. */
    readonly topUp: (order: NewOrder & { readonly iccid: string }) => Call<Order>
    /**
     * `GET /orders` by description: the orders whose description is this text. The filter is LIKE,
     * which finds more: what it finds is compared whole.
     */
    readonly ordersOf: (reference: string) => Call<ReadonlyArray<Order>>
    /** `GET /orders` by the days of UTC on which they were made, both included. */
    readonly ordersBetween: (of: {
      readonly since: Time.Instant
      readonly until: Time.Instant
    }) => Call<ReadonlyArray<Order>>
    /** `GET /orders/{id}`, with its eSIMs. */
    readonly orderOf: (id: string) => Call<Order>
    /** `GET /sims/{iccid}/packages`: all packages that were bought for an eSIM. */
    readonly packagesOf: (iccid: string) => Call<ReadonlyArray<SimPackage>>
    /** `GET /sims/{iccid}/usage`. */
    readonly usageOf: (iccid: string) => Call<Usage>
    /** `POST /refund` for one eSIM: people decide. The number of the request. */
    readonly requestRefund: (of: {
      readonly iccid: string
      readonly reason: RefundReason
      readonly notes: string
    }) => Call<string>
    /** `GET /packages`: the whole catalogue, top-ups included, in pages. */
    readonly packages: Call<ReadonlyArray<Package>>
    /** `GET /balance`: what the account has left. */
    readonly balance: Call<Amount.Amount>
  }
>()("simplan/TelcoAiralo/PartnerApi") {}
