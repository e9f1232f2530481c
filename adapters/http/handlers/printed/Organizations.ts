/** Printed from the views by `npm run print`: copies to the wire's form, and from the bodies of requests. */
import { Time } from "simplan"
import type { Organizations as Views, View } from "simplan/views"
import * as Query from "../../wire/Query.ts"
import * as Responses from "../../wire/Responses.ts"

export const organization = (of: View.Of<typeof Views.Organization>): View.OnWire<typeof Views.Organization> => ({
  organization_id: of.organizationId,
  name: of.name,
  created_at: Time.toIso(of.createdAt)
})

export const apiKey = (of: View.Of<typeof Views.ApiKey>): View.OnWire<typeof Views.ApiKey> => ({
  api_key_id: of.apiKeyId,
  name: of.name,
  scope: of.scope,
  hint: of.hint,
  previous_key_until: Responses.instant(of.previousUntil),
  created_at: Time.toIso(of.createdAt),
  expires_at: Responses.instant(of.expiresAt),
  revoked_at: Responses.instant(of.revokedAt),
  last_used_at: Responses.instant(of.lastUsedAt)
})

export const createOrganization = (
  of: View.OwnOnWire<typeof Views.CreateOrganization>
): View.OwnOf<typeof Views.CreateOrganization> => ({
  name: of.name
})

export const createApiKey = (of: View.OwnOnWire<typeof Views.CreateApiKey>): View.OwnOf<typeof Views.CreateApiKey> => ({
  name: of.name,
  scope: of.scope ?? "full",
  expiresAt: Query.instant(of.expires_at)
})
