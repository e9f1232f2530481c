/**
 * What the fields of bodies mean, with an example each, by the field's name. Where a name means something else in one
 * schema, `Schema.field` says so. A description in the definition itself goes first.
 */
import { WebhookEvent } from "simplan/ports"
import * as Samples from "./Samples.ts"

/** A description, and an example where none follows from the schema. */
export type Explanation = readonly [description: string, example?: unknown]

const envelope = {
  error: ["Whether the request failed"],
  data: ["What was asked for"],
  message: ["What happened, for people", "Plan archived successfully"],
  next_page: ["The token of the next page, for the parameter `page`; null on the last page", Samples.cursor],
  "sims.list.next_page": [
    "The token of the next page, for the parameter `page`; null on the last page",
    Samples.inventoryCursor
  ],
  code: ["The name of the error, for programs; it never changes", "plan_not_found"],
  "MissingCountries.code": ["The name of the error", "region_uncovered"],
  "ExistingCoverage.code": ["The name of the error", "region_exists"],
  request_id: ["The request's id, under which the log tells the cause", Samples.requestId],
  "Error.message": ["What is wrong, for people. A wrong field is named", "Plan not found"],
  status: ["Always `ok`"]
} as const

const sims = {
  iccid: ["The SIM's ICCID (ITU-T E.118): 18 to 20 digits", Samples.iccid],
  label: ["The network supply tier of the SIM and of the plans that it can carry", "Green"],
  lpa: ["The activation code (LPA) of an eSIM; null for a physical SIM", Samples.lpa],
  lpa_string: ["The activation code (LPA) of an eSIM; null for a physical SIM", Samples.lpa],
  imsi: ["The IMSI (ITU-T E.212) by which the network knows the SIM, 6 to 15 digits", Samples.imsi],
  msisdn: ["The phone number (ITU-T E.164), 1 to 15 digits, which may follow a plus sign", Samples.msisdn],
  subscriber_id: ["The telco's own id of the SIM", Samples.subscriberId],
  used: ["Whether the SIM is taken: by a subscription, or by a creation or deletion under way", true],
  esim_id: ["The SIM's id, of an eSIM or of a physical SIM", Samples.simId],
  is_esim: ["True for an eSIM, false for a physical SIM", true],
  state_history: ["What the SM-DP+ reported of the profile, oldest first, failures included"],
  current_status: ["The last state that was reached; null until one was", "Enable"],
  modification_result: ["Whether the change succeeded, as the SM-DP+ put it", "Success"],
  modified_at: ["When the SM-DP+ made the change", Samples.used],
  "SmdpInfo.state": ["The state that was reported", "Enable"],
  zone_id: ["The number of the telco's location zone", 27],
  "OcsAnswer.result": ["What became of the notification"],
  "OcsAnswer.code": ["0: taken", 0],
  "OcsAnswer.msg": ["What became of it, for people", "OK"],
  "ImportSims.sims": ["The SIMs to import; each is a row, counted from 1"],
  imported: ["How many SIMs were imported", 998],
  updated: ["How many SIMs were there already, and got an `imsi`, `msisdn`, `subscriber_id` or missing `lpa`", 0],
  duplicates: ["How many other rows name a SIM that the organization has already", 1],
  "ReportOutcome.duplicates": ["How many reports had been taken before, by their ids", 0],
  errors: ["The first 1,000 rows that were not imported, and why"],
  error_count: ["How many rows were not imported", 1],
  warnings: ["The first 1,000 imported rows with something odd, such as a wrong check digit"],
  warning_count: ["How many warnings there are", 1],
  row: ["The row, counted from 1, without the header", 7],
  line: ["The line of the body on which the row begins", 8],
  "ImportReport.message": ["What is wrong with the row", "iccid must have 18 to 20 digits"],
  mobile_plan_applied: ["Whether the eSIM has the mobile plan now", true],
  apply: ["True applies the mobile plan, false removes it", true],
  "MobilePlanStatus.id": ["The eSIM's place in the order of the organization's imports, from 1", 1],
  "SetMobilePlan.iccid": ["The eSIM; where it is absent, one without a mobile plan is chosen", Samples.iccid]
} as const

