/**
 * Actions on many subscriptions or SIMs (rule W15): how their results look, and their handlers.
 */
import { Effect, type Stream } from "effect"
import { BulkActions, BulkCorrections, Refusal, Time } from "simplan"
import { BulkAction, type Subscription } from "simplan/ports"
import * as OperationsApi from "../api/OrganizationOperationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as UsageApi from "../api/UsageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Subscriptions from "./Subscriptions.ts"

/** What came of one, and why it is refused. */
const resultOf = ({ outcome, refusal }: BulkAction.ItemResult) => {
  if (refusal === null) return { result: outcome }
  const { code, message } = Errors.ofRefusal(Refusal.toPlain(refusal))
  return { result: outcome, code, message }
}

const shape = (one: BulkAction.SubscriptionResult): typeof OperationsApi.ActionResult.Type => ({
  iccid: one.iccid,
  subscription_id: one.subscriptionId,
  ...resultOf(one)
})

const shapeOfSim = (one: BulkAction.ItemResult): typeof OperationsApi.SimActionResult.Type => ({
  iccid: one.iccid,
  ...resultOf(one)
})

const OUTCOME = ["result", "code", "message"] as const

const previewed = <Item extends BulkAction.ItemResult, Shape>(
  { changed, createdUntil, isWhole, refusals, refused, unchanged }: BulkAction.Preview<Item>,
  shaped: (one: Item) => Shape
) => {
  const counts = { matching: changed + unchanged + refused, changed, unchanged, refused }
  const preview = { ...counts, has_more: !isWhole, created_until: Time.toIso(createdUntil) }
  return { ...Responses.data(refusals.map(shaped)), preview }
}

/** What came of each, as it is asked for. */
const answered = <Item, Shape extends object, E extends Errors.Failure>(
  accept: string | undefined,
  results: Stream.Stream<Item, E>,
  columns: ReadonlyArray<keyof Shape & string>,
  shaped: (one: Item) => Shape
) => {
  if (accept?.includes(Schemas.JSON_LINES) === true) return Responses.lines(results, shaped)
  if (accept?.includes(UsageApi.CSV) === true) return Responses.csv(results, columns, shaped)
  return Responses.list(results, shaped)
}

/** The fields of a filter, as a query or a body has them. */
interface Given {
  readonly search?: string
  readonly label?: string
  readonly status?: Subscription.ServiceStatus
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
const decodeOfSims = Body.closedDecoder(OperationsApi.SimAction)

const saysNothing = Errors.invalidField("all", "must be true where nothing else says which")

/** The handlers. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const bulk = yield* BulkActions.BulkActions
    const corrections = yield* BulkCorrections.BulkCorrections

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
        if (Query.flag(query.dry_run) === true) return previewed(yield* bulk.preview(asked), shape)
        const columns = ["iccid", "subscription_id", ...OUTCOME] as const
        return yield* answered(request.headers["accept"], bulk.run(asked), columns, shape)
      }),
      actOnSims: Effect.fnUntraced(function* ({ caller: { organizationId }, query, request }) {
        const { value } = yield* Body.read(request)
        const { action, all = false, new_label: label, reason, ...given } = yield* decodeOfSims(value)
        if (!all && Object.keys(given).length === 0) return yield* saysNothing
        const correction = yield* Effect.fromResult(BulkAction.correctionOf(action, { label, reason }))
        const { is_esim: isEsim = null, status = null, ...others } = given
        const { planId: _, ...filter } = filterOf(others)
        const asked = { organizationId, correction, filter: { ...filter, isEsim, status } }
        if (Query.flag(query.dry_run) === true) return previewed(yield* corrections.preview(asked), shapeOfSim)
        const columns = ["iccid", ...OUTCOME] as const
        return yield* answered(request.headers["accept"], corrections.run(asked), columns, shapeOfSim)
      })
    })
  })
