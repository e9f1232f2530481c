/**
 * What of a line the telco's reports look at and change. Every line is one; but reports come by the thousand, and what
 * they have no use for need not be read for each.
 */
import type { Attachment } from "./Attachment.ts"
import type { Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import type { Sim } from "./Sim.ts"

export type ReportedSim = Pick<
  Sim,
  "organizationId" | "iccid" | "isEsim" | "downloaded" | "smdp" | "location" | "lastActivityAt" | "version"
>

export type ReportedTerms = Pick<PlanTerms, "dataMegaBytes" | "periodDays" | "recurrence">

export interface ReportedAttachment
  extends Pick<
    Attachment,
    "iccid" | "attachmentId" | "planId" | "createdAt" | "confirmed" | "anchor" | "suspendedAt" | "thresholdTold"
  > {
  readonly terms: ReportedTerms
}

export type ReportedPackage = Pick<
  Package,
  "attachmentId" | "occurrence" | "status" | "telcoPackageId" | "activationAt" | "expirationAt" | "usedBytes"
>

export interface ReportedLine {
  readonly sim: ReportedSim
  readonly attachments: ReadonlyArray<{
    readonly attachment: ReportedAttachment
    readonly packages: ReadonlyArray<ReportedPackage>
  }>
}
