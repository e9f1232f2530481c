/**
 * The calls of the online charging system (OCS) that simplan needs, typed. `HttpApi` makes them
 * over HTTP; tests make them over a model in memory.
 *
 * The documents write dates without a zone, and say "Date and time (UTC+0)" of those that the OCS
 * returns; so these are UTC.
 */
import { Context, type Effect } from "effect"
import type { Time } from "simplan/ports"
import type { CallFailure } from "../../telco-calls/index.ts"

/** What one subscriber, an ICCID, has to do with the OCS. Null: the OCS does not say. */
export interface Subscriber {
  /** The number by which the OCS distinguishes subscribers. */
  readonly subscriberId: number
  /** As the caller named it; in lists, as the OCS writes it. */
  readonly iccid: string
  /** What messages are sent by. */
  readonly imsi: string | null
  /** The phone number of now, as the OCS writes it. */
  readonly msisdn: string | null
  /** The eSIM's id, which the history of its profile is asked for by. */
  readonly simId: number | null
  /** False: a physical SIM. */
  readonly isEsim: boolean
  /** The SM-DP+ address of its activation code. */
  readonly smdpServer: string | null
  /** Whole, or its last part: systems differ. */
  readonly activationCode: string | null
  /** Null: it was seen nowhere yet. */
  readonly network: Network | null
  /** Of its service, in capitals, such as `ACTIVE` or `SUSPENDED`. Null: the OCS does not say. */
  readonly status: string | null
  /** Null: it has none, or the OCS does not say. */
  readonly mobilePlanId: number | null
}

/** Where the subscriber was last seen. */
export interface Network {
  /** Null: the OCS does not say here; `lastSeen` may. */
  readonly at: Time.Instant | null
  /** Mobile country code, as a number: the OCS drops leading zeros. */
  readonly mcc: number
  /** Mobile network code, as a number. */
  readonly mnc: number
  /** Such as `4G`. */
  readonly rat: string | null
  /** The IMEI of the device. */
  readonly imei: string | null
}

/** A prepaid package of a subscriber. */
export interface SubscriberPackage {
  /** The number by which the OCS distinguishes packages. */
  readonly id: number
  /** The template that it was made from. */
  readonly templateId: number | null
  /** An order's package is recognized by it. */
  readonly templateName: string | null
  /** When it was given to the subscriber. */
  readonly assignedAt: Time.Instant | null
  /** Null until the first use. */
  readonly activationAt: Time.Instant | null
  /** Null until the first use of one without a window. */
  readonly expirationAt: Time.Instant | null
  /** Null: the OCS does not say. */
  readonly allowanceBytes: number | null
  /** A running total. */
  readonly usedBytes: number
  /** False: suspended. */
  readonly isActive: boolean
  /** Whether one of the OCS's own recurring packages has made it. */
  readonly isRecurring: boolean
}

/** A package template of the reseller. */
export interface Template {
  /** The number that a new package names it by. */
  readonly id: number
  /** What the adapter finds it by. */
  readonly name: string
  /** It is listed, and packages cannot be made from it. */
  readonly isDeleted: boolean
  /** What its packages are given; absent: the OCS does not say. */
  readonly grant?: Grant
}

/** What a template gives, as far as the OCS says. Null: it does not. */
export interface Grant {
  /** The location zone that it may be used in. */
  readonly zoneId: number | null
  /** Of each package. */
  readonly allowanceBytes: number | null
  /** Days of 24 h. */
  readonly periodDays: number | null
  /** Limits in Kbit/s; empty if it throttles nothing. */
  readonly throttling: NewTemplate["throttling"] | null
}

/** What a new template says. */
export interface NewTemplate {
  /** Made of the terms, so that the same terms have the same one. */
  readonly name: string
  /** The location zone that it may be used in. */
  readonly zoneId: number
  /** Of each package. */
  readonly allowanceBytes: number
  /** Days of 24 h. */
  readonly periodDays: number
  /** At most four steps; limits in Kbit/s. */
  readonly throttling: ReadonlyArray<{ readonly percentage: number; readonly limit: number }>
}

/** A location zone of the reseller. */
export interface Zone {
  /** The number that settings name it by. */
  readonly id: number
  /** What the operator of the OCS calls it. */
  readonly name: string
}

/** A state in the history of an eSIM's profile. */
export interface ProfileState {
  /** As the OCS writes it. */
  readonly status: string
  /** UTC. */
  readonly startedAt: Time.Instant
  /** Null: the OCS does not say. */
  readonly modificationResult: string | null
}

/**
 * What subscribers are listed by: their account, or the first digits of what they have now or had
 * before.
 */
