/**
 * The `webhooks` section of the document: the call that an endpoint gets for each type of event
 * (rules W5 to W7 and E1).
 */
import { Record, Schema } from "effect"
import { WebhookEvent } from "simplan/ports"
import { Samples } from "simplan/views"
import * as Json from "./JsonSchema.ts"

/**
 * The schema as the document has it: null is one more type. Receivers are to take values that are
 * added later, so it names neither the values of a text, nor the bounds of numbers, nor whether
 * there are more fields.
 */
const open = (schema: unknown): Json.Record => {
  const { additionalProperties, anyOf, enum: values, maximum, minimum, properties, ...rest } = Json.record(schema)
  const [first] = Json.list(anyOf).map(open)
  const { format, type, ...inner } = first ?? rest
  return {
    type: first === undefined ? type : [type, "null"],
    ...(format !== undefined && { format }),
    ...(properties !== undefined && { properties: Json.mapValues(properties, open) }),
    ...inner,
    ...(first !== undefined && rest)
  }
}

const schemaOf = (type: WebhookEvent.Type): Json.Record =>
  open(Schema.toJsonSchemaDocument(WebhookEvent.catalogue[type].data).schema)

const bodyOf = (type: WebhookEvent.Type) => {
  const schema = schemaOf(type)
  const data = Json.exampleOf({}, schema)
  const example = { id: Samples.eventId, type, timestamp: 1_768_119_300, data }
  return {
    example,
    schema: {
      type: "object",
      properties: {
        id: {
          type: "string",
          description:
            "The event's id, a UUIDv7: a receiver that has seen it ignores it. Ids of events about one SIM rise, as text, in the order in which they happened",
          examples: [example.id]
        },
        type: { type: "string", const: type, description: "The type of the event", examples: [type] },
        timestamp: {
          type: "integer",
          description: "When the event happened, in Unix seconds; it orders no events, `id` does",
          examples: [example.timestamp]
        },
        data: { ...schema, description: "What the event tells", examples: [data] }
      },
      required: ["id", "type", "timestamp", "data"]
    }
  }
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const headers = [
  header(
    "x-service-signature",
    "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>` by the UTF-8 bytes of the signing key; one `v1` for each valid key",
    `t=1768119300,v1=${"5f".repeat(32)}`
  ),
  header("webhook-id", "The event's id (Standard Webhooks)", Samples.eventId),
  header("webhook-timestamp", "The time of the attempt in Unix seconds (Standard Webhooks)", "1768119300"),
  header("webhook-signature", "`v1,<base64>`, one for each valid key (Standard Webhooks)", `v1,${"A".repeat(43)}=`)
]

const receiversOf = (type: WebhookEvent.Type): string => {
  if (type === WebhookEvent.TEST) return "Only the endpoint that is tested gets it."
  return WebhookEvent.isOptIn(type)
    ? "Only an endpoint whose filter names the type gets it."
    : "An endpoint without a filter gets it."
}

const call = (type: WebhookEvent.Type) => ({
  post: {
    operationId: `webhook.${type}`,
    tags: ["Management: webhooks"],
    summary: type,
    description: `${WebhookEvent.catalogue[type].meaning} ${receiversOf(type)}`,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      description: "The event",
      content: { "application/json": bodyOf(type) }
    },
    responses: {
      "200": { description: "The event has arrived. So says any 2xx within 15 s; everything else is tried again" },
      "410": { description: "The endpoint is gone: it is disabled" }
    }
  }
})

/** The calls by the type of event. */
export const section: Json.Record = Record.map(WebhookEvent.catalogue, (_, type) => call(type))
