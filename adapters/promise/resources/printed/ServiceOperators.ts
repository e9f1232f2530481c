/** Printed from the views by `npm run print`: copies to the host's form. */
import type { ServiceOperators as Views, View } from "simplan/views"
import * as Arguments from "../../Arguments.ts"
import type * as Types from "../../types/printed/ServiceOperators.ts"

export const serviceOperator = (of: View.Of<typeof Views.ServiceOperator>): Types.ServiceOperator => ({
  operatorId: of.operatorId,
  name: of.name,
  role: of.role,
  organizationId: of.organizationId,
  hint: of.hint,
  previousTokenUntil: Arguments.toDateOrNull(of.previousUntil),
  createdAt: Arguments.toDate(of.createdAt),
  expiresAt: Arguments.toDateOrNull(of.expiresAt),
  deletedAt: Arguments.toDateOrNull(of.deletedAt)
})

export const whoAmI = (of: View.Of<typeof Views.WhoAmI>): Types.WhoAmI => ({
  name: of.name,
  role: of.role,
  organizationId: of.organizationId,
  expiresAt: Arguments.toDateOrNull(of.expiresAt)
})

export const session = (of: View.Of<typeof Views.Session>): Types.Session => ({
  sessionId: of.id,
  endsAt: Arguments.toDate(of.endsAt)
})
