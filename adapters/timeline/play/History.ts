/**
 * What happened when a scenario was played: a line for everything that happened, and the course of each attachment.
 */
import type { Attachment, Package, Plan, Time } from "simplan"
import type * as Rules from "./Rules.ts"

/**
 * `step`: somebody did something; `refused`: the service said no to it. The others followed: `telco` is a call that was
 * done, `failure` one that was not.
 */
export type Kind = "step" | "refused" | "package" | "state" | "usage" | "webhook" | "telco" | "failure"

export interface Entry {
  readonly at: Time.Instant
  readonly kind: Kind
  readonly what: string
  readonly rules: ReadonlyArray<Rules.Rule>
  /** The attachment it is about, by its place; null where it is about none. */
  readonly attachment: number | null
}

export interface Used {
  readonly at: Time.Instant
  readonly bytes: number
}

/** A package from when it was first there. */
export interface PackageCourse {
  readonly packageId: string
  readonly occurrence: number
  readonly status: Package.Status
  readonly createdAt: Time.Instant
  readonly activationAt: Time.Instant | null
  readonly expirationAt: Time.Instant | null
  /** Whether it was created without times, to wait for its first use. */
  readonly waited: boolean
  /** Each time what was used had risen. */
  readonly used: ReadonlyArray<Used>
}

export interface StateFrom {
  readonly from: Time.Instant
  readonly state: Attachment.State
}

/** An attachment from when it was first there. */
export interface Course {
  readonly attachmentId: string
  readonly terms: Plan.PlanTerms
  readonly rules: ReadonlyArray<Rules.Rule>
  readonly createdAt: Time.Instant
  readonly activationAt: Time.Instant | null
  readonly expirationAt: Time.Instant | null
  readonly suspendedAt: Time.Instant | null
  /** When it was gone with its subscription; null while it is there. */
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
