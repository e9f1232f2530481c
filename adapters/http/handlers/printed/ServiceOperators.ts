/** Printed from the views by `npm run print`: copies to the wire's form, and from the bodies of requests. */
import { Time } from "simplan"
import type { ServiceOperators as Views, View } from "simplan/views"
import * as Query from "../../wire/Query.ts"
import * as Responses from "../../wire/Responses.ts"

export const serviceOperator = (
  of: View.Of<typeof Views.ServiceOperator>
): View.OnWire<typeof Views.ServiceOperator> => ({
  operator_id: of.operatorId,
  name: of.name,
  role: of.role,
  organization_id: of.organizationId,
  hint: of.hint,
  previous_token_until: Responses.instant(of.previousUntil),
  created_at: Time.toIso(of.createdAt),
  expires_at: Responses.instant(of.expiresAt),
  deleted_at: Responses.instant(of.deletedAt)
})

export const whoAmI = (of: View.Of<typeof Views.WhoAmI>): View.OnWire<typeof Views.WhoAmI> => ({
  name: of.name,
  role: of.role,
  organization_id: of.organizationId,
  expires_at: Responses.instant(of.expiresAt)
})

export const session = (of: View.Of<typeof Views.Session>): View.OnWire<typeof Views.Session> => ({
  session_id: of.id,
  ends_at: Time.toIso(of.endsAt)
})

export const createServiceOperator = (
  of: View.OwnOnWire<typeof Views.CreateServiceOperator>
): View.OwnOf<typeof Views.CreateServiceOperator> => ({
  name: of.name,
  role: of.role,
  organizationId: of.organization_id ?? null,
  expiresAt: Query.instant(of.expires_at)
})
