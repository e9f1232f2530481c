/**
 * Webhook endpoints: where an organization's events go (rule W7), and the keys that sign them
 * (rule W6).
 */
import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { Facts } from "./AuditEntry.ts"
import { InvalidField } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"
import { DAY, SECOND, toIso } from "./Time.ts"
import * as WebhookEvent from "./WebhookEvent.ts"

/** A secret that deliveries are signed with (rule W6). */
export interface SigningKey {
  /** `whsec_` and base64 of 32 random bytes. */
  readonly key: string
  /** Null for the newest key. A replaced key also signs until this instant. */
  readonly validUntil: Instant | null
}

/**
 * Who or what disabled an endpoint: its organization, a response of 410, or five days in which
 * every attempt failed (rule W7).
 */
export type DisabledReason = "Organization" | "Gone" | "Failing"

/** That the service has disabled an endpoint, or its organization has (rule W7). */
export interface Disabled {
  /** Who or what disabled it. */
  readonly reason: DisabledReason
  /** Business time. */
  readonly at: Instant
}

/** Where an organization wants its events sent. */
export interface WebhookEndpoint {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An id that never changes. */
  readonly endpointId: string
  /** Up to 2,048 characters (rule W9). */
  readonly url: string
  /** The event types that the endpoint receives; null for the interface's types (rule E1). */
  readonly events: ReadonlyArray<WebhookEvent.FilterType> | null
  /** The organization's own text, up to 255 characters (rule W9). */
  readonly description: string
  /** Null while the endpoint is enabled. */
  readonly disabled: Disabled | null
  /**
   * An instant since which attempts have failed; null if none failed since the endpoint was
   * enabled. A success does not change it: the log of attempts says whether one came (`failed`).
   */
  readonly failingSince: Instant | null
  /** Newest first. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  /** Business time. */
  readonly createdAt: Instant
  /** Null while it exists. */
  readonly deletedAt: Instant | null
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** Why and since when an endpoint is disabled; null if it has neither. */
export const disabledBy = (
  reason: NonNullable<WebhookEndpoint["disabled"]>["reason"] | null,
  at: Instant | null
): WebhookEndpoint["disabled"] => (reason === null || at === null ? null : { reason, at })

/**
 * The user and the password of an http or https URL, where a URL parser finds them: it takes a
 * backslash for a slash.
 */
const USER_INFO = /^ *https?:[/\\]*[^/\\?#]*@/i

/**
 * URL parsers leave out tabs and line ends, so that the URL called is not the one that is shown.
 */
const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * Rule W7: refuses what would be stored and shown, but not sent. Endpoints that have such a URL
 * already keep it.
 */
const checkUrl = (url: string): Result.Result<void, InvalidField> => {
  const refused = (message: string) => Result.fail(new InvalidField({ field: "url", message }))
  if (CONTROL_CHARACTER.test(url)) return refused("must not contain control characters")
  if (USER_INFO.test(url)) return refused("must not contain a user or a password: they would not be sent")
  return Result.void
}

/**
 * Whether the texts of a request are within their limits (rule W9), and the URL has nothing that is
 * not sent (rule W7); absent ones are.
 */
export const checkTexts = (request: {
  readonly url?: string
  readonly description?: string
}): Result.Result<void, InvalidField> =>
  Result.gen(function* () {
    if (request.url !== undefined) {
      yield* TextLimit.check("url", request.url, TextLimit.URL)
      yield* checkUrl(request.url)
    }
    if (request.description !== undefined) {
      yield* TextLimit.check("description", request.description, TextLimit.DESCRIPTION)
    }
  })

/**
 * A value in a query, after its name and the sign, or a parameter that has no sign and may be a
 * token as a whole.
 */
const VALUE = /(?<==)[^&]+|(?<=[?&])[^=&]+(?=&|$)/g

/** A user and a password. */
const USER = /(?<=^[a-z]+:\/\/)[^/?#]+(?=@)/i

/**
 * Rule W6: the URL as lists, answers and events show it. Its user and the values of its query may
 * be tokens, so each is `***`; a fragment, which is not sent, stays.
 */
export const shownUrl = (url: string): string => {
  const shown = url.replace(USER, "***")
  const from = shown.indexOf("?")
  if (from < 0) return shown
  const hash = shown.indexOf("#")
  if (hash >= 0 && hash < from) return shown
  const to = hash < 0 ? shown.length : hash
  return shown.slice(0, from) + shown.slice(from, to).replace(VALUE, "***") + shown.slice(to)
}

/** Rule W11: what the audit log says of an endpoint that is changed. */
export const facts = (endpoint: WebhookEndpoint): Facts => ({
  url: shownUrl(endpoint.url),
  "event types": endpoint.events === null ? "all" : endpoint.events.join(", "),
  description: endpoint.description,
  state: isEnabled(endpoint) ? "enabled" : endpoint.deletedAt === null ? "disabled" : "deleted"
})

/** Rule W6: the URL that a change asks for; what is shown stands for what is there. */
export const changedUrl = ({ url }: WebhookEndpoint, asked: string): string => (asked === shownUrl(url) ? url : asked)

/** Rule W6: the signing key made from 32 random bytes. */
export const signingKey = (random: Uint8Array): string => `whsec_${Base64.encode(random)}`

/** Whether the endpoint gets deliveries: it is neither disabled nor deleted. */
export const isEnabled = ({ deletedAt, disabled }: WebhookEndpoint): boolean => disabled === null && deletedAt === null

/** Rule E1: whether the endpoint takes events of the type. */
export const takes = (endpoint: WebhookEndpoint, type: WebhookEvent.Type): boolean =>
  isEnabled(endpoint) &&
  (endpoint.events === null ? !WebhookEvent.isOptIn(type) : endpoint.events.some((named) => named === type))

/**
 * Rule E1: whether the endpoint is sent the event: it takes the type, and the event is not kept
 * from it.
 */
export const receives = (endpoint: WebhookEndpoint, payload: WebhookEvent.Payload): boolean => {
  const only = WebhookEvent.onlyTo(payload)
  if (only !== null) return isEnabled(endpoint) && only === endpoint.endpointId
  return takes(endpoint, payload.type) && WebhookEvent.notTo(payload) !== endpoint.endpointId
}

/**
 * Rule W7: whether the service has disabled the endpoint, so that what it misses is kept for a
 * replay.
 */
export const missesEvents = ({ deletedAt, disabled }: WebhookEndpoint): boolean =>
  deletedAt === null && disabled !== null && disabled.reason !== "Organization"

/** Rule W7: whether the endpoint would be sent the event if the service had not disabled it. */
export const misses = (endpoint: WebhookEndpoint, payload: WebhookEvent.Payload): boolean =>
  missesEvents(endpoint) && receives({ ...endpoint, disabled: null }, payload)

/**
 * Rule W7: the endpoint gets no more deliveries, until it is enabled again. One that is disabled
 * stays as it is.
 */
export const disabled = (endpoint: WebhookEndpoint, reason: DisabledReason, now: Instant): WebhookEndpoint =>
  endpoint.disabled === null ? { ...endpoint, disabled: { reason, at: now } } : endpoint

/**
 * Rule W7: the endpoint gets deliveries again, and its failures count anew. One that is enabled
 * stays as it is.
 */
export const enabled = (endpoint: WebhookEndpoint): WebhookEndpoint =>
  endpoint.disabled === null ? endpoint : { ...endpoint, disabled: null, failingSince: null }

/** Rule W7: how long an endpoint may fail at every attempt before it is disabled. */
export const FAILING_LIMIT = 5 * DAY

/**
 * Whether the endpoint may have failed for as long as it may: then the log of attempts is to be
 * asked.
 */
export const mayHaveFailedTooLong = ({ failingSince }: WebhookEndpoint, now: Instant): boolean =>
  failingSince !== null && now - failingSince >= FAILING_LIMIT

/**
 * How much older than the failures a delivery may be for the log to be asked about its attempts.
 */
const SUMMARY_WINDOW = 5 * DAY

/**
 * What the log is asked about an endpoint that fails: the attempts from an instant on, at
 * deliveries from another on.
 */
export const failuresAsked = (failingSince: Instant): { readonly from: Instant; readonly createdFrom: Instant } => ({
  from: failingSince,
  createdFrom: failingSince - SUMMARY_WINDOW
})

/** What the log of deliveries says of an endpoint. */
export interface Health {
  /** Which endpoint it is. */
  readonly endpointId: string
  /** When an attempt last succeeded; null if none did. */
  readonly lastSuccessAt: Instant | null
  /** How many deliveries are to be made, counted up to 10,000. */
  readonly pending: number
}

/** Whether the endpoint gets deliveries, and has failed since its last success. */
export const isFailing = (
  endpoint: WebhookEndpoint
): endpoint is WebhookEndpoint & { readonly failingSince: Instant } =>
  isEnabled(endpoint) && endpoint.failingSince !== null

/**
 * Since when the endpoint has failed, or has been disabled by the service for it (`missesEvents`);
 * null: it does neither.
 */
export const troubledSince = (endpoint: WebhookEndpoint): Instant | null => {
  if (isFailing(endpoint)) return endpoint.failingSince
  return missesEvents(endpoint) ? (endpoint.failingSince ?? endpoint.disabled?.at ?? null) : null
}

/** The endpoints that fail, of all organizations. */
export interface Failing {
  /** How many there are, counted up to 10,000. */
  readonly count: number
  /** Since when the one has failed that has failed longest; null if none fails. */
  readonly since: Instant | null
}

/** The endpoints among these that fail (`isFailing`), taken together. */
export const failingOf = (endpoints: Iterable<WebhookEndpoint>): Failing => {
  const since = [...endpoints].filter(isFailing).map(({ failingSince }) => failingSince)
  return { count: since.length, since: since.length === 0 ? null : since.reduce((a, b) => Math.min(a, b)) }
}

/**
 * How long an endpoint has failed at least before a success of its other deliveries ends that: one
 * that fails now and then is not written each time. What failed is not tried again sooner
 * (`Delivery.retrySchedule`), and ends it if it succeeds.
 */
export const RECOVERY = 5 * SECOND

/** Rule W7: the endpoint after a success at `now`, of a delivery that was replayed or not. */
export const succeeded = (endpoint: WebhookEndpoint, now: Instant, isReplay: boolean): WebhookEndpoint =>
  endpoint.failingSince !== null && (isReplay || now - endpoint.failingSince >= RECOVERY)
    ? { ...endpoint, failingSince: null }
    : endpoint

/**
 * Rule W7: the endpoint after a failed attempt at `now`. `since` is the first failure after the
 * last success, without this attempt; null if there is none.
 */
export const failed = (endpoint: WebhookEndpoint, since: Instant | null, now: Instant): WebhookEndpoint => {
  const failing = { ...endpoint, failingSince: since ?? now }
  return mayHaveFailedTooLong(failing, now) ? disabled(failing, "Failing", now) : failing
}

/**
 * Rule E1: what notifies the organization's other endpoints if the service has disabled the
 * endpoint.
 */
export const disabledPayloads = ({
  disabled,
  endpointId,
  url
}: WebhookEndpoint): ReadonlyArray<WebhookEvent.Payload> => {
  if (disabled === null || disabled.reason === "Organization") return []
  const reason = disabled.reason === "Gone" ? "gone" : "failing"
  const data = { webhookEndpointId: endpointId, url: shownUrl(url), reason, disabledAt: toIso(disabled.at) } as const
  return [{ type: "endpoint.disabled", data }]
}

/** The endpoint after its deletion. Its deliveries stay in the log. */
export const deleted = (endpoint: WebhookEndpoint, now: Instant): WebhookEndpoint => ({ ...endpoint, deletedAt: now })

/** How long a replaced key goes on signing. */
export const ROTATION_OVERLAP = DAY

/**
 * Rule W6: the endpoint with a new signing key. Each earlier key goes on signing for 24 h after it
 * was replaced.
 */
export const withNewKey = (endpoint: WebhookEndpoint, key: string, now: Instant): WebhookEndpoint => ({
  ...endpoint,
  signingKeys: [
    { key, validUntil: null },
    ...endpoint.signingKeys.flatMap(({ key: before, validUntil }) =>
      validUntil === null || now < validUntil ? [{ key: before, validUntil: validUntil ?? now + ROTATION_OVERLAP }] : []
    )
  ]
})

/** The keys to sign with at `now`, newest first. */
export const keysAt = (endpoint: WebhookEndpoint, now: Instant): ReadonlyArray<string> =>
  endpoint.signingKeys.filter(({ validUntil }) => validUntil === null || now < validUntil).map(({ key }) => key)
