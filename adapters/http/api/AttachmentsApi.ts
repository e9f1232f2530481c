/**
 * The plan attachments of a subscription: how one looks, and the endpoints that list and suspend
 * them (rule S4).
 */
import { Schema } from "effect"
import { Attachment, Reason as Reasons, Refusal } from "simplan/ports"
import * as Operations from "./Operations.ts"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"

export const activationAt = Schemas.field(
  Schema.NullOr(Schemas.Timestamp),
  "When it activates or did; null as long as that is not known",
  Samples.used
)

export const expirationAt = Schemas.field(
  Schema.NullOr(Schemas.Timestamp),
  "When it ends or did; null as long as that is not known",
  Samples.end
)

export const packageId = Schemas.string("The package's id", Samples.packageId)

/** Packages that a request would order, suspend or cancel. */
export const previewedPackages = (description: string) =>
  Schemas.field(
    Schema.Array(Schema.Struct({ package_id: packageId, activation_at: activationAt, expiration_at: expirationAt })),
    description
  )

const usedAllowance = Schemas.field(
  Schema.Struct({ dataBytes: Schemas.field(Schema.Finite, "The data that was used, in bytes", 1_048_576) }),
  "What was used of the allowance"
)

const Reason = Schema.Struct({
  code: Schemas.field(
    Schema.Literals(Object.values(Reasons.codes)),
    "The kind of reason, for programs",
    "waits_for_first_use"
  ),
  message: Schemas.string("The reason, for people", "The package activates at the first use of the SIM"),
  at: Schemas.optional(
    Schemas.Timestamp,
    "When it starts, was suspended or paused, or ended, or when the next package starts after all data was used",
    Samples.start
  ),
  tries: Schemas.optional(Schema.Int, "How often the telco was asked for the package", 3),
  since: Schemas.optional(Schemas.Timestamp, "Since when the telco has not taken the order", Samples.used),
  next_try_at: Schemas.optional(Schemas.Timestamp, "When the telco is asked again", Samples.used),
  telco_message: Schemas.optional(Schema.String, "What the telco said", "unknown zone"),
  paused_at: Schemas.optional(
    Schemas.Timestamp,
    "Since when the SIM that waits for its first use has no service, because its subscription is paused",
    Samples.used
  ),
  by: Schemas.optional(
    Schema.String,
    "Who suspended it: the id of an API key, `the operator of the service`, or `host` for the program that embeds it; operators are shown names",
    Samples.attachmentId
  )
}).annotate({ identifier: "Reason" })

export const PlanAttachment = Schema.Struct({
  plan_attachment_id: Schemas.string("The attachment's id", Samples.attachmentId),
  created_at: Schemas.createdAt,
  activation_at: activationAt,
  expiration_at: expirationAt,
  used_allowance: usedAllowance,
  metadata: Schemas.metadata,
  state: Schemas.field(Schema.Literals(Attachment.states), "The state of the attachment", "ACTIVE"),
  reason: Schemas.field(Schema.NullOr(Reason), "Why it gives no service now; null while it gives service", {
    code: "waits_for_first_use",
    message: "The package activates at the first use of the SIM"
  }),
  plan: Schemas.field(
    Schema.Struct({
      name: Schemas.string(...Schemas.means.planName),
      _id: Schemas.planId,
      coverage_id: Schemas.coverageId,
      region_code: Schemas.regionCode,
      label: Schemas.label,
      throttling: Schemas.throttling,
      recurring: Schemas.recurring,
      data_mega_bytes: Schemas.dataMegaBytes,
      period_days: Schemas.periodDays
    }),
    "The terms of the plan, as they were when it was attached"
  ),
  packages: Schemas.field(
    Schema.Array(
      Schema.Struct({
        package_id: packageId,
        activation_at: activationAt,
        expiration_at: expirationAt,
        used_allowance: usedAllowance,
        usage_as_of: Schemas.optional(
          Schemas.Timestamp,
          "Until when the telco has counted what was used, if it is asked for that: it may count hours late, and more may be used " +
            "by now. Absent if the telco reports usage by itself, or was not asked yet",
          Samples.used
        ),
        assumed_used_allowance: Schemas.optional(
          Schema.Struct({ dataBytes: Schemas.field(Schema.Int, "Bytes that were assumed to be used", 0) }),
          "Present where the subscription has moved, and the telco could not say how much was used on the SIM before: what was assumed by " +
            "the last report, and what is left was ordered by",
          { dataBytes: 0 }
        )
      })
    ),
    "The packages at the telco, oldest first; refused ones are left out"
  )
}).annotate({ identifier: "PlanAttachment" })

export const SuspendedAttachment = Schema.Struct({
  error: Schemas.hasFailed(false),
  message: Schemas.message,
  preview: Schemas.optional(
    Schema.Struct({
      packages: previewedPackages(
        "The packages that would be stopped, oldest first; none where it is suspended already"
      ),
      ended_occurrences: Schemas.field(
        Schema.Int,
        "How many packages of the recurrence would never be made; 0 for a plan that does not recur",
        11
      )
    }),
    Schemas.DRY_RUN
  )
}).annotate({ identifier: "SuspendedAttachment" })

/** `GET /v3/subscriptions/{iccid}/plan-attachments` */
export const list = Operations.readOfOne("attachments", "/subscriptions/:iccid/plan-attachments", Schemas.ofSim, {
  success: Schemas.data(Schema.Array(PlanAttachment)),
  errors: ["subscription_not_found"],
  summary: "List the plan attachments of a subscription",
  description: "All plan attachments of the subscription, oldest first, with their states and usage."
})

/** `GET /v3/subscriptions/{iccid}/plan-attachments/{plan_id}` */
export const get = Operations.readOfOne(
  "attachment",
  "/subscriptions/:iccid/plan-attachments/:plan_id",
  { ...Schemas.ofSim, plan_id: Schemas.idOfPath("The id of the attachment, or of its plan", Samples.planId) },
  {
    success: Schemas.data(PlanAttachment),
    errors: ["subscription_not_found", "plan_attachment_not_found"],
    summary: "Get a plan attachment by plan id or attachment id",
    description:
      "One attachment, by its id or by its plan's. Of several attachments of a plan, the newest active one is " +
      "taken, else the newest."
  }
)

const suspension = {
  query: Schemas.previewable,
  success: SuspendedAttachment,
  errors: ["subscription_not_found", "plan_attachment_not_found", ...Refusal.codesOf("suspension")],
  summary: "Suspend a plan attachment, for good",
  description:
    "Stops the attachment's services for good. Suspending it again changes nothing; an expired one is refused " +
    "(409)."
} as const

const attachmentId = Schemas.idOfPath("The attachment's id", Samples.attachmentId)

const ATTACHMENTS = "/subscriptions/:iccid/plan-attachments"

/**
 * `POST /v3/subscriptions/{iccid}/plan-attachments/{id}/suspend`. In the management API `id` is the
 * organization's.
 */
export const suspend = {
  v3: Operations.task("suspend", `${ATTACHMENTS}/:id/suspend`, { ...Schemas.ofSim, id: attachmentId }, suspension).v3,
  managed: Operations.task(
    "suspend",
    `${ATTACHMENTS}/:attachment_id/suspend`,
    { ...Schemas.ofSim, attachment_id: attachmentId },
    suspension
  ).managed
}
