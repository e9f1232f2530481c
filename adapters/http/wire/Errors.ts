/**
 * Errors as the wire names them (rule W1): the code, the message and the further fields of each refusal of the domain,
 * and of each problem with a request that no use case has seen. `ErrorResponses` makes responses of them.
 */
import { Data } from "effect"
import { Refusal } from "simplan"
import type { Storage } from "simplan/ports"
import type * as Codes from "./Codes.ts"

const fieldNames: Readonly<Record<string, string>> = {
  dataMegaBytes: "data_MBs",
  occurrences: "nb_occurrence",
  frequency: "recurring_periodicity_frequency",
  throttlingThreshold1Percentage: "throttling_threshold1_perc",
  throttlingThreshold2Percentage: "throttling_threshold2_perc",
  throttlingThreshold3Percentage: "throttling_threshold3_perc",
  iso2List: "iso2_list"
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The wire's name of a field. Each part of a path such as `activePeriod.start` is renamed. */
export const fieldName = (field: string): string =>
  field
    .split(".")
    .map((part) => fieldNames[part] ?? (part.includes("_") ? part : snakeCase(part)))
    .join(".")

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

/** The `Retry-After` header, in whole seconds and at least 1. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.max(1, Math.ceil(seconds)))
})

const titles: Partial<Readonly<Record<Refusal.Resource, string>>> = { sim: "SIM", "api key": "API key" }

/** What is not found, as the interface says it: `Plan not found`. */
const notFound = (resource: Refusal.Resource): string =>
  `${titles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`} not found`

/** What the wire has beside the code and the domain's sentence, or in its place. */
const onTheWire = (refusal: Refusal.Plain): Partial<ErrorContent> => {
  switch (refusal._tag) {
    case "InvalidField":
      return { message: `${fieldName(refusal.field)} ${refusal.message}` }
    case "NotFound":
      return { message: notFound(refusal.resource) }
    case "RegionNameTaken":
      return {
        message: `region_name is taken: a custom region named "${refusal.regionName}" exists already`,
        additions: { missing_iso2: refusal.missingIso2 }
      }
    case "RegionUncovered":
      return {
        message: `iso2_list names countries without an operator: ${refusal.missingIso2.join(", ")}`,
        additions: { missing_iso2: refusal.missingIso2 }
      }
    case "RegionExists":
      return {
        additions: {
          existing_coverage: {
            coverage_id: refusal.coverageId,
            region_code: refusal.regionCode,
            region_name: refusal.regionName,
            iso2_list: refusal.iso2List
          }
        }
      }
    case "SimsReleasing":
    case "SmsLimited":
    case "TelcoUnavailable":
      return { headers: retryAfter(refusal.retryAfterSeconds) }
    case "RequestInProgress":
      return { headers: retryAfter(1) }
    default:
      return {}
  }
}

/** The error that a refusal becomes. */
export const ofRefusal = (refusal: Refusal.Plain): ErrorContent => ({
  code: Refusal.code(refusal),
  message: Refusal.sentence(refusal),
  ...onTheWire(refusal)
})

/** The problem of a field with a wrong value; `message` follows the name of the field. */
export const invalidField = (field: string, message: string): Problem =>
  new Problem({ code: "invalid_field", message: `${field} ${message}` })