const plans = {
  plan_name: ["The plan's name", "Sweden 5 GB"],
  plan_id: ["The plan's id", Samples.planId],
  coverage_id: ["The coverage profile's id", Samples.coverageId],
  archived_at: ["When the plan was archived; null for a live one", null],
  region_code: ["The region's code: an ISO 3166-1 code for a country, a generated one for a custom region", "SE"],
  region_name: ["The region's name", "Sweden"],
  throttling: ["Whether the speed is limited past thresholds", false],
  recurring: ["Whether the plan recurs", false],
  archive: ["Whether the plan is archived: it takes no new attachments", false],
  data_mega_bytes: ["The data allowance of a package, in MB of 1,048,576 bytes", 5_120],
  data_MBs: ["The data allowance of a package, in MB of 1,048,576 bytes", 5_120],
  period_days: ["The validity of a package, in days of 24 h", 30],
  throttling_threshold1_perc: ["The first threshold, in percent of the allowance", 50],
  throttling_threshold2_perc: ["The second threshold, in percent of the allowance", 80],
  throttling_threshold3_perc: ["The third threshold, in percent of the allowance", 100],
  throttling_threshold1_limit: ["The speed past the first threshold, in Kbit/s", "1024"],
  throttling_threshold2_limit: ["The speed past the second threshold, in Kbit/s", "512"],
  throttling_threshold3_limit: ["The speed past the third threshold, in Kbit/s", "128"],
  nb_occurrence: ["How many packages a recurring plan has", 12],
  recurring_periodicity_type: ['The unit of the cycle: `"0"` (Daily), `"1"` (Weekly) or `"2"` (Monthly)', "2"],
  recurring_periodicity_frequency: ["How many units a cycle has", 1],
  countries: ["The countries of the region, with the operators that its label covers there"],
  operators: ["The operators of the country that the label covers"],
  iso2_list: ["ISO 3166-1 alpha-2 codes of the countries", ["DK", "SE"]],
  missing_iso2: ["The codes of the request for which there is no operator", ["AQ"]],
  existing_coverage: ["The profile that has exactly these countries"],
  operator_id: ["The operator's id", Samples.operatorId],
  "Operator.name": ["The operator's name", "Telia"],
  "Operator.country": ["The country of the operator"],
  "CreateCustomRegion.region_name": ["The region's name", "Scandinavia"],
  "CustomRegion.region_name": ["The region's name", "Scandinavia"],
  "Catalogue.name": ["The name of the country or of the operator", "Sweden"],
  "Catalogue.country": ["The `iso2` of one of the countries", "SE"],
  "Catalogue.iso2_list": ["The countries of the profile, each with an operator of its label", ["SE"]],
  "CoverageProfile.name": ["The name of the country or of the operator", "Sweden"],
  supported_rats: ["The radio access technologies", ["4G", "5G"]],
  mcc_mnc: ["The MCC-MNC codes, in the form `<mcc>-<mnc>`", ["240-01"]],
  labels: ["The labels whose profiles have the operator", ["Green", "Aqua"]],
  iso2: ["ISO 3166-1 alpha-2 code", "SE"],
  iso3: ["ISO 3166-1 alpha-3 code", "SWE"],
  name: ["The name", "Sweden 5 GB"]
} as const

