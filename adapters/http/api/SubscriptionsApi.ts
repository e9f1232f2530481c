/**
 * Subscriptions, their history, the last operator of a SIM, and SMS (rules S1 to S3, S5, S7 and
 * S8).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AuditEntry, Delivery as DeliveryRules, Operator, Refusal, SimHistory, Sms, TextLimit } from "simplan/ports"
import * as AttachmentsApi from "./AttachmentsApi.ts"
import * as Operations from "./Operations.ts"
import * as Roles from "./Roles.ts"
import { Bulk, Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"
import * as WebhooksApi from "./WebhooksApi.ts"

const subscriptionId = Schemas.string("The subscription's id", Samples.subscriptionId)

const THE_SIM = "The SIM of the subscription"

export const Subscription = Schema.Struct({
  subscription_id: subscriptionId,
  created_at: Schemas.createdAt,
  metadata: Schemas.metadata,
  paused_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), "Since when it is paused; null where it is not", null),
  esim: Schemas.field(
    Schema.Struct({
      esim_id: Schemas.simId,
      iccid: Schemas.iccid,
      lpa_string: Schemas.lpa,
      label: Schemas.label,
      install: Schemas.install
    }),
    THE_SIM
  )
}).annotate({ identifier: "Subscription" })

/** The answer to a creation. It has no envelope, and the SIM is called `esimdata`. */
export const CreatedSubscription = Schema.Struct({
  subscription_id: subscriptionId,
  created_at: Schemas.createdAt,
  activation_at: Schema.optionalKey(AttachmentsApi.activationAt),
  expiration_at: Schema.optionalKey(AttachmentsApi.expirationAt),
  metadata: Schemas.metadata,
  esimdata: Schemas.field(
    Schema.Struct({
      esim_id: Schemas.simId,
      iccid: Schemas.iccid,
      label: Schemas.label,
      lpa_string: Schemas.lpa,
      install: Schemas.install
    }),
    THE_SIM
  ),
  preview: Schemas.optional(
    Schema.Struct({
      packages: AttachmentsApi.previewedPackages("The packages that would be ordered at once, oldest first"),
      next_package_at: Schemas.field(
        Schema.NullOr(Schemas.Timestamp),
        "When the next package would be made; null where none follows, or only from the first use on",
        Samples.end
      ),
      purchase: Schemas.optional(
        Schema.Struct({
          load: Schemas.string("The supplier's code of the bundle that the eSIM comes with", "esim_1GB_7D_GB_V2"),
          price_limit: Schemas.field(Schema.NullOr(Schema.String), "The most that it may cost; null: anything", "4.50"),
          currency: Schemas.field(Schema.NullOr(Schema.String), "That of the limit (ISO 4217)", "USD")
        }),
        "Only where no eSIM is free and one would be bought: nothing was"
      )
    }),
    `${Schemas.DRY_RUN}. A new id is shown as the nil UUID, and the eSIM that is shown is not reserved; one that would ` +
      "be bought has no ICCID and no code yet, which are empty"
  )
}).annotate({ identifier: "CreatedSubscription" })

export const ReplacedSubscription = Schema.Struct({
  error: Schemas.hasFailed(false),
  data: Schemas.field(Subscription, "The subscription on its new SIM"),
  replaced_iccid: Schemas.string("The ICCID of the SIM that it has left, which is withdrawn", Samples.replacedIccid),
  preview: Schemas.optional(
    Schema.Struct({
      packages: Schemas.field(
        Schema.Array(
          Schema.Struct({
            package_id: AttachmentsApi.packageId,
            activation_at: AttachmentsApi.activationAt,
            expiration_at: AttachmentsApi.expirationAt,
            data_mega_bytes: Schemas.field(Schema.Int, "The data that is left of it, in MB, rounded up", 512)
          })
        ),
        "The packages that would be ordered on the new SIM, oldest first: what is left of those that are not over"
      ),
      cancelled_packages: AttachmentsApi.previewedPackages(
        "The packages that would be cancelled on the old SIM, oldest first"
      )
    }),
    `${Schemas.DRY_RUN}. The eSIM that is shown is not reserved`
  )
}).annotate({ identifier: "ReplacedSubscription" })

/** What an eSIM or a card shows of its use, and what a deletion would cancel. */
export const DeletionPreview = Schema.Struct({
  downloaded: Schemas.field(Schema.Boolean, "Whether there is a sign that the eSIM was downloaded", false),
  activated: Schemas.field(Schema.Boolean, "Whether a plan on the SIM is or was active", false),
  used: Schemas.field(Schema.Boolean, "Whether data was used", false),
  packages: AttachmentsApi.previewedPackages(
    "The packages that would be cancelled, oldest first; none where it would be refused"
  )
})

