/**
 * The `webhooks` section of the document: the call that an endpoint gets for each type of event (rules W5 to W7 and E1).
 */
import { Command, WebhookEvent } from "simplan/ports"
import { Samples } from "simplan/views"

interface Described {
  readonly description: string
  readonly data: Readonly<Record<string, unknown>>
}

const attachment = {
  esim: Samples.iccid,
  subscriptionId: Samples.subscriptionId,
  attachmentId: Samples.attachmentId,
  planId: Samples.planId,
  activationAt: Samples.used,
  expirationAt: Samples.end
}

const ofSubscription = { esim: Samples.iccid, subscriptionId: Samples.subscriptionId }
const ofPackage = { ...attachment, packageId: Samples.packageId }

const ofCommand = {
  id: `${Samples.organizationId}:${Samples.commandId}`,
  method: Command.methods.CreateSubscription,
  metadata: "order 4711"
}

const known: Readonly<Record<string, Described>> = {
  "attachment.allowanceConsumed": {
    description: "50, 80 or 100 % of the allowance of a non-recurring plan's attachment is used.",
    data: {
      usagePercentage: 80,
      dataUsageBytes: 4_294_967_296,
      esim: Samples.iccid,
      planId: Samples.planId,
      attachmentId: Samples.attachmentId
    }
  },
  "subscription.esim.locationChanged": {
    description: "The SIM was seen in another country than before; the first country counts too.",
    data: { esim: Samples.iccid, countryIso2: "SE", previousCountryIso2: "DK" }
  },
  "esim.smdp.stateChanged": {
    description: "The SM-DP+ state of an eSIM's profile has changed.",
    data: { sim: Samples.iccid, smdpStateChange: { state: "Enable", modificationResult: "Success" } }
  },
  "subscription.created": { description: "A SIM was put into service.", data: ofSubscription },
  "subscription.deleted": { description: "A subscription was deleted.", data: ofSubscription },
  "subscription.replaced": {
    description: "A subscription has moved to another SIM; the former one is withdrawn.",
    data: { ...ofSubscription, replacedEsim: Samples.replacedIccid, replacedAt: Samples.used }
  },
  "subscription.paused": {
    description: "A subscription was paused: its SIM has no service until it is resumed.",
    data: { ...ofSubscription, pausedAt: Samples.used }
  },
  "subscription.resumed": {
    description: "A subscription was resumed.",
    data: { ...ofSubscription, resumedAt: Samples.used }
  },
  "attachment.created": { description: "A plan was attached to a subscription.", data: attachment },
  "attachment.activated": { description: "An attachment has become active.", data: attachment },
  "attachment.expiring": {
    description: "An attachment expires in 24 h, or sooner if it is shorter.",
    data: attachment
  },
  "attachment.expired": { description: "An attachment has expired.", data: attachment },
  "attachment.suspended": {
    description: "An attachment was suspended, for good.",
    data: { ...attachment, suspendedAt: Samples.used }
  },
  "package.created": { description: "The telco has taken a package.", data: ofPackage },
  "package.refused": {
    description: "The telco has refused a package of a recurring plan, or what is left of a package on a new SIM.",
    data: ofPackage
  },
  "package.allowanceConsumed": {
    description:
      "A package has used a percentage of its allowance that the plan names in `alert_thresholds`; 50, 80 and 100 where it names none.",
    data: {
      usagePercentage: 80,
      dataUsageBytes: 4_294_967_296,
      esim: Samples.iccid,
      planId: Samples.planId,
      attachmentId: Samples.attachmentId,
      packageId: Samples.packageId
    }
  },
  "stock.low": {
    description: "Fewer eSIMs of a label are free than the level that was set for it.",
    data: { label: "Green", free: 99, level: 100 }
  },
  "endpoint.disabled": {
    description:
      "The service has disabled another endpoint of the organization: after a response of 410, or after five days in which every attempt failed.",
    data: {
      webhookEndpointId: Samples.endpointId,
      url: "https://acme.example.com/webhooks",
      reason: "failing",
      disabledAt: Samples.used
    }
  },
  "command.done": {
    description: "What the host has asked of the telco inside a transaction of its own was carried out.",
    data: ofCommand
  },
  "command.refused": {
    description: "What the host has asked of the telco inside a transaction of its own was refused, or cancelled.",
    data: { ...ofCommand, code: "no_free_esim", message: "No free eSIM with label Green is left" }
  },
  "endpoint.test": { description: "Somebody asked for a test event.", data: { webhookEndpointId: Samples.endpointId } }
}

