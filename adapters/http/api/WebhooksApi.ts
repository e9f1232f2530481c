/**
 * The management API's webhook endpoints and their delivery log (rules W5 to W7).
 */
import { HttpApiEndpoint } from "effect/http-api"
import { Samples, Webhooks as Shapes } from "simplan/views"
import { WebhooksOperations } from "../../operations/index.ts"
import * as Roles from "./Roles.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

export const UpdateWebhookEndpoint = Views.body(Shapes.UpdateWebhookEndpoint)
export const ShortAttempt = Views.answer(Shapes.ShortDeliveryAttempt)
export const HistoryDelivery = Views.answer(Shapes.HistoryDelivery)

const ofEndpoint = {
  ...Schemas.ofOrganization,
  webhook_endpoint_id: Schemas.idOfPath("The webhook endpoint's id", Samples.endpointId)
}

export class WebhooksApi extends Rows.group("webhooks", WebhooksOperations.webhooks)
  .add(
    HttpApiEndpoint.patch("update", "/organizations/:id/webhook-endpoints/:webhook_endpoint_id", {
      params: ofEndpoint,
      payload: UpdateWebhookEndpoint,
      success: Schemas.data(Views.answer(Shapes.WebhookEndpoint)),
      error: Schemas.problems(
        ...Schemas.restricted,
        ...Schemas.withBody,
        "organization_not_found",
        "webhook_endpoint_not_found",
        "changed_meanwhile"
      )
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Change a webhook endpoint; absent fields stay",
        "Changes the fields that are given. An endpoint that was disabled can be enabled again; what it missed " +
          "since the service disabled it is among its failed deliveries, to be replayed."
      )
    )
  )
  .annotateMerge(
    Schemas.group("Management: webhooks", "Where an organization's events are sent, and what became of them.")
  )
  .prefix("/admin/v1") {}
