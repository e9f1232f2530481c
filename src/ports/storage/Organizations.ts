/**
 * The storage port's reads of organizations and of their keys and webhook endpoints.
 */
import type { ApiKey } from "../../domain/ApiKey.ts"
import type { Organization } from "../../domain/Organization.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { OfOrganization, Read } from "./Read.ts"

export interface Organizations {
  /** By creation and id, ascending. */
  readonly list: Read<ReadonlyArray<Organization>>
  readonly get: (organizationId: string) => Read<Organization | null>
}

export interface ApiKeys {
  readonly byHash: (hash: string) => Read<ApiKey | null>
  /** By creation and id, ascending, revoked ones included. */
  readonly list: (of: OfOrganization) => Read<ReadonlyArray<ApiKey>>
}

export interface WebhookEndpoints {
  /** By creation and id, ascending, without deleted ones. */
  readonly list: (of: OfOrganization) => Read<ReadonlyArray<WebhookEndpoint>>
}
