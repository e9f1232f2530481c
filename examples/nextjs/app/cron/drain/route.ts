// Does the work that is due. A cron job calls it every minute with `Authorization: Bearer $CRON_SECRET`, as Vercel's do.
import * as Secret from "../../../secret"
import { service } from "../../../service"

/** In seconds: more than `drain` takes. */
export const maxDuration = 30

export const GET = async (request: Request) => {
  const given = request.headers.get("authorization") ?? ""
  if (!Secret.isSame(given, `Bearer ${Secret.of("CRON_SECRET")}`)) return new Response(null, { status: 401 })
  return Response.json(await service().drain({ within: "20 seconds" }))
}
