/**
 * Webhook events and the bodies of their deliveries (rules W5 and E1).
 */
import { Result } from "effect"
import { type Code, InvalidField } from "./Refusal.ts"
import type { Instant } from "./Time.ts"

/** The interface's types: an endpoint without a filter receives these. */
export const standardTypes = [
  "attachment.allowanceConsumed",
  "subscription.esim.locationChanged",
  "esim.smdp.stateChanged"
] as const

/** Rule E1: only an endpoint whose filter names such a type receives it. */
export const optInTypes = [
  "subscription.created",
  "subscription.deleted",
  "subscription.replaced",
  "subscription.paused",
  "subscription.resumed",
  "attachment.created",
  "attachment.activated",
  "attachment.expiring",
  "attachment.expired",
  "attachment.suspended",
  "package.created",
  "package.refused",
  "package.allowanceConsumed",
  "stock.low",
  "endpoint.disabled",
  "command.done",
  "command.refused"
] as const

/** The types that a filter may name. */
export const types = [...standardTypes, ...optInTypes] as const

/** How many types a filter names at most, one that is named twice included (rule W9). */
export const MOST_NAMED = 100

/** A test event: no filter names it, because it goes to one endpoint only. */
export const TEST = "endpoint.test"

/** A type that an endpoint's filter may name. */
export type FilterType = (typeof types)[number]
/** Every type that a webhook may have: those that filters name, and `endpoint.test`. */
export type Type = FilterType | typeof TEST
/** A type that only those receive who name it (rule E1). */
export type OptInType = (typeof optInTypes)[number]

/** What has become of a command of the host (rule H1). */
export type OutcomeType = Extract<OptInType, `command.${string}`>

/** What a change of a SIM is notified by; the rest of the opt-in types is about usage, moves, stock, endpoints and commands. */
export type LifecycleType = Exclude<
  OptInType,
  "subscription.replaced" | "package.allowanceConsumed" | "stock.low" | "endpoint.disabled" | OutcomeType
>

/** Rule E1: whether the type goes only to endpoints whose filter names it. */
export const isOptIn = (type: Type): type is OptInType => optInTypes.some((known) => known === type)

const isType = (name: string): name is FilterType => types.some((type) => type === name)

/**
 * The types that an endpoint asks for, each once, in the order given. An unknown type and an empty list are refused.
 */
export const typesOf = (names: ReadonlyArray<string>): Result.Result<ReadonlyArray<FilterType>, InvalidField> => {
  const refuse = (message: string) => Result.fail(new InvalidField({ field: "events", message }))
  if (names.length > MOST_NAMED) return refuse(`must have at most ${MOST_NAMED} items`)
  if (names.length === 0) return refuse("must name at least one type, or be left out for the standard ones")
  return names.every(isType) ? Result.succeed([...new Set(names)]) : refuse(`must hold only ${types.join(", ")}`)
}