export type ListedBy =
  | { readonly accountId: number }
  /** At least 13 digits. */
  | { readonly iccidPrefix: string }
  /** At least 10 digits. */
  | { readonly imsiPrefix: string }
  /** At least 7 digits. */
  | { readonly msisdnPrefix: string }

/** A subscriber in a list. */
export interface ListedSubscriber extends Subscriber {
  /** Null: the OCS does not say. */
  readonly accountId: number | null
}

/** A row of a list that is not as the documents say. */
export interface OddRow {
  /** A row has the same each time. */
  readonly key: string
  /** Null: it cannot be read. */
  readonly accountId: number | null
  /** Null: it cannot be read. */
  readonly iccid: string | null
  /** What is wrong with it. */
  readonly message: string
}

/** Subscribers, as far as one answer goes. */
export interface SubscriberList {
  /** Those with an ICCID. */
  readonly subscribers: ReadonlyArray<ListedSubscriber>
  /** The ids of those without one. */
  readonly withoutCard: ReadonlyArray<number>
  /** Those that cannot be read. */
  readonly odd: ReadonlyArray<OddRow>
  /** The OCS has more subscribers than it lists. */
  readonly hasMore: boolean
  /** How many it has; null: it does not say. */
  readonly found: number | null
}

/** The time in which a package may be used. */
export interface Window {
  /** Inclusive. */
  readonly start: Time.Instant
  /** Exclusive. */
  readonly end: Time.Instant
}

/** What a subscriber used of data at some time, as the OCS's own book of usage has it. */
export interface Used {
  /** By the OCS's clock. */
  readonly at: Time.Instant
  /** ISO 3166 alpha-2, upper case. Null: the OCS does not say. */
  readonly countryAlpha2: string | null
  /** What was used then, in a package or not. */
  readonly bytes: number
}

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** The calls of the OCS. Each fails with `CallFailure`. */
export class Api extends Context.Service<
  Api,
  {
    /** `getSingleSubscriber` by ICCID. */
    readonly subscriber: (iccid: string) => Call<Subscriber>
    /** `listSubscriber`: some subscribers of an account, or of all accounts by a prefix. */
    readonly subscribersBy: (by: ListedBy) => Call<SubscriberList>
    /** `listSubscriberPrepaidPackages`, version 2, by ICCID. */
    readonly packages: (iccid: string) => Call<ReadonlyArray<SubscriberPackage>>
    /**
     * `affectPackageToSubscriber`: gives the subscriber a package of the template, for the window
     * or, without one, from its first use on. The id of the new package.
     */
    readonly affectPackage: (order: {
      readonly iccid: string
      readonly templateId: number
      readonly window: Window | null
    }) => Call<number>
    /** `modifySubscriberPrepaidPackageStatus`. */
    readonly setPackageStatus: (packageId: number, isActive: boolean) => Call<void>
    /** `deleteSubscriberPackage`. */
    readonly deletePackage: (packageId: number) => Call<void>
    /** `sendMtSms`: one message segment. */
    readonly sendSms: (sms: { readonly imsi: string; readonly from: string; readonly text: string }) => Call<void>
    /** `modifySubscriberMobilePlan`; null takes the plan away. */
    readonly setMobilePlan: (of: { readonly iccid: string; readonly mobilePlanId: number | null }) => Call<void>
    /** `modifySubscriberStatus`: `ACTIVE`, or `SUSPENDED` without service. */
    readonly setSubscriberStatus: (of: { readonly iccid: string; readonly isActive: boolean }) => Call<void>
    /** `getSimProviderStatus`: the states of the profile, the latest first. */
    readonly profileHistory: (simId: number) => Call<ReadonlyArray<ProfileState>>
    /**
     * `getSubscriberLocation`: when the subscriber was last seen; null if the OCS does not know.
     */
    readonly lastSeen: (iccid: string) => Call<Time.Instant | null>
    /**
     * `subscriberUsageOverPeriod`: what was used of data on the days from `from` to `to`, both
     * included, and perhaps on the days beside them; at most six days. Null: the settings name no
     * address of it.
     */
    readonly usage:
      | ((of: {
          readonly iccid: string
          readonly from: Time.Instant
          readonly to: Time.Instant
        }) => Call<ReadonlyArray<Used>>)
      | null
    /** `listPrepaidPackageTemplate`: all templates. */
    readonly templates: Call<ReadonlyArray<Template>>
    /** `createPrepaidPackageTemplate`. */
    readonly createTemplate: (template: NewTemplate) => Call<Template>
    /** `listDetailedLocationZone`: the location zones of the reseller. */
    readonly zones: Call<ReadonlyArray<Zone>>
  }
>()("simplan/TelcoOcs/Api") {}