export const DeletedSubscription = Schema.Struct({
  error: Schemas.hasFailed(false),
  message: Schemas.message,
  preview: Schemas.optional(DeletionPreview, `${Schemas.DRY_RUN}. A refusal (403, 409) has it too`)
}).annotate({ identifier: "DeletedSubscription" })

/** The error of a deletion that is refused, with its preview if `dry_run` is true. */
const refusedDeletion = (code: "esim_installed" | "sim_busy") =>
  Schema.Struct({
    ...Schemas.ErrorBody.fields,
    code: Schemas.field(Schemas.errorCode([code]), "The name of the error", code),
    preview: Schemas.optional(DeletionPreview, Schemas.DRY_RUN)
  }).annotate({ description: Schemas.described([code]) })

const EsimInstalled = refusedDeletion("esim_installed").annotate({ identifier: "EsimInstalled" })
const DeletionBusy = refusedDeletion("sim_busy").annotate({ identifier: "DeletionBusy" })

/** The answer to a pause or a resumption. */
export const ChangedService = Schema.Struct({
  error: Schemas.hasFailed(false),
  message: Schemas.message,
  preview: Schemas.optional(
    Schema.Struct({
      changed: Schemas.field(Schema.Boolean, "Whether the telco would be asked; false: it is so already", true),
      paused_at: Schemas.field(
        Schema.NullOr(Schemas.Timestamp),
        "Since when the subscription would be paused; null: it would not be",
        Samples.used
      )
    }),
    Schemas.DRY_RUN
  )
}).annotate({ identifier: "ChangedService" })

export const CreateSubscription = Schema.Struct({
  plan_id: Schemas.idOfBody(...Schemas.means.planId),
  metadata: Schemas.field(Schemas.text(TextLimit.METADATA), ...Schemas.means.metadata),
  iccid: Schema.optionalKey(
    Schemas.iccidOfBody("The SIM to use; where it is absent, a free eSIM of the plan's label", Samples.iccid)
  ),
  active_period: Schemas.optional(
    Schema.NullOr(
      Schema.Struct({
        start: Schemas.optional(
          Schema.NullOr(Schemas.Instant),
          "When the first package activates; it is the anchor of a recurring plan",
          Samples.start
        ),
        end: Schemas.optional(
          Schema.NullOr(Schemas.Instant),
          "When the package ends. A recurring plan ignores it",
          "2026-02-10T12:00:00.000Z"
        )
      })
    ),
    "When the plan is to be active; without one, it activates at first use. See `/docs` for the rules"
  )
}).annotate({ identifier: "CreateSubscription" })

export const HistoryEntry = Schema.Struct({
  iccid: Schemas.iccid,
  at: Schemas.field(Schemas.Timestamp, "When it happened", Samples.bought),
  type: Schemas.field(
    Schema.Literals(SimHistory.types),
    "A change that somebody made, an event to endpoints, a state of the profile at the SM-DP+, what became of a package, a country " +
      "that the SIM came to or the network that it was seen in last, what was used on a day, which stands at the day's beginning, work " +
      "that waits for its next try, or a problem that an operator has to see to",
    "change"
  ),
  what: Schemas.string(
    "The action of a change, the type of an event, the state of the profile, `active` or `over` for a package, the country of a network " +
      "or of usage, `unknown` where no report names it, or the work that waits or has become a problem",
    "subscription.create"
  ),
  detail: Schemas.field(
    Schema.NullOr(Schema.String),
    "The reason of an operator's change, for operators alone, what of an event matters most, such as its threshold, and for each of its endpoints the status of the delivery and its last error, the result of the SM-DP+, the network, how much was used, why the work waits and until when, or the telco's words; else null",
    null
  ),
  by: Schemas.field(
    Schema.NullOr(Schema.String),
    `Who made the change, without the names of operators: each is \`${AuditEntry.OPERATOR}\`; else null. Operators are shown names`,
    "Ada"
  ),
  resource_id: Schemas.field(
    Schema.NullOr(Schema.String),
    "The id of what was changed, of the event, of the package, of the attachment that was used, of the job, or of the problem; null " +
      "for a state of the profile and for a network",
    Samples.subscriptionId
  ),
  deliveries: Schemas.optional(
    Schema.Array(WebhooksApi.HistoryDelivery),
    "Only of an event: what became of it at each of its endpoints"
  ),
  attempts: Schemas.optional(
    Schema.Array(WebhooksApi.ShortAttempt),
    `Only of an event: its last attempts, newest first, ${DeliveryRules.LAST_ATTEMPTS} at most at each endpoint`
  )
}).annotate({ identifier: "HistoryEntry" })