const subscriptions = {
  subscription_id: ["The subscription's id", Samples.subscriptionId],
  created_at: ["When it was made", Samples.bought],
  metadata: ["Free text of the caller", "order 4711"],
  esim: ["The SIM of the subscription"],
  esimdata: ["The SIM of the subscription"],
  active_period: ["When the plan is to be active; without one, it activates at first use. See `/docs` for the rules"],
  start: ["When the first package activates; it is the anchor of a recurring plan", Samples.start],
  end: ["When the package ends. A recurring plan ignores it", "2026-02-10T12:00:00.000Z"],
  activation_at: ["When it activates or did; null as long as that is not known", Samples.used],
  expiration_at: ["When it ends or did; null as long as that is not known", Samples.end],
  "CreateSubscription.iccid": ["The SIM to use; where it is absent, a free eSIM of the plan's label", Samples.iccid],
  plan_attachment_id: ["The attachment's id", Samples.attachmentId],
  used_allowance: ["What was used of the allowance"],
  dataBytes: ["The data that was used, in bytes", 1_048_576],
  state: ["The state of the attachment", "ACTIVE"],
  plan: ["The terms of the plan, as they were when it was attached"],
  _id: ["The plan's id", Samples.planId],
  packages: ["The packages at the telco, oldest first; refused ones are left out"],
  package_id: ["The package's id", Samples.packageId],
  "SendSms.from": ["The sender", "Acme"],
  "SendSms.message": ["The text", "Your plan is active. Welcome to Sweden!"],
  segments: ["How many segments the text took", 1],
  last_operator: ["The last operator; null when the SIM showed no activity in the last 7 days"],
  "LastOperator.country": ["The country's name", "Sweden"],
  country_alpha_2: ["ISO 3166-1 alpha-2 code of the country", "SE"],
  operator: ["The operator's name", "Telia"],
  rat: ["The radio access technology", "5G"],
  imei: ["The device's IMEI", "490154203237518"]
} as const

const management = {
  organization_id: ["The organization's id", Samples.organizationId],
  "Organization.name": ["The organization's name", "Acme"],
  "CreateOrganization.name": ["The organization's name", "Acme"],
  api_key_id: ["The key's id", Samples.keyId],
  "ApiKey.name": ["The key's name", "checkout"],
  "NewApiKey.name": ["The key's name", "checkout"],
  "CreateApiKey.name": ["The key's name", "checkout"],
  scope: ["What the key may do: `full` everything, `read` only read", "full"],
  hint: ["The key's last characters", "x9Qf"],
  expires_at: ["When the key ends; null if it does not", null],
  revoked_at: ["When the key was revoked; null if it was not", null],
  key: ["The key itself; it is shown this once", "simplan_EXAMPLE"],
  webhook_endpoint_id: ["The endpoint's id", Samples.endpointId],
  url: ["Where the events are sent", "https://acme.example.com/webhooks"],
  "WebhookEndpoint.events": ["The types of events that are sent", WebhookEvent.standardTypes],
  events: ["The types of events that are sent", WebhookEvent.standardTypes],
  description: ["Free text of the operator", "orders"],
  enabled: ["Whether events are sent", true],
  disabled_at: ["When the endpoint was disabled; null while it is enabled", null],
  disabled_reason: [
    "Who or what disabled the endpoint: its organization, a response of 410, or five days of failures",
    null
  ],
  failing_since: [
    "Since when every attempt at the endpoint has failed; null where none has since the last success",
    null
  ],
  last_success_at: ["When an attempt at the endpoint last succeeded; null where none did", Samples.bought],
  pending_deliveries: ["How many deliveries are to be made, counted up to 10,000", 0],
  signing_key: ["The key that signs the calls: `whsec_` and base64", "whsec_EXAMPLE"],
  delivery_id: ["The delivery's id", Samples.deliveryId],
  "Delivery.status": ["Whether the event has arrived", "delivered"],
  attempts: ["How often the event was sent", 1],
  response_status: ["The status of the last answer; null without one", 200],
  last_error: ["What went wrong last; null if nothing did", null],
  last_attempt_at: ["When the event was sent last; null if it was not yet", Samples.used],
  next_attempt_at: ["When the event is sent again; null if it is not", null],
  event: ["The event that is delivered"],
  type: ["The type", "attachment.allowanceConsumed"],
  timestamp: ["When the event happened, in Unix seconds", 1_768_119_300],
  "Delivery.id": ["The event's id", Samples.eventId],
  "Delivery.data": ["What the event tells; it depends on the type", { esim: Samples.iccid, countryIso2: "SE" }],
  attempt_log: ["The last 100 attempts, newest first"],
  number: ["Which attempt it was, from 1 on, replays included", 1],
  "DeliveryAttempt.error": ["Why the attempt failed; null if it succeeded", null],
  "DeliveryWithAttempts.id": ["The event's id", Samples.eventId],
  "DeliveryWithAttempts.data": [
    "What the event tells; it depends on the type",
    { esim: Samples.iccid, countryIso2: "SE" }
  ],
  "DeliveryWithAttempts.status": ["Whether the event has arrived", "delivered"],
  duration_ms: ["How long it took, in ms", 84],
  response_body: ["The first 1 KB of the answer; null without one", "ok"],
  replayed: ["How many deliveries are sent again", 12],
  after: ["The `next` of the answer before; absent at first", Samples.cursor],
  "ReplayDeliveries.status": ["Only those with this status; those under way are never replayed", "failed"],
  "ReplayDeliveries.iccid": ["Only those about this SIM", Samples.iccid],
  "ReplayDeliveries.to": ["Only those created before this instant", Samples.end],
  from: ["Only those created at this instant or later", Samples.start],
  next: ["Where to go on, for the field `after`; null where none are left", null],
  has_more: ["Whether more are left, for another request", false],
  now: ["The business time", Samples.used],
  virtual: ["Whether the clock stands still until it is moved", true],
  to: ["The instant to move to; not before now", Samples.end],
  by: ["The span to move by, such as `12 hours`", "12 hours"],
  audit_entry_id: ["The entry's id", Samples.auditId],
  actor: ["Who made the change"],
  actor_id: ["The id of who made the change; null where there is none", Samples.keyId],
  action: ["What was done", "subscription.create"],
  resource: ["What it was done to"],
  resource_type: ["The kind of resource", "subscription"],
  resource_id: ["The resource's id", Samples.subscriptionId],
  at: ["When it happened", Samples.bought],
  address: ["The caller's address; null where there is none", "192.0.2.7"],
  job_id: ["The job's id", Samples.jobId],
  reason: ["The class of the reason to wait", "unavailable"],
  next_try_at: ["When it is tried next", Samples.end],
  retried: ["How many jobs are due now", 12],
  problem_id: ["The problem's id", Samples.problemId],
  kind: ["What kind of work it is", "CancelPackages"],
  since: ["When it began", Samples.used],
  ended_at: ["When the job ended: the telco is not asked any more", Samples.used],
  last_message: ["What the telco said last", "unknown package"]
} as const

