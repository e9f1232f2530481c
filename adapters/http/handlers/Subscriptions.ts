/**
 * Handlers of subscriptions, their plan attachments, their last operator, and SMS to them.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Attachments, Messages, Subscriptions } from "simplan"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Security.ts"
import * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Bytes from "../Bytes.ts"
import * as Idempotency from "../Idempotency.ts"
import * as JsonBody from "../JsonBody.ts"
import * as AttachmentShapes from "../shapes/Attachments.ts"
import * as Shapes from "../shapes/Subscriptions.ts"
import * as Streaming from "../Streaming.ts"
import * as Text from "../Text.ts"

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
        }, Answer.orError)
      )
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ request }) {
          const { organizationId } = yield* Caller
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeCreation(value), (body) =>
            subscriptions.create({ organizationId, ...Shapes.creation(body) })
          )
          return yield* once("Created", bytes, run, (created) => Answer.created(Shapes.created(created)))
        }, Answer.orError)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* subscriptions.get(yield* line(params.iccid))
          return Answer.ok<Item>({ error: false, data: Shapes.subscription(found) })
        }, Answer.orError)
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params }) {
          yield* subscriptions.remove(yield* line(params.iccid))
          return Answer.done("Subscription deleted successfully")
        }, Answer.orError)
      )
      .handle(
        "attachments",
        Effect.fnUntraced(function* ({ params }) {
          const views = yield* attachments.list(yield* line(params.iccid))
          return Answer.ok<AttachmentList>({ error: false, data: views.map(AttachmentShapes.attachment) })
        }, Answer.orError)
      )
      .handle(
        "attachment",
        Effect.fnUntraced(function* ({ params }) {
          const view = yield* attachments.get({ ...(yield* line(params.iccid)), id: Text.id(params.plan_id) })
          return Answer.ok<AttachmentItem>({ error: false, data: AttachmentShapes.attachment(view) })
        }, Answer.orError)
      )
      .handleRaw(
        "suspend",
        Effect.fnUntraced(function* ({ params, request }) {
          const bytes = yield* Bytes.read(request, Bytes.LIMIT)
          const run = attachments.suspend({ ...(yield* line(params.iccid)), attachmentId: Text.id(params.id) })
          return yield* once("Done", bytes, Effect.as(run, null), () =>
            Answer.done("Plan attachment suspended successfully")
          )
        }, Answer.orError)
      )
      .handleRaw(
        "sendSms",
        Effect.fnUntraced(function* ({ params, request }) {
          const of = yield* line(params.iccid)
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeSms(value), ({ from, message }) =>
            messages.send({ ...of, from, text: message })
          )
          return yield* once("Done", bytes, Effect.as(run, null), () => Answer.done("SMS sent successfully"))
        }, Answer.orError)
      )
      .handle(
        "location",
        Effect.fnUntraced(function* ({ params }) {
          const last = yield* subscriptions.lastOperator(yield* line(params.iccid))
          return Answer.ok<typeof SubscriptionsApi.LastOperator.Type>(Shapes.lastOperator(last))
        }, Answer.orError)
      )
  })
)
