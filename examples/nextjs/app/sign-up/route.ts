// A new customer: an organization, and a session for it.
import { SimplanError } from "simplan/promise"
import { service } from "../../service"
import * as Session from "../../session"

export const POST = async (request: Request) => {
  const { name } = await request.json()
  try {
    const { organizationId } = await service().organizations.create({ name })
    const headers = { "set-cookie": Session.cookie(organizationId) }
    return Response.json({ organizationId }, { status: 201, headers })
  } catch (error) {
    if (!(error instanceof SimplanError)) throw error
    return Response.json({ message: error.message, field: error.field }, { status: error.status })
  }
}
