/**
 * Handlers of subscriptions, their plan attachments, their last operator, and SMS to them.
 */
import { Effect } from "effect"
import { Attachments, Messages, Subscriptions } from "simplan"
import * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as AttachmentShapes from "../shapes/Attachments.ts"
import * as Shapes from "../shapes/Subscriptions.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const decodeCreation = Body.decoder(SubscriptionsApi.CreateSubscription)
const decodeSms = Body.decoder(SubscriptionsApi.SendSms)

interface OfSim {
  readonly caller: Auth.Tenant
  readonly params: { readonly iccid: string }
}

const simOf = ({ caller, params }: OfSim) => ({ organizationId: caller.organizationId, iccid: Text.id(params.iccid) })

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const subscriptions = yield* Subscriptions.Subscriptions
    const attachments = yield* Attachments.Attachments
    const messages = yield* Messages.Messages

    return Endpoints.group(SubscriptionsApi.SubscriptionsApi, guard, {
      list: ({ caller: { organizationId } }) =>
        Responses.list(subscriptions.list({ organizationId }), Shapes.subscription),
      create: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const { bytes, value } = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeCreation(value), (body) =>
          subscriptions.create({ organizationId, ...Shapes.creation(body) })
        )
        return yield* once("Created", call, bytes, run, Shapes.created)
      }),
      get: (call) => Effect.map(subscriptions.get(simOf(call)), (found) => Responses.data(Shapes.subscription(found))),
      remove: Effect.fnUntraced(function* (call) {
        yield* subscriptions.remove(simOf(call))
        return Responses.message("Subscription deleted successfully")
      }),
      attachments: (call) =>
        Effect.map(attachments.list(simOf(call)), (views) => Responses.data(views.map(AttachmentShapes.attachment))),
      attachment: Effect.fnUntraced(function* (call) {
        const view = yield* attachments.get({ ...simOf(call), id: Text.id(call.params.plan_id) })
        return Responses.data(AttachmentShapes.attachment(view))
      }),
      suspend: Effect.fnUntraced(function* (call) {
        const bytes = yield* Body.readBytes(call.request, Body.LIMIT)
        const run = attachments.suspend({ ...simOf(call), attachmentId: Text.id(call.params.id) })
        return yield* once("Done", call, bytes, Effect.as(run, null), () =>
          Responses.message("Plan attachment suspended successfully")
        )
      }),
      sendSms: Effect.fnUntraced(function* (call) {
        const { bytes, value } = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeSms(value), ({ from, message }) =>
          messages.send({ ...simOf(call), from, text: message })
        )
        return yield* once("Sms", call, bytes, run, Shapes.sentSms)
      }),
      location: Effect.fnUntraced(function* (call) {
        return Shapes.lastOperator(yield* subscriptions.lastOperator(simOf(call)))
      })
    })
  })
