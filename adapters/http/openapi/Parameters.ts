/**
 * What the parameters of paths and queries mean, with an example each, by name. Where a name means something else in one
 * operation, `operation.parameter` says so. Filters of lists have their descriptions in the definition, since the command line
 * shows them too.
 */
import * as Samples from "./Samples.ts"

/** The description is undefined where the definition has it. */
type Explanation = readonly [description: string | undefined, example: unknown]

const explanations: Readonly<Record<string, Explanation>> = {
  iccid: ["The SIM's ICCID", Samples.iccid],
  id: ["The organization's id", Samples.organizationId],
  "subscriptions.suspend.id": ["The attachment's id", Samples.attachmentId],
  plan_id: ["The id of the attachment, or of its plan", Samples.planId],
  planId: ["The plan's id", Samples.planId],
  coverageId: ["The coverage profile's id", Samples.coverageId],
  operatorId: ["The operator's id", Samples.operatorId],
  key_id: ["The API key's id", Samples.keyId],
  endpoint_id: ["The webhook endpoint's id", Samples.endpointId],
  delivery_id: ["The delivery's id", Samples.deliveryId],
  name: ["The telco's name in the settings file", "ocs"],
  secret: ["The secret of the telco's notifications", "3q2-7wQhF0aLr9Zc"],
  job_id: ["The job's id", Samples.jobId],
  problem_id: ["The problem's id", Samples.problemId],
  page: ["The `next_page` of the page before; absent for the first page", Samples.cursor],
  "sims.list.page": ["The `next_page` of the page before; absent for the first page", Samples.inventoryCursor],
  page_size: [undefined, "10"],
  label: ["Only those of this label", "Green"],
  force: [undefined, "true"],
  archived: [undefined, "false"],
  is_esim: [undefined, "true"],
  search_query: [undefined, "sweden"],
  country_iso_2: [undefined, "DK,SE"],
  region_code: ["Only the profiles with this region code", "SE"],
  country: ["Only the operators of the country with this ISO 3166-1 alpha-2 code", "SE"],
  status: [undefined, "failed"],
  type: [undefined, "attachment.allowanceConsumed"],
  webhook_endpoint_id: [undefined, Samples.endpointId],
  from: [undefined, Samples.start],
  to: [undefined, Samples.end],
  actor: [undefined, "admin"],
  action: [undefined, "subscription.create"],
  resource_id: [undefined, Samples.subscriptionId],
  kind: [undefined, "CancelPackages"],
  reason: [undefined, "unavailable"],
  organization_id: [undefined, Samples.organizationId]
}

/** What a parameter of an operation means; undefined where nothing is known of it. */
export const find = (operation: string, name: string): Explanation | undefined =>
  explanations[`${operation}.${name}`] ?? explanations[name]

/** The `Idempotency-Key` header, of the operations that take one (rule W2). */
export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A text of the caller's choice that makes the request safe to repeat: for 24 h, a request with the same key and " +
    "body gets the first one's answer, with the header `Idempotent-Replayed: true`",
  schema: { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$" },
  example: "order-4711-plan"
} as const
