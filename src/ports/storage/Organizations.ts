/**
 * The storage port's reads of organizations and of their keys and webhook endpoints.
 */
import type { ApiKey } from "../../domain/ApiKey.ts"
import type { EventHandler } from "../../domain/EventHandler.ts"
import type { Organization } from "../../domain/Organization.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Type } from "../../domain/WebhookEvent.ts"
import type { CreatedCursor, Keyset, OfOrganization, Page, Read } from "./Read.ts"

export interface Organizations {
  /** By creation and id, ascending. */
  readonly page: (query: Keyset<CreatedCursor>) => Read<ReadonlyArray<Organization>>
  readonly get: (organizationId: string) => Read<Organization | null>
}

export interface ApiKeys {
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
   * The types that the filters of endpoints name that are enabled or miss events (`WebhookEndpoint.missesEvents`), and
   * those of handlers for the organization or for all, each once and in any order (rules E1 and E2); deleted ones do
   * not count.
   */
  readonly namedTypes: (of: OfOrganization) => Read<ReadonlyArray<Type>>
  /**
   * When an attempt at the endpoint first failed after the last one that succeeded (rule W7): of the attempts at `from`
   * or later, at deliveries that were created at `createdFrom` or later. Null where there is none. It is asked rarely,
   * and may cost as much as those deliveries are many.
   */
  readonly failingSince: (
    of: OfOrganization & { readonly endpointId: string; readonly from: Instant; readonly createdFrom: Instant }
  ) => Read<Instant | null>
}

export interface EventHandlers {
  /** All handlers of the service, by name (rule E2). They are few. */
  readonly list: Read<ReadonlyArray<EventHandler>>
}
