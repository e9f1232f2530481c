/**
 * The storage port's reads of operators, and of organizations with their keys and webhook
 * endpoints.
 */
import type { ApiKey } from "../../domain/ApiKey.ts"
import type { LoggedDelivery } from "../../domain/Delivery.ts"
import type { EventHandler } from "../../domain/EventHandler.ts"
import type { Operator } from "../../domain/Operator.ts"
import type { Organization } from "../../domain/Organization.ts"
import type { Kind } from "../../domain/Quota.ts"
import type { Session } from "../../domain/Session.ts"
import type { Failing, Health, WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Type } from "../../domain/WebhookEvent.ts"
import type { CreatedCursor, Keyset, OfOrganization, Page, Read } from "./Read.ts"

export interface Organizations {
  /** By creation and id, ascending. */
  readonly page: (query: Keyset<CreatedCursor>) => Read<ReadonlyArray<Organization>>
  readonly get: (organizationId: string) => Read<Organization | null>
  /** Those of these ids that are there, in any order. No id is given twice. */
  readonly getAll: (organizationIds: ReadonlyArray<string>) => Read<ReadonlyArray<Organization>>
  /** How many of a kind it has (`Quota.kinds`), counted up to `atMost`. */
  readonly count: (of: OfOrganization & { readonly kind: Kind; readonly atMost: number }) => Read<number>
}

export interface Operators {
  /** Whose token it is, or was before the last rotation; deleted ones are there too. */
  readonly byHash: (hash: string) => Read<Operator | null>
  /** Deleted ones are there too. */
  readonly get: (operatorId: string) => Read<Operator | null>
  /** The one with that name that is not deleted. */
  readonly named: (name: string) => Read<Operator | null>
  /** By creation and id, ascending, deleted ones included. */
  readonly page: (query: Keyset<CreatedCursor>) => Read<ReadonlyArray<Operator>>
}

export interface Sessions {
  /** Null if there is none, or if it was over and is forgotten (`purge`). */
  readonly get: (sessionId: string) => Read<Session | null>
}

export interface ApiKeys {
  /** Whose secret it is, or was before the last rotation with an overlap. */
  readonly byHash: (hash: string) => Read<ApiKey | null>
  readonly get: (of: OfOrganization & { readonly apiKeyId: string }) => Read<ApiKey | null>
  /** By creation and id, ascending, revoked ones included. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<ApiKey>>
}

export interface WebhookEndpoints {
  /** Null if it was deleted. */
  readonly get: (of: OfOrganization & { readonly endpointId: string }) => Read<WebhookEndpoint | null>
  /** By creation and id, ascending, without deleted ones. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<WebhookEndpoint>>
  /**
   * The types that the filters of endpoints name that are enabled or miss events
   * (`WebhookEndpoint.missesEvents`), and those of handlers for the organization or for all, each
   * once and in any order (rules E1 and E2); deleted ones do not count.
   */
  readonly namedTypes: (of: OfOrganization) => Read<ReadonlyArray<Type>>
  /**
   * When an attempt at the endpoint first failed after the last one that succeeded (rule W7): of
   * the attempts at `from` or later, at deliveries that were created at `createdFrom` or later.
   * Null if there is none. It is asked rarely, and may cost as much as those deliveries are
   * many.
   */
  readonly failingSince: (
    of: OfOrganization & { readonly endpointId: string; readonly from: Instant; readonly createdFrom: Instant }
  ) => Read<Instant | null>
  /**
   * What the log says of each of the endpoints (`Delivery.healthOf`), in any order. A storage may
   * keep it beside the log, so that it costs the same however much is pending; then the last
   * success stays when its delivery is purged.
   */
  readonly health: (of: OfOrganization & { readonly endpointIds: ReadonlyArray<string> }) => Read<ReadonlyArray<Health>>
  /**
   * Those of all organizations that fail (`WebhookEndpoint.isFailing`), counted up to 10,000. For
   * watching.
   */
  readonly failing: Read<Failing>
}

export interface EventHandlers {
  /** All handlers of the service, by name (rule E2). They are few. */
  readonly list: Read<ReadonlyArray<EventHandler>>
  /** A delivery to a handler. */
  readonly delivery: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>
  /**
   * The deliveries to the handler of that name that were given up, of all organizations; by
   * creation and id, ascending. `eventId`: those of one event; null for all.
   */
  readonly failed: (
    query: Keyset<CreatedCursor> & { readonly name: string; readonly eventId: string | null }
  ) => Read<ReadonlyArray<LoggedDelivery>>
}
