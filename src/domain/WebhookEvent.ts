/**
 * The catalogue of webhook events (rules W5 and E1): a row for each type, with what has happened,
 * and the fields of its `data`, each with its meaning and an example. The types of payloads, those
 * of hosts, the document and the lists of types follow from it. And the bodies of deliveries, and
 * where an event goes.
 */
import { Record, Result, Schema } from "effect"
import { labels } from "./Label.ts"
import { codes, InvalidField } from "./Refusal.ts"
import * as Samples from "./Samples.ts"
import type { Instant } from "./Time.ts"

/** A field of `data`: what it holds, what that means, and an example. */
const field = <S extends Schema.Top>(schema: S, description: string, example: S["Type"]): S["Rebuild"] =>
  schema.annotate({ description, examples: [example] })

const text = (meaning: string, example: string) => field(Schema.String, meaning, example)
const textOrNull = (meaning: string, example: string | null) => field(Schema.NullOr(Schema.String), meaning, example)
const integer = (meaning: string, example: number) => field(Schema.Int, meaning, example)

/** RFC 3339 in UTC. */
const Time = Schema.String.annotate({ format: "date-time" })
const time = (meaning: string, example: string) => field(Time, meaning, example)
const timeOrNull = (meaning: string, example: string) => field(Schema.NullOr(Time), meaning, example)

/** Fields that several types share. */
export interface Shared<Fields extends Schema.Struct.Fields = Schema.Struct.Fields> {
  /** What hosts call them. */
  readonly name: string
  /** What they say. */
  readonly meaning: string
  /** All of them. */
  readonly fields: Fields
  /** Those among them that are shared more widely; they come first. */
  readonly wider: Shared | null
}

const shared = <Fields extends Schema.Struct.Fields>(
  name: string,
  meaning: string,
  fields: Fields,
  wider: Shared | null = null
): Shared<Fields> => ({ name, meaning, fields, wider })

const esim = text("The SIM's ICCID", Samples.iccid)
const planId = text("The plan's id", Samples.planId)
const attachmentId = text("The attachment's id", Samples.attachmentId)
const packageId = text("The package's id", Samples.packageId)
const subscriptionId = text("The subscription's id", Samples.subscriptionId)
const ownMetadata = text("The metadata of the subscription, as its first creation gave it", "order 4711")
const webhookEndpointId = text("The id of the endpoint that the event is about", Samples.endpointId)

const ofSubscription = shared("SubscriptionEventData", "What events about a subscription say.", {
  esim,
  subscriptionId
})

const ofAttachment = shared(
  "AttachmentEventData",
  "What events about an attachment or one of its packages say.",
  {
    ...ofSubscription.fields,
    attachmentId,
    planId,
    activationAt: timeOrNull("When it activates or did; null while that is not known", Samples.used),
    expirationAt: timeOrNull("When it ends or did; null while that is not known", Samples.end)
  },
  ofSubscription
)

const ofPackage = shared(
  "PackageEventData",
  "What events about a package say; the times are the package's own.",
  { ...ofAttachment.fields, packageId },
  ofAttachment
)

const ofThreshold = shared("ConsumedEventData", "What events about a threshold of an allowance say.", {
  usagePercentage: integer("The threshold that was crossed, in percent", 80),
  dataUsageBytes: integer("The usage of the attachment, or of the package where one is named, in bytes", 4_294_967_296),
  esim,
  planId,
  attachmentId,
  subscriptionId,
  metadata: text("The metadata of the attachment, as its creation gave it", "order 4711")
})

const methods = ["subscriptions.create", "messages.send", "wallet.setMobilePlan"] as const

const ofCommand = shared("CommandEventData", "What events about a command of a host's transaction say of it.", {
  id: text("The id that the host was given when it asked", `${Samples.organizationId}:${Samples.commandId}`),
  method: field(Schema.Literals(methods), `What was asked for: ${methods.join(", ")}`, "subscriptions.create"),
  metadata: textOrNull("That of the subscription; null where something else was asked for", "order 4711")
})

/** A type of event. */
export interface Row<Fields extends Schema.Struct.Fields> {
  /** What has happened. */
  readonly meaning: string
  /** The fields that it shares, which come first. */
  readonly base: Shared
  /** What it says. */
  readonly data: Schema.Struct<Fields>
  /** What of an event is shown beside its type if there is room for a word; empty for nothing. */
  readonly brief: (data: Schema.Struct<Fields>["Type"]) => string
}

const row = <Fields extends Schema.Struct.Fields, Own extends Schema.Struct.Fields>(
  meaning: string,
  base: Shared<Fields>,
  own: Own,
  brief: Row<Fields & Own>["brief"] = () => ""
): Row<Fields & Own> => ({ meaning, base, data: Schema.Struct({ ...base.fields, ...own }), brief })

const nothing = shared("", "", {})

