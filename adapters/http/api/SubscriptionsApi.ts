/**
 * Subscriptions, their plan attachments, the last operator of a SIM, and SMS (rules S1 to S5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Sms, TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

export const Subscription = Schema.Struct({
  subscription_id: Schema.String,
  created_at: Schemas.Timestamp,
  metadata: Schema.String,
  esim: Schema.Struct({
    esim_id: Schema.String,
    iccid: Schema.String,
    lpa_string: Schema.NullOr(Schema.String),
    label: Schema.String
  })
}).annotate({ identifier: "Subscription" })

/** The answer to a creation. It has no envelope, and the SIM is called `esimdata`. */
export const CreatedSubscription = Schema.Struct({
  subscription_id: Schema.String,
  created_at: Schemas.Timestamp,
  activation_at: Schema.optionalKey(Schema.NullOr(Schemas.Timestamp)),
  expiration_at: Schema.optionalKey(Schema.NullOr(Schemas.Timestamp)),
  metadata: Schema.String,
  esimdata: Schema.Struct({
    esim_id: Schema.String,
    iccid: Schema.String,
    label: Schema.String,
    lpa_string: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "CreatedSubscription" })

export const CreateSubscription = Schema.Struct({
  plan_id: Schemas.text(TextLimit.ID),
  metadata: Schemas.text(TextLimit.METADATA),
  iccid: Schema.optionalKey(Schemas.text(TextLimit.ID)),
  active_period: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        start: Schema.optionalKey(Schema.NullOr(Schemas.Instant)),
        end: Schema.optionalKey(Schema.NullOr(Schemas.Instant))
      })
    )
  )
}).annotate({ identifier: "CreateSubscription" })

const usedAllowance = Schema.Struct({ dataBytes: Schema.Finite })

export const PlanAttachment = Schema.Struct({
  plan_attachment_id: Schema.String,
  created_at: Schemas.Timestamp,
  activation_at: Schema.NullOr(Schemas.Timestamp),
  expiration_at: Schema.NullOr(Schemas.Timestamp),
  used_allowance: usedAllowance,
  state: Schema.Literals(["PENDING_FOR_FIRST_USE", "CREATED", "ACTIVE", "SUSPENDED", "EXPIRED"]),
  plan: Schema.Struct({
    name: Schema.String,
    _id: Schema.String,
    coverage_id: Schema.String,
    region_code: Schema.String,
    label: Schema.String,
    throttling: Schema.Boolean,
    recurring: Schema.Boolean,
    data_mega_bytes: Schema.Int,
    period_days: Schema.Int
  }),
  packages: Schema.Array(
    Schema.Struct({
      package_id: Schema.String,
      activation_at: Schema.NullOr(Schemas.Timestamp),
      expiration_at: Schema.NullOr(Schemas.Timestamp),
      used_allowance: usedAllowance
    })
  )
}).annotate({ identifier: "PlanAttachment" })

export const SendSms = Schema.Struct({
  from: Schema.String.annotate({
    description:
      "The sender: up to 11 characters of the GSM alphabet (3GPP TS 23.038), of which those of its extension table " +
      "count twice, or up to 15 digits, which may begin with a plus sign"
  }),
  message: Schema.String.annotate({
    description:
      "The text, of up to 10 segments (3GPP TS 23.040). A text of the GSM alphabet has 160 septets in one segment, or " +
      "153 in each of several; any other text has 70 UCS-2 code units, or 67"
  })
}).annotate({ identifier: "SendSms" })

export const SentSms = Schema.Struct({
  error: Schema.Literal(false),
  message: Schema.String,
  segments: Schemas.integer(1, Sms.limits.segments).annotate({ description: "How many segments the text took" })
}).annotate({ identifier: "SentSms" })

export const LastOperator = Schema.Struct({
  error: Schema.Literal(false),
  last_operator: Schema.NullOr(
    Schema.Struct({
      country: Schema.String,
      country_alpha_2: Schema.String,
      operator: Schema.String,
      rat: Schema.String,
      imei: Schema.String
    })
  )
}).annotate({ identifier: "LastOperator" })

export const SubscriptionList = Schemas.data(Schema.Array(Subscription))
export const SubscriptionItem = Schemas.data(Subscription)
export const PlanAttachmentList = Schemas.data(Schema.Array(PlanAttachment))
export const PlanAttachmentItem = Schemas.data(PlanAttachment)

const ofLine = { iccid: Schema.String }

export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.get("list", "/subscription", {
      success: SubscriptionList,
      error: Schemas.problems(...Schemas.always)
    }).annotateMerge(OpenApi.annotations({ summary: "List subscriptions" })),
    HttpApiEndpoint.post("create", "/subscription", {
      payload: CreateSubscription,
      success: CreatedSubscription.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(
        ...Schemas.posting,
        "label_mismatch",
        "plan_not_found",
        "sim_not_found",
        "no_free_esim",
        "esims_releasing",
        "plan_archived",
        "sim_busy",
        "subscription_full",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Create a subscription, or add a plan to one" })),
    HttpApiEndpoint.get("get", "/subscriptions/:iccid", {
      params: ofLine,
      success: SubscriptionItem,
      error: Schemas.problems(...Schemas.always, "subscription_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a subscription by ICCID" })),
    HttpApiEndpoint.delete("remove", "/subscriptions/:iccid", {
      params: ofLine,
      success: Schemas.Done,
      error: Schemas.problems(
        ...Schemas.always,
        "key_read_only",
        "esim_installed",
        "subscription_not_found",
        "sim_busy"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a subscription and recycle its ICCID" })),
    HttpApiEndpoint.get("attachments", "/subscriptions/:iccid/plan-attachments", {
      params: ofLine,
      success: PlanAttachmentList,
      error: Schemas.problems(...Schemas.always, "subscription_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "List the plan attachments of a subscription" })),
    HttpApiEndpoint.get("attachment", "/subscriptions/:iccid/plan-attachments/:plan_id", {
      params: { iccid: Schema.String, plan_id: Schema.String },
      success: PlanAttachmentItem,
      error: Schemas.problems(...Schemas.always, "subscription_not_found", "plan_attachment_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a plan attachment by plan id or attachment id" })),
    HttpApiEndpoint.post("suspend", "/subscriptions/:iccid/plan-attachments/:id/suspend", {
      params: { iccid: Schema.String, id: Schema.String },
      success: Schemas.Done,
      error: Schemas.problems(
        ...Schemas.writing,
        "subscription_not_found",
        "plan_attachment_not_found",
        "attachment_expired",
        "request_in_progress",
        "idempotency_key_reused"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Suspend a plan attachment, for good" })),
    HttpApiEndpoint.post("sendSms", "/subscriptions/:iccid/send-sms", {
      params: ofLine,
      payload: SendSms,
      success: SentSms,
      error: Schemas.problems(
        ...Schemas.posting,
        "subscription_not_found",
        "sms_limited",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Send an SMS to a subscription's SIM" })),
    HttpApiEndpoint.get("location", "/subscriptions/:iccid/location", {
      params: ofLine,
      success: LastOperator,
      error: Schemas.problems(...Schemas.always, "subscription_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "The last operator of the last 7 days" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Subscriptions" }))
  .prefix("/v3") {}
