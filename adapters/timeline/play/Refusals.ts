/**
 * Refusals in words: what the service says no to, and by which rule.
 */
import { type Refusal, Storage } from "simplan"
import * as PlanTerms from "../scenario/PlanTerms.ts"
import * as Rules from "./Rules.ts"

export interface Told {
  readonly what: string
  readonly rule: Rules.Rule | null
}

/** The request's name of a field that the service names: `activePeriod.start` is `active_period.start`. */
export const fieldName = (field: string): string =>
  field.startsWith("activePeriod") ? field.replace("activePeriod", "active_period") : PlanTerms.toWire(field)

const told = (what: string, rule: Rules.Rule | null = null): Told => ({ what, rule })

/** What a refusal says. `period` is the rule by which an active period is judged. */
export const inWords = (refusal: Refusal.Plain, period: Rules.Rule | null): Told => {
  switch (refusal._tag) {
    case "InvalidField":
      return told(`${fieldName(refusal.field)} ${refusal.message}`, period)
    case "NotFound":
      return told(`there is no such ${refusal.resource}`)
    case "NoFreeSim":
      return told(`no eSIM of label ${refusal.label} is free`, Rules.freeSim)
    case "PlanArchived":
      return told("the plan is archived", Rules.archived)
    case "SimBusy":
      return told("the SIM is being put into service or released", Rules.answered)
    case "LabelMismatch":
      return told(`the SIM has label ${refusal.simLabel}, the plan ${refusal.label}`, Rules.attached)
    case "EsimInstalled":
      return told("the eSIM was installed on a device", Rules.deleted)
    case "AttachmentExpired":
      return told("the attachment has expired", Rules.suspended)
    case "TelcoRefused":
      return told("the telco refuses; nothing remains", Rules.answered)
    case "TelcoUnavailable":
      return told("the telco could not be reached in time; what it may have done is undone", Rules.answered)
    case "RegionNameTaken":
    case "RegionUncovered":
    case "RegionExists":
    case "IdempotencyKeyReused":
    case "RequestInProgress":
    case "ClockRefused":
    case "KeyRefused":
      return told(refusal._tag)
  }
}

/** Whether a failure is the storage's, which a simulation in memory does not have. */
export const isBroken = (failure: unknown): failure is Storage.StorageError => failure instanceof Storage.StorageError