export const SendSms = Schema.Struct({
  from: Schemas.string(
    "The sender: up to 11 characters of the GSM alphabet (3GPP TS 23.038), of which those of its extension table " +
      "count twice, or up to 15 digits, which may begin with a plus sign",
    "Acme"
  ),
  message: Schemas.string(
    "The text, of up to 10 segments (3GPP TS 23.040). A text of the GSM alphabet has 160 septets in one segment, or " +
      "153 in each of several; any other text has 70 UCS-2 code units, or 67",
    "Your plan is active. Welcome to Sweden!"
  )
}).annotate({ identifier: "SendSms" })

export const SentSms = Schema.Struct({
  error: Schemas.hasFailed(false),
  message: Schemas.message,
  segments: Schemas.field(Schemas.integer(1, Sms.limits.segments), "How many segments the text took", 1)
}).annotate({ identifier: "SentSms" })

export const LastOperator = Schema.Struct({
  error: Schemas.hasFailed(false),
  last_operator: Schemas.field(
    Schema.NullOr(
      Schema.Struct({
        country: Schemas.string("The country's name", "Sweden"),
        country_alpha_2: Schemas.string("ISO 3166-1 alpha-2 code of the country", "SE"),
        operator: Schemas.string("The operator's name", "Telia"),
        rat: Schemas.string("The radio access technology", "5G"),
        imei: Schemas.string("The device's IMEI", "490154203237518")
      })
    ),
    "The last operator; null when the SIM showed no activity in the last 7 days"
  )
}).annotate({ identifier: "LastOperator" })

/** What the management API reads too. */
export const reads = {
  list: Operations.readOfAll("list", "/subscription", {
    query: {
      ...Views.query(Bulk.SubscriptionFilter.own),
      ...Schemas.installable
    },
    success: Schemas.data(Schema.Array(Subscription)),
    errors: ["invalid_field"],
    summary: "List subscriptions",
    description:
      "All subscriptions of the organization that the query names, in the order of their creation. The list is streamed: " +
      "read it as it comes.",
    hasCodes: true
  }),
  get: Operations.readOfOne("get", "/subscriptions/:iccid", Schemas.ofSim, {
    query: Schemas.installable,
    success: Schemas.data(Subscription),
    errors: ["invalid_field", "subscription_not_found"],
    summary: "Get a subscription by ICCID",
    description: "The subscription of the SIM.",
    hasCodes: true
  }),
  history: Operations.readOfOne("history", "/subscriptions/:iccid/history", Schemas.ofSim, {
    query: {
      ...Schemas.paging(100, 25),
      across_sims: Schemas.optional(
        Schemas.Flag,
        "`true`: of the subscription that the SIM has, or that has left it last, over all SIMs that it was on",
        "true"
      )
    },
    success: Schemas.page(HistoryEntry),
    errors: ["invalid_field", "sim_not_found"],
    summary: "What has happened to a SIM, newest first",
    description:
      "Changes, events with the attempts to deliver them, states of the profile, packages, networks, usage by day, work that waits, and " +
      "problems of the SIM in one order. With `across_sims` those of all SIMs that its subscription was on, while it was on them, SIM " +
      "by SIM, the last one first. A page may have fewer items than `page_size`, or none, and a next page."
  }),
  location: Operations.readOfOne("location", "/subscriptions/:iccid/location", Schemas.ofSim, {
    success: LastOperator,
    errors: ["subscription_not_found"],
    summary: "The last operator of the last 7 days",
    description: "The operator that the SIM was seen at last, within the last 7 days."
  })
}

const deletion = { query: Schemas.previewable, success: DeletedSubscription }
const deletionErrors = Operations.removalErrors(["subscription_not_found"])
const refusedDeletions = [
  EsimInstalled.pipe(HttpApiSchema.status(403)),
  DeletionBusy.pipe(HttpApiSchema.status(409))
] as const
const DELETION = [
  "Delete a subscription and recycle its ICCID",
  "Ends the subscription. The packages are cancelled at the telco, and then the SIM is free for another " +
    "one. The subscription of an eSIM that shows a sign of a download stays (403)."
] as const

