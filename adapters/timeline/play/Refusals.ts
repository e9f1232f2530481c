/**
 * Refusals as text, with the rule behind each.
 */
import type { Refusal } from "simplan"
import { Storage } from "simplan/ports"
import * as PlanTerms from "../scenario/PlanTerms.ts"
import * as Rules from "./Rules.ts"

export interface Reason {
  readonly what: string
  readonly rule: Rules.Rule | null
}

/** The request's name of a field of the service: `active_period.start` for `activePeriod.start`. */
const fieldName = (field: string): string =>
  field.startsWith("activePeriod") ? field.replace("activePeriod", "active_period") : PlanTerms.toWire(field)

const reason = (what: string, rule: Rules.Rule | null = null): Reason => ({ what, rule })

/** The text of a refusal. `period` is the rule for an invalid active period. */
export const inWords = (refusal: Refusal.Plain, period: Rules.Rule | null): Reason => {
  switch (refusal._tag) {
    case "InvalidField":
      return reason(`${fieldName(refusal.field)} ${refusal.message}`, period)
    case "NotFound":
      return reason(`there is no such ${refusal.resource}`)
    case "NoFreeSim":
      return reason(`no eSIM of label ${refusal.label} is free`, Rules.freeSim)
    case "SimsReleasing":
      return reason(`no eSIM of label ${refusal.label} is free, and some are being released`, Rules.answered)
    case "PlanArchived":
      return reason("the plan is archived", Rules.archived)
    case "SimBusy":
      return reason("the SIM is being put into service or released", Rules.answered)
    case "SubscriptionFull":
      return reason("the subscription has too many attachments to take another")
    case "LabelMismatch":
      return reason(`the SIM has label ${refusal.simLabel}, the plan ${refusal.label}`, Rules.attached)
    case "EsimInstalled":
      return reason("the eSIM was installed on a device", Rules.deleted)
    case "EndpointDisabled":
      return reason("the webhook endpoint is disabled")
    case "AttachmentExpired":
      return reason("the attachment has expired", Rules.suspended)
    case "TermsRefused":
      return reason(refusal.message)
    case "TelcoRefused":
      return reason("the telco refuses; nothing remains", Rules.answered)
    case "TelcoUnavailable":
      return reason("the telco could not be reached in time; what it may have done is undone", Rules.answered)
    case "QuotaExceeded":
    case "SmsLimited":
    case "PackagesListed":
    case "RegionNameTaken":
    case "RegionUncovered":
    case "RegionExists":
    case "IdempotencyKeyReused":
    case "RequestInProgress":
    case "ClockRefused":
    case "InsideTransaction":
    case "CommandBegun":
    case "CommandCancelled":
    case "KeyRefused":
      return reason(refusal._tag)
  }
}

/** Whether a failure comes from the storage. A storage in memory has none. */
export const isBroken = (failure: unknown): failure is Storage.StorageError => failure instanceof Storage.StorageError
