/**
 * Changes of webhook endpoints, which find a version (rule W16), and the check of their URLs.
 */
import { Effect, Result } from "effect"
import { Refusal } from "simplan"
import { WebhookEndpoint } from "simplan/ports"
import { Copy, Webhooks as Views } from "simplan/views"
import { type Operation, WebhooksOperations } from "../../operations/index.ts"
import * as WebhooksApi from "../api/WebhooksApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import * as Versions from "../wire/Versions.ts"
import * as Rows from "./Rows.ts"

/** Whether webhooks may go to a URL; the failure says why not. */
export type CheckUrl = (url: string) => Result.Result<unknown, string> | Effect.Effect<unknown, string>

/** The URLs of endpoints: answers have them without what may be a token. */
export const urls = (check: CheckUrl): Operation.Urls => ({
  check: (url) => {
    const result = check(url)
    const done = Result.isResult(result) ? Effect.fromResult(result) : result
    return Effect.mapError(done, (message) => new Refusal.InvalidField({ field: "url", message }))
  },
  shown: WebhookEndpoint.shownUrl
})

const decodeUpdate = Body.closedDecoder(WebhooksApi.UpdateWebhookEndpoint)
const toWire = Copy.toWire(Views.WebhookEndpoint)

export const make = (guard: OperatorAuth.Guard, services: Operation.Services) =>
  Endpoints.group(WebhooksApi.WebhooksApi, guard, {
    ...Rows.handlers(services, WebhooksOperations.webhooks),
    update: Effect.fnUntraced(function* ({ ifVersion, params, request, respond }) {
      const { value } = yield* Body.read(request)
      const changes = yield* decodeUpdate(value)
      if (changes.url !== undefined) yield* services.urls.check(changes.url)
      const endpoint = { organizationId: params.id, endpointId: params.webhook_endpoint_id }
      const changed = yield* services.webhooks.update({ ...changes, ...endpoint, ifVersion })
      const answer = Responses.data(toWire(Views.endpointOf(changed, services.urls.shown)))
      return Versions.tagged(respond(answer), changed.version)
    })
  })