const meanings: Readonly<Record<string, string>> = {
  usagePercentage: "The threshold that was crossed, in percent",
  dataUsageBytes: "The usage of the attachment, or of the package where one is named, in bytes",
  esim: "The SIM's ICCID",
  sim: "The SIM's ICCID",
  planId: "The plan's id",
  attachmentId: "The attachment's id",
  subscriptionId: "The subscription's id",
  packageId: "The package's id",
  countryIso2: "ISO 3166-1 alpha-2 code of the country",
  previousCountryIso2: "The code of the country before; null for the first one",
  smdpStateChange: "The new state, and the result as the SM-DP+ put it",
  state: "The new state",
  modificationResult: "The result, as the SM-DP+ put it",
  activationAt: "When it activates or did; null while that is not known",
  expirationAt: "When it ends or did; null while that is not known",
  suspendedAt: "When it was suspended",
  replacedEsim: "The ICCID of the SIM that it has left",
  replacedAt: "When it moved",
  pausedAt: "When it was paused",
  resumedAt: "When it was resumed",
  webhookEndpointId: "The id of the endpoint that the event is about",
  url: "Where its events went",
  id: "The id that the host was given when it asked",
  method: `What was asked for: ${Object.values(Command.methods).join(", ")}`,
  metadata: "That of the subscription; null where something else was asked for",
  code: "Why it was refused: the code of an error; `command_cancelled` where the host has cancelled it",
  message: "Why it was refused, for people",
  label: "The label of the eSIMs",
  free: "How many eSIMs of the label are free",
  level: "The level that was set",
  reason: "`gone` after a response of 410, `failing` after five days of failures",
  disabledAt: "When it was disabled"
}

const nullable = new Set(["activationAt", "expirationAt", "previousCountryIso2", "metadata"])

const typeOf = (name: string, value: unknown) => {
  const type = typeof value === "number" ? "integer" : "string"
  const format = name.endsWith("At") ? { format: "date-time" } : {}
  return { type: nullable.has(name) ? [type, "null"] : type, ...format }
}

const schemaOf = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const schema = typeof part === "object" && part !== null ? schemaOf({ ...part }) : typeOf(name, part)
      return [name, { ...schema, description: meanings[name] ?? name, examples: [part] }]
    })
  ),
  required: Object.keys(value)
})

const bodyOf = (type: string, { data }: Described) => {
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
        data: { ...schemaOf(data), description: "What the event tells", examples: [data] }
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

const receiversOf = (type: string): string => {
  if (type === WebhookEvent.TEST) return "Only the endpoint that is tested gets it."
  return WebhookEvent.standardTypes.some((one) => one === type)
    ? "An endpoint without a filter gets it."
    : "Only an endpoint whose filter names the type gets it."
}

const call = (type: string) => {
  const described = known[type] ?? { description: type, data: {} }
  return {
    post: {
      operationId: `webhook.${type}`,
      tags: ["Management: webhooks"],
      summary: type,
      description: `${described.description} ${receiversOf(type)}`,
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        description: "The event",
        content: { "application/json": bodyOf(type, described) }
      },
      responses: {
        "200": { description: "The event has arrived. So says any 2xx within 15 s; everything else is tried again" },
        "410": { description: "The endpoint is gone: it is disabled" }
      }
    }
  }
}

/** The calls by the type of event. */
export const section: Readonly<Record<string, unknown>> = Object.fromEntries(
  [...WebhookEvent.types, WebhookEvent.TEST].map((type) => [type, call(type)])
)
