/**
 * What is done to many subscriptions or SIMs of an organization at once.
 */
import { Effect, Result, Stream } from "effect"
import { BulkActions, BulkCorrections } from "simplan"
import type { BulkAction, Refusal } from "simplan/ports"
import { Bulk as Views, Copy, type View } from "simplan/views"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/BulkTypes.ts"
import * as SimsResource from "./SimsResource.ts"
import * as SubscriptionsResource from "./SubscriptionsResource.ts"

const previewToHost = Copy.toHost(Views.BulkActionPreview)

const resultOfSim = ({ iccid, outcome, refusal }: BulkAction.ItemResult): Types.SimActionResult => ({
  iccid,
  result: outcome,
  refusal: SimsResource.whyOf(refusal)
})

const resultOf = (of: BulkAction.SubscriptionResult): Types.SubscriptionActionResult => ({
  subscriptionId: of.subscriptionId,
  ...resultOfSim(of)
})

const previewOf =
  <Item extends BulkAction.ItemResult, A>(shape: (item: Item) => A) =>
  (preview: BulkAction.Preview<Item>) => ({
    ...previewToHost(Views.previewOf(preview)),
    refusals: preview.refusals.map(shape)
  })

const named = <Fields extends View.AnyFields, A extends object>(
  name: string,
  view: View.View<Fields>,
  of: (request: View.Domain<Fields>) => Result.Result<A, Refusal.InvalidField>
): Methods.Method<A> => {
  const decode = Arguments.ofView(view)
  return {
    name,
    decode: (method, request) => {
      const asked = of(decode(method, request))
      if (Result.isSuccess(asked)) return asked.success
      throw Arguments.invalidIn(method, request, asked.failure.field, asked.failure.message)
    }
  }
}

const ofSubscriptions = (name: string) => named(name, Views.SubscriptionAction, Views.actionOf)
const ofSims = (name: string) => named(name, Views.SimAction, Views.simActionOf)

export const make = (runtime: Runtime): Types.Bulk => ({
  list: Methods.paging(
    runtime,
    Methods.method("bulk.list", Views.SubscriptionSelection),
    Methods.byCreation,
    (of, page) => BulkActions.BulkActions.use((bulk) => bulk.page({ ...Views.selectionOf(of), ...page })),
    SubscriptionsResource.shape
  ),
  act: Methods.streaming(runtime, ofSubscriptions("bulk.act"), (request) =>
    Effect.map(BulkActions.BulkActions, (bulk) => Stream.map(bulk.run(request), resultOf))
  ),
  previewAct: Methods.reading(runtime, ofSubscriptions("bulk.previewAct"), (request) =>
    BulkActions.BulkActions.use((bulk) => Effect.map(bulk.preview(request), previewOf(resultOf)))
  ),
  actOnSims: Methods.streaming(runtime, ofSims("bulk.actOnSims"), (request) =>
    Effect.map(BulkCorrections.BulkCorrections, (bulk) => Stream.map(bulk.run(request), resultOfSim))
  ),
  previewActOnSims: Methods.reading(runtime, ofSims("bulk.previewActOnSims"), (request) =>
    BulkCorrections.BulkCorrections.use((bulk) => Effect.map(bulk.preview(request), previewOf(resultOfSim)))
  )
})
