/**
 * Actions on many subscriptions (rule W15): how their results look, and their handlers.
 */
import { Effect } from "effect"
import { BulkActions, Refusal, Time } from "simplan"
import type { BulkAction } from "simplan/ports"
import * as OperationsApi from "../api/OrganizationOperationsApi.ts"
import * as OrganizationsApi from "../api/OrganizationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as UsageApi from "../api/UsageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Subscriptions from "./Subscriptions.ts"

const shape = ({
  iccid,
  outcome,
  refusal,
  subscriptionId
}: BulkAction.ItemResult): typeof OperationsApi.ActionResult.Type => {
  const of = { iccid, subscription_id: subscriptionId, result: outcome }
  if (refusal === null) return of
  const { code, message } = Errors.ofRefusal(Refusal.toPlain(refusal))
  return { ...of, code, message }
}

const COLUMNS = ["iccid", "subscription_id", "result", "code", "message"] as const

/** The fields of a filter, as a query or a body has them. */
interface Given {
  readonly search?: string
  readonly label?: string
  readonly status?: BulkAction.Status
  readonly plan_id?: string
  readonly created_after?: string
  readonly created_until?: string
}

const filterOf = (given: Given): BulkAction.Filter => ({
  search: given.search ?? null,
  label: given.label ?? null,
  status: given.status ?? null,
  planId: given.plan_id ?? null,
  createdAfter: Query.instant(given.created_after),
  createdUntil: Query.instant(given.created_until)
})

const decode = Body.closedDecoder(OperationsApi.SubscriptionAction)

const saysNothing = Errors.invalidField("all", "must be true where nothing else says which subscriptions")

/** The handlers. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const bulk = yield* BulkActions.BulkActions

    return Endpoints.group(OperationsApi.BulkApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const { organizationId } = caller
        const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
        const { items, next } = yield* bulk.page({ organizationId, filter: filterOf(query), ...page })
        const installation = Responses.installation({ caller, query: {} })
        return Responses.page(
          items.map((one) => Subscriptions.shape(one, installation)),
          Query.createdToken(next)
        )
      }),
      act: Effect.fnUntraced(function* ({ caller: { organizationId }, query, request }) {
        const { value } = yield* Body.read(request)
        const { action, all = false, ...given } = yield* decode(value)
        if (!all && Object.keys(given).length === 0) return yield* saysNothing
        const asked = { organizationId, action, filter: filterOf(given) }
        if (Query.flag(query.dry_run) === true) {
          const { changed, createdUntil, isWhole, refusals, refused, unchanged } = yield* bulk.preview(asked)
          const counts = { matching: changed + unchanged + refused, changed, unchanged, refused }
          const preview = { ...counts, has_more: !isWhole, created_until: Time.toIso(createdUntil) }
          return { ...Responses.data(refusals.map(shape)), preview }
        }
        const results = bulk.run(asked)
        const accept = request.headers["accept"] ?? ""
        if (accept.includes(OrganizationsApi.JSON_LINES)) return yield* Responses.lines(results, shape)
        if (accept.includes(UsageApi.CSV)) return yield* Responses.csv(results, COLUMNS, shape)
        return yield* Responses.list(results, shape)
      })
    })
  })
