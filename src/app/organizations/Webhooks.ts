/**
 * Webhook endpoints of an organization, and the log of their deliveries (rules W5 to W7).
 */
import { Context, Effect, Layer } from "effect"
import { type Action, differences } from "../../domain/AuditEntry.ts"
import * as Delivery from "../../domain/Delivery.ts"
import type { LoggedAttempt, LoggedDelivery } from "../../domain/Delivery.ts"
import { kinds } from "../../domain/Idempotency.ts"
import {
  type ChangedMeanwhile,
  EndpointDisabled,
  type InvalidField,
  NotFound,
  type QuotaExceeded
} from "../../domain/Refusal.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import * as Endpoint from "../../domain/WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import * as Version from "../../domain/Version.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, type DeliveryFilter, type Page, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import { Organizations } from "./Organizations.ts"

interface OfEndpoint {
  readonly organizationId: string
  readonly endpointId: string
}

interface OfDelivery {
  readonly organizationId: string
  readonly deliveryId: string
}

/** An endpoint as it is listed. */
export interface ListedEndpoint extends WebhookEndpoint {
  /** What the log of its deliveries says of it. */
  readonly health: Endpoint.Health
}

/** A delivery with its attempts. */
export interface DeliveryWithAttempts extends LoggedDelivery {
  /** The last 100, newest first. */
  readonly attempts: ReadonlyArray<LoggedAttempt>
}

/** Manages endpoints, and reads and repeats deliveries (rules W5 to W7). */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * `events` null: the interface's types (rule E1). The caller checks whether the URL is allowed.
     */
    readonly create: (request: {
      readonly organizationId: string
      readonly url: string
      readonly events: ReadonlyArray<string> | null
      readonly description: string
    }) => Effect.Effect<WebhookEndpoint, InvalidField | NotFound | QuotaExceeded | StorageError>
    /** Oldest first. */
    readonly page: (
      of: Page<CreatedCursor>
    ) => Effect.Effect<Paging.Page<ListedEndpoint, CreatedCursor>, NotFound | StorageError>
    /**
     * Absent fields stay as they are. `enabled: true` enables a disabled endpoint, whatever
     * disabled it.
     */
    readonly update: (
      of: OfEndpoint & {
        readonly url?: string
        readonly events?: ReadonlyArray<string> | null
        readonly description?: string
        readonly enabled?: boolean
        /** The versions of the endpoint that it may be of (rule W16). */
        readonly ifVersion?: Version.Expected
      }
    ) => Effect.Effect<WebhookEndpoint, ChangedMeanwhile | InvalidField | NotFound | StorageError>
    /** Deletes the endpoint for good; what is due to it is sent no more. */
    readonly remove: (of: OfEndpoint) => Effect.Effect<void, NotFound | StorageError>
    /** Adds a new signing key. The one before stays valid for 24 h. */
    readonly rotateKey: (of: OfEndpoint) => Effect.Effect<WebhookEndpoint, NotFound | StorageError>
    /** Newest first. */
    readonly deliveries: (
      of: Page<CreatedCursor> & DeliveryFilter
    ) => Effect.Effect<Paging.Page<LoggedDelivery, CreatedCursor>, NotFound | StorageError>
    /** With its attempts. `NotFound` once it was purged (rule W12). */
    readonly delivery: (of: OfDelivery) => Effect.Effect<DeliveryWithAttempts, NotFound | StorageError>
    /** Sends the event again, now, with a new retry schedule. */
    readonly replay: (of: OfDelivery) => Effect.Effect<LoggedDelivery, NotFound | StorageError>
    /**
     * Sends the events of all deliveries that the filter takes once more, newest first: also of
     * those that wait for their next attempt. Those under way are left alone. It stops after
     * 10,000: `next` is where to go on, null if none are left.
     */
    readonly replayAll: (
      of: DeliveryFilter & { readonly organizationId: string; readonly after: CreatedCursor | null }
    ) => Effect.Effect<Replayed, EndpointDisabled | NotFound | StorageError>
    /** Sends an `endpoint.test` event to this endpoint only, whatever its filter. */
    readonly test: (of: OfEndpoint) => Effect.Effect<void, EndpointDisabled | NotFound | StorageError>
  }
>()("simplan/Webhooks") {}

/** How far a replay has come. */
export interface Replayed {
  /** How many deliveries are to be made again. */
  readonly replayed: number
  /** Where to go on; null: none are left. */
  readonly next: CreatedCursor | null
}

/** How many deliveries one commit replays, and how many commits one request makes. */
const REPLAYED_AT_ONCE = 1_000
const REPLAYS = 10

