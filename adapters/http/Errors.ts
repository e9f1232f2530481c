/**
 * How failures are told (rule W1): a refusal of the domain, or a problem of the wire, becomes
 * `{"error": true, "message", "code"}` with the status that `Codes` gives it.
 */
import { Data, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Refusal, Storage } from "simplan"
import * as Codes from "./Codes.ts"
import * as FieldNames from "./FieldNames.ts"
import * as Incidents from "./Incidents.ts"

/** What an error says. `additions` are the fields that stand beside the three of every error. */
export interface Telling {
  readonly code: Codes.Code
  readonly message: string
  readonly additions?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Something is wrong with the request as such, before any use case saw it. */
export class Problem extends Data.TaggedError("Problem")<Telling> {}

/** What a use case, or the reading of its request, may fail with. */
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
  delivery: ["delivery_not_found", "Delivery not found"]
} as const satisfies Readonly<Record<Refusal.Resource, readonly [Codes.Code, string]>>

const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.max(1, Math.ceil(seconds)))
})

const regionName = (refusal: Refusal.Plain & { readonly _tag: "RegionNameTaken" }): Telling => ({
  code: "region_name_taken",
  message: `region_name is taken: a custom region named "${refusal.regionName}" exists already`,
  additions: { missing_iso2: refusal.missingIso2 }
})

const regionExists = (refusal: Refusal.Plain & { readonly _tag: "RegionExists" }): Telling => ({
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

/** What a refusal says on the wire. */
export const ofRefusal = (refusal: Refusal.Plain): Telling => {
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
    case "KeyRefused":
      return { code: "key_invalid", message: "Unauthorized: API key is not valid" }
  }
}

/** The response that says it. */
export const toResponse = (telling: Telling): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error: true, message: telling.message, code: telling.code, ...telling.additions },
    { status: Codes.status(telling.code), headers: telling.headers }
  )

/** The response to a failure. What the caller is not told of a storage failure is logged under its request id. */
export const respond = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (failure instanceof Problem) return Effect.succeed(toResponse(failure))
  if (failure instanceof Storage.StorageError) {
    return Effect.map(Incidents.log("The storage failed", failure), (requestId) =>
      toResponse({
        code: "storage_unavailable",
        message: "The service cannot reach its storage; try again",
        additions: { request_id: requestId },
        headers: { ...retryAfter(1), "x-request-id": requestId }
      })
    )
  }
  return Effect.succeed(toResponse(ofRefusal(failure)))
}

/** The problem of a field that does not hold what it must. */
export const invalidField = (field: string, message: string): Problem =>
  new Problem({ code: "invalid_field", message: `${field} ${message}` })
