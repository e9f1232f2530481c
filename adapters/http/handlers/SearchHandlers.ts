/**
 * The search of operators over all organizations: how hits look as JSON, and its handler.
 */
import { Effect } from "effect"
import { Sims } from "simplan"
import type { SimSearch } from "simplan/ports"
import * as OrganizationOperationsApi from "../api/OrganizationOperationsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type Hit = typeof OrganizationOperationsApi.SearchHit.Type

const matches: { readonly [P in SimSearch.Place]: Hit["matched"] } = {
  subscriptionId: "subscription_id",
  imsi: "imsi",
  msisdn: "phone_number",
  iccid: "iccid",
  metadata: "metadata"
}

const shape = (hit: SimSearch.Hit): Hit => ({
  organization_id: hit.organizationId,
  organization_name: hit.organizationName,
  iccid: hit.iccid,
  label: hit.label,
  subscription_id: hit.subscriptionId,
  matched: matches[hit.place],
  status: hit.status,
  paused: hit.isPaused,
  plan_name: hit.planName,
  metadata: hit.metadata
})

export const make = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const sims = yield* Sims.Sims

    return Endpoints.group(OrganizationOperationsApi.SearchApi, guard, {
      find: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const { hasMore, hits } = yield* sims.search({ text: query.q, organizationId })
        return { ...Responses.data(hits.map(shape)), has_more: hasMore }
      })
    })
  })
