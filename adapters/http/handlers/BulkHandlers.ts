/**
 * Actions on many subscriptions or SIMs (rule W15): how their results look, and their handlers.
 */
import { Effect, type Stream } from "effect"
import { BulkActions, BulkCorrections, Refusal } from "simplan"
import { type BulkAction, Operator } from "simplan/ports"
import { Bulk as Views, Copy } from "simplan/views"
import { Fields } from "../../fields/index.ts"
import * as OperationsApi from "../api/OrganizationOperationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as SubscriptionsHandlers from "./SubscriptionsHandlers.ts"

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

const previewToWire = Copy.toWire(Views.BulkActionPreview)

const previewed = <Item extends BulkAction.ItemResult, Shape>(
  preview: BulkAction.Preview<Item>,
  shaped: (one: Item) => Shape
) => ({ ...Responses.data(preview.refusals.map(shaped)), preview: previewToWire(Views.previewOf(preview)) })

/** What came of each, as it is asked for. */
const answered = <Item, Shape extends object, E extends Errors.Failure>(
  accept: string | undefined,
  results: Stream.Stream<Item, E>,
  columns: ReadonlyArray<keyof Shape & string>,
  shaped: (one: Item) => Shape
) => {
  if (accept?.includes(Schemas.JSON_LINES) === true) return Responses.lines(results, shaped)
  return Responses.listOrCsv(accept, results, columns, shaped)
}

const selectionOf = Copy.fromWire(Views.SubscriptionSelection.own)
const actionOf = Copy.fromWire(Views.SubscriptionAction.own)
const simActionOf = Copy.fromWire(Views.SimAction.own)

/**
 * Refuses more SIMs at once than the role may change (rule W14). A preview counts them for whoever
 * may change a few.
 */
const checkMany = <E extends Errors.Failure>(
  caller: Auth.Tenant,
  takesMore: (than: number) => Effect.Effect<boolean, E>
): Effect.Effect<void, E | Errors.Problem> => {
  const most = caller.role === undefined ? null : Operator.mostAtOnce(caller.role)
  if (most === null) return Effect.void
  return Effect.flatMap(takesMore(most), (isMore) =>
    isMore ? OperatorAuth.check(caller, Operator.ofMany) : Effect.void
  )
}

const decode = Body.closedDecoder(OperationsApi.SubscriptionAction)
const decodeOfSims = Body.closedDecoder(OperationsApi.SimAction)

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
        const { items, next } = yield* bulk.page({
          ...Views.selectionOf({ organizationId, ...selectionOf(query) }),
          ...page
        })
        const installation = Auth.installation({ caller, query: {} })
        return Responses.page(
          items.map((one) => SubscriptionsHandlers.shape(one, installation)),
          Query.createdToken(next)
        )
      }),
      act: Effect.fnUntraced(function* ({ caller, query, request }) {
        const { value } = yield* Body.read(request)
        const action = actionOf(yield* decode(value))
        if (action.action === "delete") yield* OperatorAuth.check(caller, Operator.ofDeletion)
        const { organizationId } = caller
        const asked = yield* Effect.fromResult(Views.actionOf({ organizationId, ...action }))
        if (Fields.flag(query.dry_run) === true) return previewed(yield* bulk.preview(asked), shape)
        yield* checkMany(caller, (than) => bulk.takesMore(asked, than))
        const columns = ["iccid", "subscription_id", ...OUTCOME] as const
        return yield* answered(request.headers["accept"], bulk.run(asked), columns, shape)
      }),
      actOnSims: Effect.fnUntraced(function* ({ caller, query, request }) {
        const { organizationId } = caller
        const { value } = yield* Body.read(request)
        const action = simActionOf(yield* decodeOfSims(value))
        const asked = yield* Effect.fromResult(Views.simActionOf({ organizationId, ...action }))
        if (Fields.flag(query.dry_run) === true) return previewed(yield* corrections.preview(asked), shapeOfSim)
        yield* checkMany(caller, (than) => corrections.takesMore(asked, than))
        const columns = ["iccid", ...OUTCOME] as const
        return yield* answered(request.headers["accept"], corrections.run(asked), columns, shapeOfSim)
      })
    })
  })
