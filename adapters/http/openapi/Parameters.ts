/**
 * What the parameters of paths and queries mean, with an example each, by name. Where a name means something else in one
 * operation, `operation.parameter` says so.
 */
import type { Explanation } from "./Fields.ts"
import * as Samples from "./Samples.ts"

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
  page_size: ["How many items a page has at most", "10"],
  label: ["Only those of this label", "Green"],
  force: ["`true`: the telco is not asked what it lists on a SIM that will be free", "true"],
  archived: ["`true`: only archived plans, `false`: only live ones", "false"],
  is_esim: ["`true`: only eSIMs, `false`: only physical SIMs; both where absent", "true"],
  search_query: ["A part of the name, in any case", "sweden"],
  country_iso_2: ["ISO 3166-1 alpha-2 codes, separated by commas: only plans that cover all of them", "DK,SE"],
  region_code: ["Only the profiles with this region code", "SE"],
  country: ["Only the operators of the country with this ISO 3166-1 alpha-2 code", "SE"],
  status: ["Only those with this status", "failed"],
  type: ["Only those of this type", "attachment.allowanceConsumed"],
  webhook_endpoint_id: ["Only those of this webhook endpoint", Samples.endpointId],
  from: ["Only those from this instant on", Samples.start],
  to: ["Only those before this instant", Samples.end],
  actor: ["Only the changes of this caller", "admin"],
  action: ["Only changes of this kind", "subscription.create"],
  resource_id: ["Only the changes to this resource", Samples.subscriptionId],
  kind: ["Only those of this kind", "CancelPackages"],
  reason: ["Only those that wait for a reason of this class", "unavailable"],
  organization_id: ["Only those of this organization", Samples.organizationId]
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