type Needs = Paging.FilteredLists | Storage | BusinessClock | Ids | Commits | Organizations
type Logged = Paging.Page<LoggedDelivery, CreatedCursor>

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Webhooks, never, Needs> = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const organizations = yield* Organizations
    const lists = yield* Paging.FilteredLists

    const signingKey = Effect.map(ids.bytes(32), Endpoint.signingKey)

    /**
     * Rule E1: the commit of an endpoint. If it takes events that fall due by the clock, and did
     * not before, a job makes jobs that notify them of existing attachments.
     */
    const withNotices = Effect.fnUntraced(function* (
      action: Action,
      next: WebhookEndpoint,
      now: Instant,
      before?: WebhookEndpoint
    ) {
      const asks = (endpoint: WebhookEndpoint) => Lifecycle.timedTypes.some((type) => Endpoint.takes(endpoint, type))
      const { endpointId: resourceId, organizationId } = next
      const isNew = asks(next) && (before === undefined || !asks(before))
      const jobs = isNew ? Lifecycle.jobsOfAll(yield* ids.next(now, organizationId), now) : []
      const commit = { ...(yield* commits.prepare(organizationId, { jobs }, now)), webhookEndpoints: [next] }
      const changed = before === undefined ? [] : differences(Endpoint.facts(before), Endpoint.facts(next))
      return yield* commits.audited(commit, { organizationId, action, resourceId, iccid: null, changed }, now)
    })

    const change = <E = never>(
      action: Action,
      of: OfEndpoint,
      change: (endpoint: WebhookEndpoint) => Effect.Effect<WebhookEndpoint, E>
    ) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          yield* organizations.get(of)
          const found = yield* storage.webhookEndpoints.get(of)
          if (found === null) return yield* new NotFound({ resource: "webhook endpoint", id: of.endpointId })
          const next = yield* change(found)
          const commit = yield* withNotices(action, next, yield* clock.now, found)
          const changed = { ...next, version: next.version + 1 }
          yield* commits.write(commit, kinds.Endpoint.keep(changed))
          return changed
        })
      )

    /** Refuses an endpoint that is not there or is disabled. */
    const enabled = Effect.fnUntraced(function* ({ endpointId, organizationId }: OfEndpoint) {
      const found = yield* storage.webhookEndpoints.get({ organizationId, endpointId })
      if (found === null) return yield* new NotFound({ resource: "webhook endpoint", id: endpointId })
      if (!Endpoint.isEnabled(found)) return yield* new EndpointDisabled({ endpointId })
    })

    const logged = (of: Page<CreatedCursor> & DeliveryFilter) =>
      lists.page(
        of,
        (step) => storage.deliveries.page({ ...of, ...step }),
        ({ delivery }) => ({ createdAt: delivery.createdAt, id: delivery.deliveryId })
      )

    return Webhooks.of({
      page: Effect.fn("Webhooks.page")(function* ({ limit, ...of }) {
        yield* organizations.get(of)
        const found = yield* storage.webhookEndpoints.page({ ...of, limit: limit + 1 })
        const page = Paging.page(found, limit, ({ createdAt, endpointId }) => ({ createdAt, id: endpointId }))
        const endpointIds = page.items.map(({ endpointId }) => endpointId)
        const { organizationId } = of
        const known =
          endpointIds.length === 0 ? [] : yield* storage.webhookEndpoints.health({ organizationId, endpointIds })
        const byId = new Map(known.map((health) => [health.endpointId, health]))
        const listed = (endpoint: WebhookEndpoint): ListedEndpoint => ({
          ...endpoint,
          health: byId.get(endpoint.endpointId) ?? Delivery.healthOf(endpoint.endpointId, [])
        })
        return { ...page, items: page.items.map(listed) }
      }),
      create: Effect.fn("Webhooks.create")(function* ({ description, events, organizationId, url }) {
        yield* Effect.fromResult(Endpoint.checkTexts({ url, description }))
        const types = events === null ? null : yield* Effect.fromResult(WebhookEvent.typesOf(events))
        yield* organizations.get({ organizationId })
        yield* organizations.checkQuota({ organizationId, kind: "webhookEndpoints" })
        const now = yield* clock.now
        const endpoint: WebhookEndpoint = {
          organizationId,
          endpointId: yield* ids.next(now, organizationId),
          url,
          events: types,
          description,
          disabled: null,
          failingSince: null,
          signingKeys: [{ key: yield* signingKey, validUntil: null }],
          createdAt: now,
          deletedAt: null,
          version: 0
        }
        yield* commits.retryOnConflict(
          Effect.flatMap(withNotices("webhook_endpoint.create", endpoint, now), (commit) =>
            commits.write(commit, kinds.Endpoint.keep(endpoint))
          )
        )
        return { ...endpoint, version: endpoint.version + 1 }
      }),
      update: Effect.fn("Webhooks.update")(function* ({ description, enabled, events, ifVersion, url, ...of }) {
        yield* Effect.fromResult(
          Endpoint.checkTexts({
            ...(url !== undefined && { url }),
            ...(description !== undefined && { description })
          })
        )
        const types =
          events === undefined || events === null ? events : yield* Effect.fromResult(WebhookEvent.typesOf(events))
        return yield* change("webhook_endpoint.update", of, (endpoint) =>
          Effect.zipWith(
            Effect.fromResult(Version.check("webhook endpoint", endpoint.version, ifVersion)),
            clock.now,
            (_, now) => ({
              ...(enabled === undefined
                ? endpoint
                : enabled
                  ? Endpoint.enabled(endpoint)
                  : Endpoint.disabled(endpoint, "Organization", now)),
              ...(url === undefined ? {} : { url: Endpoint.changedUrl(endpoint, url) }),
              ...(types === undefined ? {} : { events: types }),
              ...(description === undefined ? {} : { description })
            })
          )
        )
      }),
      remove: (of) =>
        Effect.asVoid(
          change("webhook_endpoint.delete", of, (endpoint) =>
            Effect.map(clock.now, (now) => Endpoint.deleted(endpoint, now))
          )
        ),
      rotateKey: (of) =>
        change("webhook_endpoint.rotate_key", of, (endpoint) =>
          Effect.zipWith(signingKey, clock.now, (key, now) => Endpoint.withNewKey(endpoint, key, now))
        ),
      deliveries: Effect.fn("Webhooks.deliveries")(function* (of) {
        yield* organizations.get(of)
        return yield* logged(of)
      }),
      delivery: Effect.fn("Webhooks.delivery")(function* (of) {
        yield* organizations.get(of)
        const logged = yield* storage.deliveries.get(of)
        if (logged === null) return yield* new NotFound({ resource: "delivery", id: of.deliveryId })
        return { ...logged, attempts: yield* storage.deliveries.attempts(of) }
      }),
      replay: Effect.fn("Webhooks.replay")(function* (of) {
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            yield* organizations.get(of)
            const logged = yield* storage.deliveries.get(of)
            if (logged === null) return yield* new NotFound({ resource: "delivery", id: of.deliveryId })
            const now = yield* clock.now
            const delivery = Delivery.replayed(logged.delivery, now)
            const { deliveryId: resourceId, organizationId } = delivery
            const change = { organizationId, action: "delivery.replay", resourceId, iccid: null } as const
            yield* commits.write(yield* commits.audited({ deliveries: { replayed: [delivery] } }, change, now))
            return { ...logged, delivery }
          })
        )
      }),
      replayAll: Effect.fn("Webhooks.replayAll")(function* ({ after, ...of }) {
        yield* organizations.get(of)
        const { endpointId, organizationId } = of
        if (endpointId !== undefined) yield* enabled({ organizationId, endpointId })
        const resourceId = endpointId ?? "*"
        const change = { organizationId, action: "delivery.replay", resourceId, iccid: null } as const
        let next = after
        let replayed = 0
        for (let step = 0; step < REPLAYS; step++) {
          const found: Logged = yield* logged({ ...of, after: next, limit: REPLAYED_AT_ONCE })
          const now = yield* clock.now
          const chosen = found.items.filter(({ delivery }) => !Delivery.isUnderWay(delivery, now))
          const deliveries = { replayed: chosen.map(({ delivery }) => Delivery.replayed(delivery, now)) }
          if (chosen.length > 0) {
            yield* commits.retryOnConflict(
              Effect.flatMap(commits.audited({ deliveries }, change, now), (commit) => commits.write(commit))
            )
          }
          replayed += chosen.length
          next = found.next
          if (next === null) break
        }
        return { replayed, next }
      }),
      test: Effect.fn("Webhooks.test")(function* (of) {
        yield* organizations.get(of)
        yield* enabled(of)
        const payload = { type: WebhookEvent.TEST, data: { webhookEndpointId: of.endpointId } } as const
        const { endpointId: resourceId, organizationId } = of
        const change = { organizationId, action: "webhook_endpoint.test", resourceId, iccid: null } as const
        const now = yield* clock.now
        yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const commit = yield* commits.prepare(organizationId, { payloads: [payload] }, now)
            yield* commits.write(yield* commits.audited(commit, change, now))
          })
        )
      })
    })
  })
)
