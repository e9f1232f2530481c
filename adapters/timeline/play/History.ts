/**
 * The history of a played scenario: one entry for each event, and the course of each attachment.
 */
import type { Time } from "simplan"
import type { Attachment, Package, Plan } from "simplan/ports"
import type * as Rules from "./Rules.ts"

/**
 * `step`: a step of the scenario; `refused`: a step that the service refused. The other kinds are consequences: `telco` is
 * a successful call to the telco, `failure` a failed one.
 */
export type Kind = "step" | "refused" | "package" | "state" | "usage" | "webhook" | "telco" | "failure"

export interface Entry {
  readonly at: Time.Instant
  readonly kind: Kind
  readonly what: string
  readonly rules: ReadonlyArray<Rules.Rule>
  /** The index of the attachment; null if the entry concerns none. */
  readonly attachment: number | null
}

export interface Used {
  readonly at: Time.Instant
  readonly bytes: number
}

/** The course of a package from its creation. */
export interface PackageCourse {
  readonly packageId: string
  readonly occurrence: number
  readonly status: Package.Status
  readonly createdAt: Time.Instant
  readonly activationAt: Time.Instant | null
  readonly expirationAt: Time.Instant | null
  /** Whether it was created without times, because it waits for its first use. */
  readonly waited: boolean
  /** Each rise of the usage. */
  readonly used: ReadonlyArray<Used>
}

export interface StateFrom {
  readonly from: Time.Instant
  readonly state: Attachment.State
}

/** The course of an attachment from its creation. */
export interface Course {
  readonly attachmentId: string
  readonly terms: Plan.PlanTerms
  readonly rules: ReadonlyArray<Rules.Rule>
  readonly createdAt: Time.Instant
  readonly activationAt: Time.Instant | null
  readonly expirationAt: Time.Instant | null
  readonly suspendedAt: Time.Instant | null
  /** When it was deleted with its subscription; null if it exists. */
  readonly removedAt: Time.Instant | null
  readonly states: ReadonlyArray<StateFrom>
  readonly packages: ReadonlyArray<PackageCourse>
}

export interface History {
  readonly title: string
  readonly about: string | null
  readonly seed: number
  readonly start: Time.Instant
  readonly end: Time.Instant
  readonly entries: ReadonlyArray<Entry>
  readonly attachments: ReadonlyArray<Course>
}
