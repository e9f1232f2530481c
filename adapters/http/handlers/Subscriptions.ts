/**
 * Handlers of subscriptions, their plan attachments, their last operator, and SMS to them.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Attachments, Messages, Subscriptions } from "simplan"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Security.ts"
import * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as AttachmentShapes from "../shapes/Attachments.ts"
import * as Shapes from "../shapes/Subscriptions.ts"
import * as BodyBytes from "../wire/BodyBytes.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Responses from "../wire/Responses.ts"
import * as Streaming from "../wire/Streaming.ts"
import * as Text from "../wire/Text.ts"

type Item = typeof SubscriptionsApi.SubscriptionItem.Type
type AttachmentList = typeof SubscriptionsApi.PlanAttachmentList.Type
type AttachmentItem = typeof SubscriptionsApi.PlanAttachmentItem.Type

const decodeCreation = JsonBody.decoder(SubscriptionsApi.CreateSubscription)
const decodeSms = JsonBody.decoder(SubscriptionsApi.SendSms)

const line = (iccid: string) => Effect.map(Caller, ({ organizationId }) => ({ organizationId, iccid: Text.id(iccid) }))

export const layer = HttpApiBuilder.group(
  Api,
  "subscriptions",
  Effect.fnUntraced(function* (handlers) {
    const once = yield* Idempotency.make
    const subscriptions = yield* Subscriptions.Subscriptions
    const attachments = yield* Attachments.Attachments
    const messages = yield* Messages.Messages

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* () {
          const { organizationId } = yield* Caller
          return yield* Streaming.list(subscriptions.list({ organizationId }), Shapes.subscription)
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ request }) {
          const { organizationId } = yield* Caller
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeCreation(value), (body) =>
            subscriptions.create({ organizationId, ...Shapes.creation(body) })
          )
          return yield* once("Created", bytes, run, (created) => Responses.created(Shapes.created(created)))
        }, ErrorResponses.handled)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* subscriptions.get(yield* line(params.iccid))
          return Responses.ok<Item>({ error: false, data: Shapes.subscription(found) })
        }, ErrorResponses.handled)
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params }) {
          yield* subscriptions.remove(yield* line(params.iccid))
          return Responses.message("Subscription deleted successfully")
        }, ErrorResponses.handled)
      )
      .handle(
        "attachments",
        Effect.fnUntraced(function* ({ params }) {
          const views = yield* attachments.list(yield* line(params.iccid))
          return Responses.ok<AttachmentList>({ error: false, data: views.map(AttachmentShapes.attachment) })
        }, ErrorResponses.handled)
      )
      .handle(
        "attachment",
        Effect.fnUntraced(function* ({ params }) {
          const view = yield* attachments.get({ ...(yield* line(params.iccid)), id: Text.id(params.plan_id) })
          return Responses.ok<AttachmentItem>({ error: false, data: AttachmentShapes.attachment(view) })
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "suspend",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* BodyBytes.read(request, BodyBytes.LIMIT)
          const run = attachments.suspend({ ...(yield* line(params.iccid)), attachmentId: Text.id(params.id) })
          return yield* once("Done", bytes, Effect.as(run, null), () =>
            Responses.message("Plan attachment suspended successfully")
          )
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "sendSms",
        Effect.fnUntraced(function* ({ params, request }) {
          const of = yield* line(params.iccid)
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeSms(value), ({ from, message }) =>
            messages.send({ ...of, from, text: message })
          )
          return yield* once("Done", bytes, Effect.as(run, null), () => Responses.message("SMS sent successfully"))
        }, ErrorResponses.handled)
      )
      .handle(
        "location",
        Effect.fnUntraced(function* ({ params }) {
          const last = yield* subscriptions.lastOperator(yield* line(params.iccid))
          return Responses.ok<typeof SubscriptionsApi.LastOperator.Type>(Shapes.lastOperator(last))
        }, ErrorResponses.handled)
      )
  })
)