const reports = {
  "ReportEvents.events": ["The reports, in any order"],
  "TelcoEvent.id": ["The report's id; a report counts once", "report-1"],
  "TelcoEvent.type": ["What is reported"],
  "TelcoEvent.package_id": [
    "The package, by our id or the telco's; where it is absent, the one in use",
    Samples.packageId
  ],
  "TelcoEvent.state": ["The state that the profile has reached", "Enable"],
  occurred_at: ["When it happened", Samples.used],
  total_bytes: ["The package's usage so far, in bytes; it only rises", 1_048_576],
  delta_bytes: ["The usage since the last report, in bytes", 4_096],
  accepted: ["How many reports were taken", 1],
  rejected: ["The reports that were not taken, and why"],
  index: ["The report's place in the request, from 0", 1],
  "ReportOutcome.id": ["The report's id; null where it has none", "report-2"],
  "ReportOutcome.message": ["What is wrong with the report", "iccid names no SIM"]
} as const

const explanations: Readonly<Record<string, Explanation>> = {
  ...envelope,
  ...sims,
  ...plans,
  ...subscriptions,
  ...management,
  ...reports
}

/** Examples of whole schemas, where those of their fields do not go together. */
const wholes: Readonly<Record<string, unknown>> = {
  Catalogue: Samples.catalogue,
  Advance: { by: "12 hours" }
}

/** The example of a whole schema; undefined where it is made of those of its fields. */
export const whole = (schema: string): unknown => wholes[schema]

/** What a field of a schema means; undefined where nothing is known of it. */
export const find = (schema: string, field: string): Explanation | undefined =>
  explanations[`${schema}.${field}`] ?? explanations[field]
