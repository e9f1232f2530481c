/**
 * What a command comes to when it runs: the very request that is made, with ids and instants, and what came of it.
 */
import type { Label } from "../../domain/Label.ts"
import type { MobilePlanStatus } from "../../domain/MobilePlan.ts"
import type { Plan, TermsRequest } from "../../domain/Plan.ts"
import type { Plain } from "../../domain/Refusal.ts"
import type { Created } from "../../domain/Subscription.ts"
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Fault } from "../Simulated.ts"

interface By {
  readonly organizationId: string
  /** Whether it names what is another organization's. */
  readonly foreign: boolean
}

/** Absolute times. */
export interface Period {
  readonly start: Instant | null
  readonly end: Instant | null
}

/** A request that a client may repeat where it has a key. */
export type Request =
  | (By & {
      readonly _tag: "Subscribe"
      readonly planId: string
      readonly iccid: string | null
      readonly period: Period | null
      readonly metadata: string
      readonly key: string | null
    })
  | (By & {
      readonly _tag: "SendSms"
      readonly iccid: string
      readonly text: string
      readonly key: string | null
    })

/** A command with its numbers replaced by ids, ICCIDs and instants of the run. Histories keep it. */
export type Asked =
  /** There is nothing that the command could be about. */
  | { readonly _tag: "Nothing" }
  | Request
  | { readonly _tag: "Repeat"; readonly request: Request }
  | (By & {
      readonly _tag: "CreatePlan"
      readonly terms: TermsRequest
      readonly flaw: string | null
    })
  | (By & {
      readonly _tag: "ArchivePlan" | "UnarchivePlan" | "DeletePlan"
      readonly planId: string
    })
  | { readonly _tag: "Report"; readonly reports: ReadonlyArray<Report> }
  | (By & {
      readonly _tag: "Suspend"
      readonly iccid: string
      readonly attachmentId: string
    })
  | (By & { readonly _tag: "Delete"; readonly iccid: string })
  | (By & {
      readonly _tag: "SetMobilePlan"
      readonly iccid: string | null
      readonly label: Label
      readonly apply: boolean
    })
  | { readonly _tag: "Advance"; readonly to: Instant }
  | {
      readonly _tag: "Kill"
      readonly commits: number
      readonly when: "before" | "after"
    }
  | { readonly _tag: "Restart"; readonly downtime: number }
  | {
      readonly _tag: "Fault"
      readonly fault: Fault | null
      readonly times: number
    }
  | { readonly _tag: "Quiet" }

/** What a request that was taken returned. `Done` stands for every answer without a body of its own. */
export type Answer =
  | { readonly kind: "Done" }
  | { readonly kind: "Plan"; readonly plan: Plan }
  | { readonly kind: "Created"; readonly created: Created }
  | { readonly kind: "Verdicts"; readonly verdicts: ReadonlyArray<Verdict> }
  | { readonly kind: "MobilePlan"; readonly status: MobilePlanStatus }

/** How a command ended. `Refused` has the refusal that a client would get. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: Answer }
  | { readonly _tag: "Refused"; readonly refusal: Plain }
  /** The process was killed in the middle of it, and another one was started. */
  | { readonly _tag: "Killed" }
  /** It ended as nothing may: with a storage error or a defect. */
  | { readonly _tag: "Broken"; readonly message: string }
