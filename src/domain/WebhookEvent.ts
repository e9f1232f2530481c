/**
 * Webhook events and the bodies of their deliveries (rule W5).
 */
import { Result } from "effect"
import { InvalidField } from "./Refusal.ts"
import type { Instant } from "./Time.ts"

export const types = [
  "attachment.allowanceConsumed",
  "subscription.esim.locationChanged",
  "esim.smdp.stateChanged"
] as const

export type Type = (typeof types)[number]

const isType = (name: string): name is Type => types.some((type) => type === name)

/** The types that an endpoint asks for, each once, in the order given. An unknown type and an empty list are refused. */
export const typesOf = (names: ReadonlyArray<string>): Result.Result<ReadonlyArray<Type>, InvalidField> => {
  const refuse = (message: string) => Result.fail(new InvalidField({ field: "events", message }))
  if (names.length === 0) return refuse("must name at least one type, or be left out for all")
  return names.every(isType) ? Result.succeed([...new Set(names)]) : refuse(`must hold only ${types.join(", ")}`)
}

/** An event's type and the `data` of its webhook body. The order of keys is that of the wire. */
export type Payload =
  | {
      readonly type: "attachment.allowanceConsumed"
      readonly data: {
        readonly usagePercentage: number
        readonly dataUsageBytes: number
        readonly esim: string
        readonly planId: string
        readonly attachmentId: string
      }
    }
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

export interface WebhookEvent {
  readonly organizationId: string
  readonly eventId: string
  readonly createdAt: Instant
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

/** The SIM that an event is about. */
export const iccid = (payload: Payload): string =>
  payload.type === "esim.smdp.stateChanged" ? payload.data.sim : payload.data.esim
