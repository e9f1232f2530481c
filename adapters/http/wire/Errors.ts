/**
 * Errors as the wire names them (rule W1): the code, the message and the further fields of each refusal of the domain,
 * and of each problem with a request that no use case has seen. `ErrorResponses` makes responses of them.
 */
import { Data } from "effect"
import type { Refusal } from "simplan"
import type { Storage } from "simplan/ports"
import type * as Codes from "./Codes.ts"
import * as FieldNames from "./FieldNames.ts"

/** The content of an error body. `additions` are the fields beside `error`, `message` and `code`. */
export interface ErrorContent {
  readonly code: Codes.Code
  readonly message: string
  readonly additions?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The request itself is wrong; no use case has run. */
export class Problem extends Data.TaggedError("Problem")<ErrorContent> {}

/** There is no such route. */
export const routeNotFound = new Problem({ code: "route_not_found", message: "Route not found" })

/** The failures of use cases and of reading requests. */
export type Failure = Refusal.Plain | Storage.StorageError | Problem

const notFound = {
  plan: ["plan_not_found", "Plan not found"],
  sim: ["sim_not_found", "SIM not found"],
  subscription: ["subscription_not_found", "Subscription not found"],
  "plan attachment": ["plan_attachment_not_found", "Plan attachment not found"],
  "coverage profile": ["coverage_profile_not_found", "Coverage profile not found"],
  operator: ["operator_not_found", "Operator not found"],
  organization: ["organization_not_found", "Organization not found"],
  "api key": ["api_key_not_found", "API key not found"],
  "webhook endpoint": ["webhook_endpoint_not_found", "Webhook endpoint not found"],
  delivery: ["delivery_not_found", "Delivery not found"],
  problem: ["problem_not_found", "Problem not found"],
  command: ["command_not_found", "Command not found"]
} as const satisfies Readonly<Record<Refusal.Resource, readonly [Codes.Code, string]>>

/** The `Retry-After` header, in whole seconds and at least 1. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.max(1, Math.ceil(seconds)))
})

const regionName = (refusal: Refusal.Plain & { readonly _tag: "RegionNameTaken" }): ErrorContent => ({
  code: "region_name_taken",
  message: `region_name is taken: a custom region named "${refusal.regionName}" exists already`,
  additions: { missing_iso2: refusal.missingIso2 }
})

const regionExists = (refusal: Refusal.Plain & { readonly _tag: "RegionExists" }): ErrorContent => ({
  code: "region_exists",
  message: "A coverage profile with exactly these countries exists already",
  additions: {
    existing_coverage: {
      coverage_id: refusal.coverageId,
      region_code: refusal.regionCode,
      region_name: refusal.regionName,
      iso2_list: refusal.iso2List
    }
  }
})

/** The error that a refusal becomes. */
export const ofRefusal = (refusal: Refusal.Plain): ErrorContent => {
  switch (refusal._tag) {
    case "InvalidField":
      return { code: "invalid_field", message: `${FieldNames.toWire(refusal.field)} ${refusal.message}` }
    case "NotFound": {
      const [code, message] = notFound[refusal.resource]
      return { code, message }
    }
    case "NoFreeSim":
      return { code: "no_free_esim", message: `No free eSIM with label ${refusal.label} is left` }
    case "PlanArchived":
      return { code: "plan_archived", message: "The plan is archived" }
    case "SimBusy":
      return { code: "sim_busy", message: "The SIM is being put into service or released; try again shortly" }
    case "SubscriptionFull":
      return { code: "subscription_full", message: "The subscription has too many plan attachments to take another" }
    case "LabelMismatch":
      return {
        code: "label_mismatch",
        message: `iccid names a SIM with label ${refusal.simLabel}, not ${refusal.label}`
      }
    case "EsimInstalled":
      return {
        code: "esim_installed",
        message: "Cannot delete a subscription whose esim was installed on a device"
      }
    case "TermsRefused":
      return { code: "terms_refused", message: refusal.message }
    case "EndpointDisabled":
      return { code: "webhook_endpoint_disabled", message: "The webhook endpoint is disabled" }
    case "AttachmentExpired":
      return { code: "attachment_expired", message: "The plan attachment has expired" }
    case "RegionNameTaken":
      return regionName(refusal)
    case "RegionUncovered":
      return {
        code: "region_uncovered",
        message: `iso2_list names countries without an operator: ${refusal.missingIso2.join(", ")}`,
        additions: { missing_iso2: refusal.missingIso2 }
      }
    case "RegionExists":
      return regionExists(refusal)
    case "TelcoRefused":
      return { code: "telco_refused", message: `The telco refused: ${refusal.message}` }
    case "TelcoUnavailable":
      return {
        code: "telco_unavailable",
        message: "The telco could not be reached in time; try again later",
        headers: retryAfter(refusal.retryAfterSeconds)
      }
    case "IdempotencyKeyReused":
      return { code: "idempotency_key_reused", message: "The idempotency key was used with another request" }
    case "RequestInProgress":
      return {
        code: "request_in_progress",
        message: "The first request with this idempotency key is not done yet",
        headers: retryAfter(1)
      }
    case "ClockRefused":
      return refusal.reason === "system clock"
        ? { code: "clock_is_system", message: "The clock is the machine's and cannot be moved" }
        : { code: "clock_advancing", message: "The clock is being moved already" }
    case "InsideTransaction":
      return { code: "inside_transaction", message: refusal.message }
    case "KeyRefused":
      return { code: "key_invalid", message: "Unauthorized: API key is not valid" }
  }
}

/** The problem of a field with a wrong value; `message` follows the name of the field. */
export const invalidField = (field: string, message: string): Problem =>
  new Problem({ code: "invalid_field", message: `${field} ${message}` })