/** What the management API changes too. */
export const writes = {
  create: Operations.creation("create", "/subscription", {
    query: { ...Schemas.previewable, ...Schemas.installable },
    payload: CreateSubscription,
    success: CreatedSubscription.pipe(HttpApiSchema.status(201)),
    errors: [
      ...Refusal.codesOf("creation"),
      "plan_not_found",
      "sim_not_found",
      "no_free_esim",
      "esims_releasing",
      "esims_issuing",
      "sold_out",
      "no_balance",
      "spending_limited",
      "packages_listed",
      "telco_refused",
      "telco_unavailable"
    ],
    summary: "Create a subscription, or add a plan to one",
    description:
      "Takes a SIM and attaches the plan to it. Without `iccid` a free eSIM of the plan's label is chosen. With " +
      "the ICCID of a SIM in service, the plan is added to that SIM's subscription. The packages that are due " +
      "are made at the telco before the answer; a 502 or 503 of the telco leaves nothing behind."
  }),
  remove: {
    v3: HttpApiEndpoint.delete("remove", "/subscriptions/:iccid", {
      ...deletion,
      params: Schemas.ofSim,
      error: [...deletionErrors.v3, ...refusedDeletions]
    }).annotateMerge(Schemas.operation(...DELETION)),
    managed: HttpApiEndpoint.delete("remove", "/organizations/:id/subscriptions/:iccid", {
      ...deletion,
      params: { ...Schemas.ofOrganization, ...Schemas.ofSim },
      error: [...deletionErrors.managed, ...refusedDeletions]
    }).annotateMerge(Roles.operation(Operator.ofDeletion, ...DELETION))
  },
  replace: Operations.task("replace", "/subscriptions/:iccid/replace", Schemas.ofSim, {
    query: { ...Schemas.previewable, ...Schemas.installable },
    success: ReplacedSubscription,
    errors: [
      ...Refusal.codesOf("replacement"),
      "subscription_not_found",
      "no_free_esim",
      "esims_releasing",
      "esims_issuing",
      "sold_out",
      "no_balance",
      "spending_limited",
      "telco_refused"
    ],
    summary: "Move a subscription to another eSIM",
    description:
      "For a customer whose eSIM was deleted from the phone, or whose card is lost. The subscription moves to a free eSIM of " +
      "the label, with its id, its metadata and its plan attachments. Packages that are not over are ordered there with " +
      "the data that is left and the same end, recurrences go on, and a pause goes on. The old SIM is withdrawn and its " +
      "packages are cancelled. The answer does not wait for the telco. What is left is ordered as soon as the telco has " +
      "stopped the packages on the old SIM and has said how much of them was used; of a telco that cannot say it, the last " +
      "report is taken for right, and so it is by a preview. What is reported of the old SIM later counts too. Under the old " +
      "ICCID there is no subscription any more."
  }),
  pause: Operations.task("pause", "/subscriptions/:iccid/pause", Schemas.ofSim, {
    query: Schemas.previewable,
    success: ChangedService,
    errors: ["subscription_not_found", "not_supported"],
    summary: "Pause a subscription",
    description:
      "The SIM has no service until the subscription is resumed. Its plan attachments go on: a pause stops the service, " +
      "and not the time. The SIM is paused as a whole: what the telco has on it of somebody else, as after the restore " +
      "of a backup, has no service either. The answer does not wait for the telco. Pausing again changes nothing. A " +
      "telco that cannot pause a SIM is 422."
  }),
  resume: Operations.task("resume", "/subscriptions/:iccid/resume", Schemas.ofSim, {
    query: Schemas.previewable,
    success: ChangedService,
    errors: ["subscription_not_found"],
    summary: "Resume a subscription",
    description:
      "Ends a pause: the SIM has service again. The answer does not wait for the telco. Resuming again changes nothing."
  }),
  sendSms: Operations.task("sendSms", "/subscriptions/:iccid/send-sms", Schemas.ofSim, {
    payload: SendSms,
    success: SentSms,
    errors: ["subscription_not_found", "not_supported", "sms_limited", "telco_refused", "telco_unavailable"],
    summary: "Send an SMS to a subscription's SIM",
    description:
      "Sends the SMS through the telco, once for each `Idempotency-Key`. A 503 means that it may have been " +
      "sent: repeat the request under the same key."
  })
}

export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    reads.list.v3,
    writes.create.v3,
    reads.get.v3,
    writes.remove.v3,
    writes.replace.v3,
    writes.pause.v3,
    writes.resume.v3,
    AttachmentsApi.list.v3,
    AttachmentsApi.get.v3,
    reads.history.v3,
    AttachmentsApi.suspend.v3,
    writes.sendSms.v3,
    reads.location.v3
  )
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(
    Schemas.group(
      "Subscriptions",
      "SIMs in service, the plans attached to them, messages to them and where they were seen."
    )
  )
  .prefix("/v3") {}