/** The interface's types: an endpoint without a filter receives these. */
const standard = {
  "attachment.allowanceConsumed": row(
    "50, 80 or 100 % of the allowance of a non-recurring plan's attachment is used.",
    ofThreshold,
    {},
    ({ usagePercentage }) => `${usagePercentage} %`
  ),
  "subscription.esim.locationChanged": row(
    "The SIM was seen in another country than before; the first country counts too.",
    nothing,
    {
      esim,
      countryIso2: text("ISO 3166-1 alpha-2 code of the country", "SE"),
      previousCountryIso2: textOrNull("The code of the country before; null for the first one", "DK")
    },
    ({ countryIso2, previousCountryIso2 }) => `${previousCountryIso2 ?? "nowhere yet"} to ${countryIso2}`
  ),
  "esim.smdp.stateChanged": row(
    "The SM-DP+ state of an eSIM's profile has changed.",
    nothing,
    {
      sim: esim,
      smdpStateChange: field(
        Schema.Struct({
          state: text("The new state", "Enable"),
          modificationResult: text("The result, as the SM-DP+ put it", "Success")
        }),
        "The new state, and the result as the SM-DP+ put it",
        { state: "Enable", modificationResult: "Success" }
      )
    },
    ({ smdpStateChange }) => smdpStateChange.state
  )
}

/** Rule E1: only an endpoint whose filter names such a type receives it. */
const optIn = {
  "subscription.created": row("A SIM was put into service.", ofSubscription, { metadata: ownMetadata }),
  "subscription.deleted": row("A subscription was deleted.", ofSubscription, {}),
  "subscription.replaced": row(
    "A subscription has moved to another SIM; the former one is withdrawn.",
    ofSubscription,
    {
      replacedEsim: text("The ICCID of the SIM that it has left", Samples.replacedIccid),
      replacedAt: time("When it moved", Samples.used)
    }
  ),
  "esim.ready": row(
    "A subscription has an activation code that it did not have before: it was created on an eSIM with one, has moved to one, or " +
      "its eSIM was corrected to have another one.",
    ofSubscription,
    {
      metadata: ownMetadata,
      replacedEsim: textOrNull("The ICCID of the SIM that it has left for this one; null: it has not moved", null)
    }
  ),
  "subscription.paused": row("A subscription was paused: its SIM has no service until it is resumed.", ofSubscription, {
    pausedAt: time("When it was paused", Samples.used)
  }),
  "subscription.resumed": row("A subscription was resumed.", ofSubscription, {
    resumedAt: time("When it was resumed", Samples.used)
  }),
  "attachment.created": row("A plan was attached to a subscription.", ofAttachment, {}),
  "attachment.activated": row("An attachment has become active.", ofAttachment, {}),
  "attachment.expiring": row("An attachment expires in 24 h, or sooner if it is shorter.", ofAttachment, {}),
  "attachment.expired": row("An attachment has expired.", ofAttachment, {}),
  "attachment.suspended": row("An attachment was suspended, for good.", ofAttachment, {
    suspendedAt: time("When it was suspended", Samples.used)
  }),
  "package.created": row("The telco has taken a package.", ofPackage, {}),
  "package.refused": row(
    "The telco has refused a package of a recurring plan, or what is left of a package on a new SIM.",
    ofPackage,
    {}
  ),
  "package.allowanceConsumed": row(
    "A package has used a percentage of its allowance that the plan names in `alert_thresholds`; 50, 80 and 100 where it names none.",
    ofThreshold,
    { packageId }
  ),
  "stock.low": row("Fewer eSIMs of a label are free than the level that was set for it.", nothing, {
    label: field(Schema.Literals(labels), "The label of the eSIMs", "Green"),
    free: integer("How many eSIMs of the label are free", 99),
    level: integer("The level that was set", 100)
  }),
  "endpoint.disabled": row(
    "The service has disabled another endpoint of the organization: after a response of 410, or after five days in which every attempt failed.",
    nothing,
    {
      webhookEndpointId,
      url: text("Where its events went", "https://acme.example.com/webhooks"),
      reason: field(
        Schema.Literals(["gone", "failing"]),
        "`gone` after a response of 410, `failing` after five days of failures",
        "failing"
      ),
      disabledAt: time("When it was disabled", Samples.used)
    }
  ),
  "command.done": row(
    "What the host has asked of the telco inside a transaction of its own was carried out.",
    ofCommand,
    {
      esim: textOrNull("The ICCID of the SIM that it was done to", Samples.iccid),
      subscriptionId: textOrNull(
        "The subscription's id; null where something else was asked for",
        Samples.subscriptionId
      ),
      attachmentId: textOrNull(
        "The id of the attachment that was made; null where something else was asked for",
        Samples.attachmentId
      ),
      hasActivationCode: field(
        Schema.NullOr(Schema.Boolean),
        "Whether the eSIM has an activation code; null where no subscription was asked for",
        true
      )
    }
  ),
  "command.refused": row(
    "What the host has asked of the telco inside a transaction of its own was refused, or cancelled.",
    ofCommand,
    {
      code: field(
        Schema.Literals(codes),
        "Why it was refused: the code of an error; `command_cancelled` where the host has cancelled it",
        "no_free_esim"
      ),
      message: text("Why it was refused, for people", "No free eSIM with label Green is left")
    }
  )
}

