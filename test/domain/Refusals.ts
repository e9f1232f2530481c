/** A refusal of each class. */
import * as Refusal from "../../src/domain/Refusal.ts"

export const refusals: ReadonlyArray<Refusal.Refusal> = [
  new Refusal.InvalidField({ field: "name", message: "must not be empty" }),
  ...(
    [
      "plan",
      "sim",
      "subscription",
      "plan attachment",
      "coverage profile",
      "operator",
      "organization",
      "api key",
      "webhook endpoint",
      "delivery"
    ] as const
  ).map((resource) => new Refusal.NotFound({ resource, id: "x" })),
  new Refusal.NoFreeSim({ label: "Green" }),
  new Refusal.SimsReleasing({ label: "Green", retryAfterSeconds: 5 }),
  new Refusal.QuotaExceeded({ kind: "plans", quota: 2 }),
  new Refusal.SmsLimited({ iccid: "8", retryAfterSeconds: 5 }),
  new Refusal.PlanArchived({ planId: "p" }),
  new Refusal.SimBusy({ iccid: "8" }),
  new Refusal.PackagesListed({ iccid: "8", packageIds: ["a:0"] }),
  new Refusal.CommandBegun({ commandId: "c" }),
  new Refusal.CommandCancelled({ commandId: "c" }),
  new Refusal.LabelMismatch({ iccid: "8", simLabel: "Blue", label: "Green" }),
  new Refusal.EsimInstalled({ iccid: "8" }),
  new Refusal.AttachmentExpired({ attachmentId: "a" }),
  new Refusal.ChangedMeanwhile({ resource: "webhook endpoint", version: 8 }),
  new Refusal.OperatorNameTaken({ operatorName: "Ada" }),
  new Refusal.RegionNameTaken({ regionName: "r", missingIso2: [] }),
  new Refusal.RegionUncovered({ missingIso2: ["XX"] }),
  new Refusal.RegionExists({ coverageId: "c", regionCode: "r", regionName: "r", iso2List: [] }),
  new Refusal.EndpointDisabled({ endpointId: "e" }),
  new Refusal.TermsRefused({ message: "no zone" }),
  new Refusal.NotSupported({ message: "the telco cannot pause" }),
  new Refusal.TelcoRefused({ message: "no" }),
  new Refusal.TelcoUnavailable({ retryAfterSeconds: 5 }),
  new Refusal.IdempotencyKeyReused({ key: "k" }),
  new Refusal.RequestInProgress({ key: "k" }),
  new Refusal.ClockRefused({ reason: "system clock" }),
  new Refusal.ClockRefused({ reason: "already advancing" }),
  new Refusal.SimInUse({ iccid: "8" }),
  new Refusal.SimWithdrawn({ iccid: "8", reason: "lost" }),
  new Refusal.SubscriptionFull({ subscriptionId: "s" }),
  new Refusal.InsideTransaction({ operation: "m", message: "no" }),
  new Refusal.KeyRefused()
]
