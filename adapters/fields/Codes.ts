/**
 * The codes of errors, each with its HTTP status and its meaning (rule W1). Bodies of the HTTP API,
 * its document and errors of Promise hosts take them from this table. `Refusal` has the code of
 * each refusal.
 */

/** Each code with its status and its meaning. */
export const table = {
  invalid_field: [400, "A field does not hold what it must; the message names it"],
  malformed_json: [400, "The body is not JSON"],
  malformed_csv: [400, "The body is not CSV with the columns that are needed"],
  malformed_body: [400, "The body broke off, or is not UTF-8"],
  malformed_request: [400, "The request is not HTTP"],
  invalid_idempotency_key: [400, "The idempotency key is not 1 to 255 printable characters"],
  label_mismatch: [400, "The SIM's label is not the plan's"],
  region_name_taken: [400, "The organization has a custom region of that name"],
  region_uncovered: [400, "Some countries have no operator under the label"],
  key_missing: [401, "No API key was sent"],
  key_invalid: [401, "The API key is not valid"],
  token_missing: [401, "No bearer token was sent"],
  token_invalid: [401, "The bearer token is not valid"],
  unauthenticated: [401, "The host of the service does not know who sends the request"],
  forbidden: [403, "The operator's role does not allow it, or a page of another origin asks; the message says which"],
  key_read_only: [403, "The API key, or the caller, may only read"],
  esim_installed: [403, "The eSIM was installed on a device, so its subscription stays"],
  route_not_found: [404, "There is no such route"],
  plan_not_found: [404, "There is no such plan"],
  sim_not_found: [404, "There is no such SIM"],
  subscription_not_found: [404, "There is no such subscription"],
  plan_attachment_not_found: [404, "There is no such plan attachment"],
  coverage_profile_not_found: [404, "There is no such coverage profile"],
  telco_not_found: [404, "There is no such telco, or it has no location zones"],
  operator_not_found: [404, "There is no such operator"],
  organization_not_found: [404, "There is no such organization"],
  session_not_found: [404, "The request has no session, but a token"],
  api_key_not_found: [404, "There is no such API key"],
  webhook_endpoint_not_found: [404, "There is no such webhook endpoint"],
  delivery_not_found: [404, "There is no such delivery"],
  job_not_found: [404, "No such job waits, or not any more"],
  problem_not_found: [404, "There is no such problem, or not any more"],
  command_not_found: [404, "There is no such command"],
  event_handler_not_found: [404, "There is no such handler of events"],
  activation_code_not_found: [404, "The SIM has no activation code"],
  no_free_esim: [404, "No eSIM of the label is left"],
  method_not_allowed: [405, "The route does not know the method; `Allow` tells which it knows"],
  request_timeout: [408, "The request did not arrive in time"],
  plan_archived: [409, "An archived plan takes no new attachments"],
  sim_busy: [409, "The SIM is being put into service or released"],
  sim_in_use: [409, "A subscription holds the SIM, so it keeps its label and cannot be withdrawn"],
  sim_withdrawn: [409, "The SIM is withdrawn, and no subscription gets it"],
  packages_listed: [409, "The telco lists packages of ours on the SIM that would be free"],
  subscription_full: [409, "The subscription's plan attachments would have more than 1 MiB of data together"],
  quota_exceeded: [409, "The organization has as many of these as it may have; the message says how many"],
  operator_name_taken: [409, "An operator of the service has that name"],
  attachment_expired: [409, "An expired attachment cannot be suspended"],
  region_exists: [409, "A profile with exactly these countries exists"],
  webhook_endpoint_disabled: [409, "The webhook endpoint is disabled, and gets no deliveries"],
  request_in_progress: [409, "The first request with this idempotency key is not done yet"],
  clock_is_system: [409, "The clock is the machine's and cannot be moved"],
  clock_advancing: [409, "The clock is being moved already"],
  sold_out: [409, "The supplier has no more eSIMs with the plan's load"],
  command_begun: [409, "A command that has begun, or was carried out, cannot be cancelled"],
  command_cancelled: [409, "The host has cancelled the command before it began"],
  inside_transaction: [409, "The call would call the telco inside a database transaction of the host"],
  changed_meanwhile: [
    412,
    "Somebody has changed it since the version that `If-Match` names; `ETag` has the present one"
  ],
  body_too_large: [413, "The body is over the limit"],
  unsupported_media_type: [415, "The body has a content type that the route does not take"],
  expectation_failed: [417, "The request expects what the server does not do"],
  idempotency_key_reused: [422, "The idempotency key was used with another request"],
  terms_refused: [422, "No telco carries a plan of these terms; the message says what the operator has to set"],
  not_supported: [422, "The telco of the SIM cannot do that; the message says what it cannot"],
  rate_limited: [429, "Too many requests; `Retry-After` tells when to come back"],
  sms_limited: [429, "Too many SMS were sent to the SIM; `Retry-After` tells when to come back"],
  concurrency_limited: [
    429,
    "Too many requests, streams or heavy reads of the API key or its organization are under way"
  ],
  headers_too_large: [431, "The request's headers are over the limit"],
  internal_error: [500, "Something broke; `request_id` finds it in the log"],
  telco_refused: [502, "The telco refused"],
  esims_releasing: [503, "No eSIM of the label is free now, but some are or may be on their way back to stock"],
  esims_issuing: [503, "No eSIM with the plan's load is free now, but one is being bought of the supplier"],
  no_balance: [503, "The account at the supplier has not enough money for an eSIM with the plan's load"],
  spending_limited: [503, "The organization may buy no eSIM with the plan's load in this UTC day (rule I16)"],
  telco_unavailable: [503, "The telco could not be reached in time; nothing remains of the request"],
  storage_unavailable: [503, "The storage is out of reach, or a read took it too long and was stopped"],
  identity_provider_unavailable: [503, "The identity provider gives no answer about an operator whom it has signed in"],
  not_ready: [503, "The service is starting or stopping"]
} as const satisfies Readonly<Record<string, readonly [status: number, description: string]>>

/** The `code` of an error's body (rule W1). */
export type Code = keyof typeof table

/** The HTTP status that goes with a code. */
export const status = (code: Code): number => table[code][0]

/** The meaning of a code, for the OpenAPI document. */
export const description = (code: Code): string => table[code][1]
