/**
 * Handlers of plans.
 */
import { Effect } from "effect"
import { Plans } from "simplan"
import { Label } from "simplan/ports"
import * as PlansApi from "../api/PlansApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Plans.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const PAGE_SIZE = 10

const decodeCreation = Body.decoder(PlansApi.CreatePlan)

interface OfPlan {
  readonly caller: Auth.Tenant
  readonly params: { readonly planId: string }
}

const planOf = ({ caller, params }: OfPlan) => ({
  organizationId: caller.organizationId,
  planId: Text.id(params.planId)
})

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const plans = yield* Plans.Plans

    return Endpoints.group(PlansApi.PlansApi, guard, {
      list: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const after = yield* Effect.fromResult(Query.createdCursor(query.page))
        const countries = yield* Query.countries("country_iso_2", query.country_iso_2)
        const label = query.label ?? null
        // An unknown label is on no plan.
        if (label !== null && !Label.isLabel(label)) return Responses.page([], null)
        const page = yield* plans.page({
          organizationId,
          archived: Query.flag(query.archived),
          label,
          search: query.search_query ?? null,
          countries,
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after
        })
        return Responses.page(page.items.map(Shapes.listed), Query.createdToken(page.next))
      }),
      create: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const { bytes, value } = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeCreation(value), (body) =>
          Effect.flatMap(Effect.fromResult(Shapes.terms(body)), (terms) => plans.create({ organizationId, terms }))
        )
        return yield* once("Plan", call, bytes, run, ({ planId }) => ({
          ...Responses.message("Plan created successfully"),
          plan_id: planId
        }))
      }),
      get: Effect.fnUntraced(function* (call) {
        const found = yield* plans.get(planOf(call))
        return Responses.data(Shapes.plan(found))
      }),
      remove: Effect.fnUntraced(function* (call) {
        yield* plans.remove(planOf(call))
        return Responses.message("Plan deleted successfully")
      }),
      archive: Effect.fnUntraced(function* (call) {
        const bytes = yield* Body.readBytes(call.request, Body.LIMIT)
        const run = plans.archive(planOf(call))
        return yield* once("Done", call, bytes, Effect.as(run, null), () =>
          Responses.message("Plan archived successfully")
        )
      }),
      unarchive: Effect.fnUntraced(function* (call) {
        const bytes = yield* Body.readBytes(call.request, Body.LIMIT)
        const run = plans.unarchive(planOf(call))
        return yield* once("Done", call, bytes, Effect.as(run, null), () =>
          Responses.message("Plan unarchived successfully")
        )
      })
    })
  })