/** An event's type and the `data` of its webhook body. The order of keys is that of the wire. */
export type Payload =
  | { readonly type: "attachment.allowanceConsumed"; readonly data: ConsumedData }
  | { readonly type: "package.allowanceConsumed"; readonly data: ConsumedData & { readonly packageId: string } }
  | {
      readonly type: "subscription.esim.locationChanged"
      readonly data: {
        readonly esim: string
        readonly countryIso2: string
        readonly previousCountryIso2: string | null
      }
    }
  | {
      readonly type: "esim.smdp.stateChanged"
      readonly data: {
        readonly sim: string
        readonly smdpStateChange: { readonly state: string; readonly modificationResult: string }
      }
    }
  | {
      readonly type: "subscription.created" | "subscription.deleted"
      readonly data: { readonly esim: string; readonly subscriptionId: string }
    }
  | {
      readonly type: "subscription.replaced"
      /** `esim` is the new SIM, `replacedEsim` the former one; `replacedAt` is RFC 3339 in UTC. */
      readonly data: {
        readonly esim: string
        readonly subscriptionId: string
        readonly replacedEsim: string
        readonly replacedAt: string
      }
    }
  | {
      readonly type: "subscription.paused"
      /** `pausedAt` is RFC 3339 in UTC. */
      readonly data: { readonly esim: string; readonly subscriptionId: string; readonly pausedAt: string }
    }
  | {
      readonly type: "subscription.resumed"
      /** `resumedAt` is RFC 3339 in UTC. */
      readonly data: { readonly esim: string; readonly subscriptionId: string; readonly resumedAt: string }
    }
  | {
      readonly type: "attachment.created" | "attachment.activated" | "attachment.expiring" | "attachment.expired"
      readonly data: AttachmentData
    }
  | {
      readonly type: "attachment.suspended"
      readonly data: AttachmentData & { readonly suspendedAt: string }
    }
  | {
      readonly type: "package.created" | "package.refused"
      readonly data: AttachmentData & { readonly packageId: string }
    }
  | {
      readonly type: "stock.low"
      readonly data: {
        readonly label: string
        /** How many eSIMs of the label were free when they were counted. */
        readonly free: number
        readonly level: number
      }
    }
  | {
      readonly type: "endpoint.disabled"
      readonly data: {
        readonly webhookEndpointId: string
        readonly url: string
        /** `gone` after a response of 410, `failing` after five days of failures (rule W7). */
        readonly reason: "gone" | "failing"
        /** RFC 3339 in UTC. */
        readonly disabledAt: string
      }
    }
  | { readonly type: "command.done"; readonly data: CommandData }
  | {
      readonly type: "command.refused"
      readonly data: CommandData & {
        /** The stable name of the refusal (rule W1). */
        readonly code: Code
        /** What was wrong, as a sentence for people. */
        readonly message: string
      }
    }
  | { readonly type: typeof TEST; readonly data: { readonly webhookEndpointId: string } }

/** What events about a threshold say: the percentage that was reached, and what was used by then. */
export type ConsumedData = {
  readonly usagePercentage: number
  readonly dataUsageBytes: number
  readonly esim: string
  readonly planId: string
  readonly attachmentId: string
}

/**
 * What events about an attachment or one of its packages say of it. The times are RFC 3339 in UTC, and null as long as
 * they are not known.
 */
export type AttachmentData = {
  readonly esim: string
  readonly subscriptionId: string
  readonly attachmentId: string
  readonly planId: string
  readonly activationAt: string | null
  readonly expirationAt: string | null
}

/** What events about a command publish of it (rule H1). */
export type CommandData = {
  /** The id that the host was given when it submitted the command. */
  readonly id: string
  /** What was asked for, such as `subscriptions.create`. */
  readonly method: string
  /** That of the creation; null for a command that has none. */
  readonly metadata: string | null
}

/** What an organization is notified of, stored in the commit that causes it. */
export interface WebhookEvent {
  /** The organization that owns it. */
  readonly organizationId: string
  /** What receivers recognize a repeated delivery by. */
  readonly eventId: string
  /** Business time. */
  readonly createdAt: Instant
  /** The type, and the `data` of the body. */
  readonly payload: Payload
}

/**
 * The body of a delivery: compact JSON whose re-serialization gives the same bytes (rule W5). `timestamp` is in Unix
 * seconds.
 */
export const body = (event: WebhookEvent): string =>
  JSON.stringify({
    id: event.eventId,
    type: event.payload.type,
    timestamp: Math.floor(event.createdAt / 1000),
    data: event.payload.data
  })

/** The SIM that an event is about; null if it is about an endpoint, a command or the stock. */
export const iccid = ({ data }: Payload): string | null =>
  "sim" in data ? data.sim : "esim" in data ? data.esim : null

/** The only endpoint that an event goes to, whatever its filter; null if the filters decide. */
export const onlyTo = ({ data, type }: Payload): string | null => (type === TEST ? data.webhookEndpointId : null)

/** The endpoint that an event is about and does not go to; null if there is none. */
export const notTo = ({ data, type }: Payload): string | null =>
  type === "endpoint.disabled" ? data.webhookEndpointId : null
