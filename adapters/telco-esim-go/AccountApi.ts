/**
 * The calls of eSIM Go (API v2.5) that simplan makes, typed. `HttpApi` makes them.
 *
 * Bytes are bytes, and amounts are exact. Each call fails with `CallFailure`, whose outcome says
 * whether it may have been done. Nothing here is idempotent but by what it says: an order that is
 * made twice is two orders, since no order has a name of ours.
 */
import { Context, type Effect } from "effect"
import type { Amount, Time } from "simplan/ports"
import type { CallFailure } from "../telco-calls/index.ts"

/** The states of an assignment (guide "bundle status"). */
export const states = ["processing", "queued", "active", "depleted", "expired", "revoked", "lapsed"] as const

/** The state of an assignment; `other`: one that the documents lack. */
export type State = (typeof states)[number] | "other"

/** An eSIM, and by what a device downloads it. */
export interface Esim {
  /** In canonical form, however the answer writes it. */
  readonly iccid: string
  /** Null: the answer leaves it out. */
  readonly matchingId: string | null
  /** As it came, perhaps with a scheme. Null: the answer leaves it out. */
  readonly smdpAddress: string | null
}

/** What an order has of one bundle. */
export interface Item {
  /** `bundle` for those that were ordered; other types are those of the portal and of top-ups. */
  readonly type: string
  /** The bundle's, such as `esim_1GB_7D_GB_V2`; it is case-sensitive. */
  readonly name: string
  /** How many of it. */
  readonly quantity: number
  /** The eSIMs that have it, new ones or old ones; empty while there are none. */
  readonly esims: ReadonlyArray<Esim>
}

/** An order that was made. */
export interface Order {
  /** The supplier's own, by which it is found again. */
  readonly reference: string
  /** `completed` once it is; the documents name no other. */
  readonly status: string
  /** When the supplier made it; null: the answer leaves it out, or it cannot be read. */
  readonly createdAt: Time.Instant | null
  /** The bundles that it is of; empty if the answer leaves them out. */
  readonly items: ReadonlyArray<Item>
  /** What it was charged at; null: the answer leaves it out. */
  readonly total: Amount.Amount | null
}

/** A bundle on an eSIM. An order may make several, as a bundle of a year has twelve. */
export interface Assignment {
  /** The bundle's. */
  readonly name: string
  /** By which it is revoked. */
  readonly assignmentId: string
  /** The reference of its order; null: the answer leaves it out. */
  readonly order: string | null
  /** Whether it waits, is in use, or what it has ended by. */
  readonly state: State
  /** Null: it is unlimited, or the answer leaves it out. */
  readonly initialBytes: number | null
  /** What is left of `initialBytes`; null: the answer leaves it out. */
  readonly remainingBytes: number | null
  /** When the eSIM got it; null: the answer leaves it out. */
  readonly assignedAt: Time.Instant | null
  /** Null: it was not used yet. */
  readonly startedAt: Time.Instant | null
  /** When its time ends or has ended; null: the answer leaves it out. */
  readonly endsAt: Time.Instant | null
  /** Whether it has no limit of data; false if the answer leaves it out. */
  readonly isUnlimited: boolean
}

/** An eSIM as it is now. */
export interface Details extends Esim {
  /** Such as `Released` or `Installed`, which differ by platform. */
  readonly profileStatus: string | null
  /** When a device first had it; null: none did. */
  readonly installedAt: Time.Instant | null
  /** Of its service; null: the answer leaves it out, or has a state that is not named here. */
  readonly state: "active" | "suspended" | "deactivated" | null
}

/** A bundle that can be bought. */
export interface Bundle {
  /** The code that orders and loads name. */
  readonly name: string
  /** A text for people; empty if the answer leaves it out. */
  readonly description: string
  /** ISO 3166 codes of two letters, as the supplier gives them. */
  readonly countries: ReadonlyArray<string>
  /** Null: it is unlimited, or is no bundle of data. */
  readonly dataBytes: number | null
  /** Null: it is not given in days. */
  readonly periodDays: number | null
  /** Whether it has no limit of data; then `dataBytes` is null. */
  readonly isUnlimited: boolean
  /** Whether it starts when it is assigned, and not at its first use. */
  readonly startsAtOnce: boolean
  /** In the currency of the account; null: the answer leaves it out. */
  readonly price: Amount.Amount | null
}

/** How many assignments of an eSIM are listed at most. */
export const MOST_ASSIGNMENTS = 200

/** What an order is for. */
export interface Request {
  /** The bundle's name. */
  readonly bundle: string
  /** The eSIM that gets it; null: a new one. */
  readonly iccid: string | null
}

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** The calls. Each fails with `CallFailure`. */
export class AccountApi extends Context.Service<
  AccountApi,
  {
    /** What an order would be charged at. Nothing is bought. */
    readonly quote: (request: Request) => Call<Amount.Amount>
    /** Buys one bundle, for a new eSIM or for one that is there. */
    readonly order: (request: Request) => Call<Order>
    /** All orders of the account since a time, in no order, whoever made them. */
    readonly orders: (since: Time.Instant) => Call<ReadonlyArray<Order>>
    /** One order by its reference. */
    readonly orderOf: (reference: string) => Call<Order>
    /** An eSIM of the account. */
    readonly details: (iccid: string) => Call<Details>
    /** All bundles on an eSIM, those that are over included, up to `MOST_ASSIGNMENTS`. */
    readonly assignments: (iccid: string) => Call<ReadonlyArray<Assignment>>
    /**
     * Takes a bundle off an eSIM. `isRefunded`: its price is to go to the balance, if the account
     * may have that. What the supplier says of it.
     */
    readonly revoke: (of: {
      readonly iccid: string
      readonly assignment: Pick<Assignment, "name" | "assignmentId">
      readonly isRefunded: boolean
    }) => Call<string>
    /** What became of an eSIM: names of actions, each with its bundle. */
    readonly history: (
      iccid: string
    ) => Call<
      ReadonlyArray<{ readonly action: string; readonly bundle: string | null; readonly at: Time.Instant | null }>
    >
    /** Stops the service of an eSIM, or starts it again; again as it is already is no failure. */
    readonly setSuspended: (of: { readonly iccid: string; readonly isSuspended: boolean }) => Call<void>
    /** Sends a message of 1 to 160 characters. */
    readonly sendSms: (of: { readonly iccid: string; readonly from: string; readonly text: string }) => Call<void>
    /** The bundles that the account can buy. */
    readonly bundles: Call<ReadonlyArray<Bundle>>
    /** What the account has, its test credit included. */
    readonly balance: Call<Amount.Amount>
  }
>()("simplan/TelcoEsimGo/AccountApi") {}
