/**
 * Handlers of plans.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Label, Plans } from "simplan"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import * as PlansApi from "../api/PlansApi.ts"
import { Caller } from "../api/Security.ts"
import * as Bytes from "../Bytes.ts"
import * as Cursor from "../Cursor.ts"
import * as Idempotency from "../Idempotency.ts"
import * as JsonBody from "../JsonBody.ts"
import * as Query from "../Query.ts"
import * as Shapes from "../shapes/Plans.ts"
import * as Text from "../Text.ts"

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
            return Answer.ok<Page>({ error: false, data: [], next_page: null })
          const page = yield* plans.page({
            organizationId,
            archived: Query.flag(query.archived),
            label,
            search: query.search_query ?? null,
            countries: countries(query.country_iso_2),
            limit: Query.pageSize(query.page_size, PAGE_SIZE),
            after
          })
          return Answer.ok<Page>({
            error: false,
            data: page.items.map(Shapes.listed),
            next_page: Cursor.ofCreated(page.next)
          })
        }, Answer.orError)
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
            Answer.created<Created>({ error: false, message: "Plan created successfully", plan_id: planId })
          )
        }, Answer.orError)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* plans.get(yield* plan(params.planId))
          return Answer.ok<Item>({ error: false, data: Shapes.plan(found) })
        }, Answer.orError)
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params }) {
          yield* plans.remove(yield* plan(params.planId))
          return Answer.done("Plan deleted successfully")
        }, Answer.orError)
      )
      .handleRaw(
        "archive",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* Bytes.read(request, Bytes.LIMIT)
          const run = plans.archive(yield* plan(params.planId))
          return yield* once("Done", bytes, Effect.as(run, null), () => Answer.done("Plan archived successfully"))
        }, Answer.orError)
      )
      .handleRaw(
        "unarchive",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* Bytes.read(request, Bytes.LIMIT)
          const run = plans.unarchive(yield* plan(params.planId))
          return yield* once("Done", bytes, Effect.as(run, null), () => Answer.done("Plan unarchived successfully"))
        }, Answer.orError)
      )
  })
)
