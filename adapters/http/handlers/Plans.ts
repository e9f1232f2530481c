/**
 * Handlers of plans.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Label, Plans } from "simplan"
import { Api } from "../api/Api.ts"
import * as PlansApi from "../api/PlansApi.ts"
import { Caller } from "../api/Security.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Plans.ts"
import * as BodyBytes from "../wire/BodyBytes.ts"
import * as Cursor from "../wire/Cursor.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

type Item = typeof PlansApi.PlanItem.Type
type Page = typeof PlansApi.PlanPage.Type
type Created = typeof PlansApi.CreatedPlan.Type

const PAGE_SIZE = 10

const decodeCreation = JsonBody.decoder(PlansApi.CreatePlan)

const plan = (planId: string) =>
  Effect.map(Caller, ({ organizationId }) => ({ organizationId, planId: Text.id(planId) }))

const countries = (list: string | undefined): ReadonlyArray<string> | null => {
  const codes = (list ?? "").split(",").map((code) => code.trim().toUpperCase())
  const named = codes.filter((code) => code !== "")
  return named.length === 0 ? null : named
}

export const layer = HttpApiBuilder.group(
  Api,
  "plans",
  Effect.fnUntraced(function* (handlers) {
    const once = yield* Idempotency.make
    const plans = yield* Plans.Plans

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { organizationId } = yield* Caller
          yield* Query.texts(query)
          const after = yield* Effect.fromResult(Cursor.toCreated(query.page))
          const label = query.label ?? null
          // A label that there is not is on no plan.
          if (label !== null && !Label.isLabel(label))
            return Responses.ok<Page>({ error: false, data: [], next_page: null })
          const page = yield* plans.page({
            organizationId,
            archived: Query.flag(query.archived),
            label,
            search: query.search_query ?? null,
            countries: countries(query.country_iso_2),
            limit: Query.pageSize(query.page_size, PAGE_SIZE),
            after
          })
          return Responses.ok<Page>({
            error: false,
            data: page.items.map(Shapes.listed),
            next_page: Cursor.ofCreated(page.next)
          })
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ request }) {
          const { organizationId } = yield* Caller
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeCreation(value), (body) =>
            plans.create({ organizationId, terms: Shapes.terms(body) })
          )
          return yield* once("Plan", bytes, run, ({ planId }) =>
            Responses.created<Created>({ error: false, message: "Plan created successfully", plan_id: planId })
          )
        }, ErrorResponses.handled)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* plans.get(yield* plan(params.planId))
          return Responses.ok<Item>({ error: false, data: Shapes.plan(found) })
        }, ErrorResponses.handled)
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params }) {
          yield* plans.remove(yield* plan(params.planId))
          return Responses.message("Plan deleted successfully")
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "archive",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* BodyBytes.read(request, BodyBytes.LIMIT)
          const run = plans.archive(yield* plan(params.planId))
          return yield* once("Done", bytes, Effect.as(run, null), () => Responses.message("Plan archived successfully"))
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "unarchive",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* BodyBytes.read(request, BodyBytes.LIMIT)
          const run = plans.unarchive(yield* plan(params.planId))
          return yield* once("Done", bytes, Effect.as(run, null), () =>
            Responses.message("Plan unarchived successfully")
          )
        }, ErrorResponses.handled)
      )
  })
)