/** A test event: no filter names it, because it goes to one endpoint only. */
export const TEST = "endpoint.test"

/** Each type, with what it says. */
export const catalogue = {
  ...standard,
  ...optIn,
  [TEST]: row("Somebody asked for a test event.", nothing, { webhookEndpointId })
} as const

/** The interface's types: an endpoint without a filter receives these. */
export const standardTypes = Record.keys(standard)

/** Rule E1: only an endpoint whose filter names such a type receives it. */
export const optInTypes = Record.keys(optIn)

/** The types that a filter may name. */
export const types = [...standardTypes, ...optInTypes]

/** How many types a filter names at most, one that is named twice included (rule W9). */
export const MOST_NAMED = 100

/** Every type that a webhook may have: those that filters name, and `endpoint.test`. */
export type Type = keyof typeof catalogue
/** A type that only those receive who name it (rule E1). */
export type OptInType = keyof typeof optIn
/** A type that an endpoint's filter may name. */
export type FilterType = keyof typeof standard | OptInType

/** What a type says: the `data` of its body. */
export type Data<Of extends Type> = (typeof catalogue)[Of]["data"]["Type"]

/** An event's type and the `data` of its webhook body. The order of keys is that of the wire. */
export type Payload<Of extends Type = Type> = {
  readonly [One in Of]: { readonly type: One; readonly data: Data<One> }
}[Of]

const briefs: { readonly [Of in Type]: { readonly brief: (data: Data<Of>) => string } } = catalogue

/** What of an event matters most, in a word for people, such as its threshold; or nothing. */
export const word = <Of extends Type>({ data, type }: Payload<Of>): string => briefs[type].brief(data)

/** An event in a word or two, for people: its type, and what of it matters most. */
export const brief = (payload: Payload): string => {
  const shown = word(payload)
  return shown === "" ? payload.type : `${payload.type}: ${shown}`
}

/** Rule E1: whether the type goes only to endpoints whose filter names it. */
export const isOptIn = (type: Type): type is OptInType => optInTypes.some((known) => known === type)

const isType = (name: string): name is FilterType => types.some((type) => type === name)

/**
 * The types that an endpoint asks for, each once, in the order given. An unknown type and an empty
 * list are refused.
 */
export const typesOf = (names: ReadonlyArray<string>): Result.Result<ReadonlyArray<FilterType>, InvalidField> => {
  const refuse = (message: string) => Result.fail(new InvalidField({ field: "events", message }))
  if (names.length > MOST_NAMED) return refuse(`must have at most ${MOST_NAMED} items`)
  if (names.length === 0) return refuse("must name at least one type, or be left out for the standard ones")
  return names.every(isType) ? Result.succeed([...new Set(names)]) : refuse(`must hold only ${types.join(", ")}`)
}

/** What notifies an organization, stored in the commit that causes it. */
export interface WebhookEvent {
  /** The organization that owns it. */
  readonly organizationId: string
  /** What receivers recognize a repeated delivery by. */
  readonly eventId: string
  /** Business time. */
  readonly createdAt: Instant
  /** The type, and the `data` of the body. */
  readonly payload: Payload
}

/**
 * The body of a delivery: compact JSON whose re-serialization gives the same bytes (rule W5).
 * `timestamp` is in Unix seconds.
 */
export const body = (event: WebhookEvent): string =>
  JSON.stringify({
    id: event.eventId,
    type: event.payload.type,
    timestamp: Math.floor(event.createdAt / 1000),
    data: event.payload.data
  })

/** A header of a call of an endpoint. */
export interface Header {
  /** In lower case. */
  readonly name: string
  /** Null: each attempt has one of its own, by its time and the signing keys of then (rule W6). */
  readonly value: string | null
}

/** What each call has among its headers, beside those of its attempt. */
export const fixedHeaders = { "content-type": "application/json", "user-agent": "simplan" } as const

/** Rule W6: the headers by which a receiver takes an event, of each attempt. */
export const headersOf = ({ eventId }: Pick<WebhookEvent, "eventId">): ReadonlyArray<Header> => [
  ...Object.entries(fixedHeaders).map(([name, value]) => ({ name, value })),
  { name: "webhook-id", value: eventId },
  ...["webhook-timestamp", "webhook-signature", "x-service-signature"].map((name) => ({ name, value: null }))
]

/** The SIM that an event is about; null if it is about an endpoint, a refusal or the stock. */
export const iccid = ({ data }: Payload): string | null =>
  "sim" in data ? data.sim : "esim" in data ? data.esim : null

/** The only endpoint that an event goes to, whatever its filter; null if the filters decide. */
export const onlyTo = ({ data, type }: Payload): string | null => (type === TEST ? data.webhookEndpointId : null)

/** The endpoint that an event is about and does not go to; null if there is none. */
export const notTo = ({ data, type }: Payload): string | null =>
  type === "endpoint.disabled" ? data.webhookEndpointId : null
