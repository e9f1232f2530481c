/** Printed from the views by `npm run print`: copies to the host's form. */
import type { Organizations as Views, View } from "simplan/views"
import * as Arguments from "../../Arguments.ts"
import type * as Types from "../../types/printed/Organizations.ts"

export const organization = (of: View.Of<typeof Views.Organization>): Types.Organization => ({
  organizationId: of.organizationId,
  name: of.name,
  createdAt: Arguments.toDate(of.createdAt)
})

export const apiKey = (of: View.Of<typeof Views.ApiKey>): Types.ApiKey => ({
  organizationId: of.organizationId,
  apiKeyId: of.apiKeyId,
  name: of.name,
  scope: of.scope,
  hint: of.hint,
  previousKeyUntil: Arguments.toDateOrNull(of.previousUntil),
  createdAt: Arguments.toDate(of.createdAt),
  expiresAt: Arguments.toDateOrNull(of.expiresAt),
  revokedAt: Arguments.toDateOrNull(of.revokedAt),
  lastUsedAt: Arguments.toDateOrNull(of.lastUsedAt)
})
