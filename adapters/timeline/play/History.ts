/**
 * The history of a played scenario: one entry for each event, and the course of each attachment,
 * which is made of the service's views. Only the times of the changes come from here.
 */
import type { Time } from "simplan"
import { Allowance, type Attachment, Package, type Plan, Recurrence } from "simplan/ports"
import type * as Wording from "../Wording.ts"
import * as Rules from "./Rules.ts"

/**
 * `step`: a step of the scenario; `refused`: a step that the service refused. The other kinds are
 * consequences: `telco` is a successful call to the telco, `failure` a failed one, and `purchase`
 * what becomes of an eSIM that is bought.
 */
export type Kind = "step" | "refused" | "package" | "state" | "usage" | "webhook" | "telco" | "purchase" | "failure"

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

/** A package as it is drawn. */
export interface DrawnPackage extends Omit<PackageCourse, "createdAt"> {
  /** Null: not known, and not before its activation as far as the drawing shows. */
  readonly createdAt: Time.Instant | null
}

/** An attachment as it is drawn. */
export interface DrawnCourse extends Omit<Course, "packages" | "terms"> {
  readonly terms: Wording.Terms
  /** What it is called; if it is absent, its number and its terms stand for it. */
  readonly name?: string
  readonly packages: ReadonlyArray<DrawnPackage>
}

/** What a drawing shows. */
export interface Drawn {
  readonly title: string
  readonly about: string | null
  readonly start: Time.Instant
  readonly end: Time.Instant
  /** Where a line says what is still to come; absent: nowhere. */
  readonly now?: Time.Instant
  readonly entries: ReadonlyArray<Entry>
  readonly attachments: ReadonlyArray<DrawnCourse>
}

/** The history of a played scenario. */
export interface History extends Drawn {
  readonly seed: number
  readonly attachments: ReadonlyArray<Course>
}

const dayOfMonth = (at: Time.Instant): number => new Date(at).getUTCDate()

/**
 * Whether a package begins on an earlier day of the month than the anchor, because its month is
 * shorter.
 */
export const isClamped = (
  { activationAt, terms }: Pick<DrawnCourse, "activationAt" | "terms">,
  pack: Pick<PackageCourse, "activationAt">
): boolean =>
  terms.recurrence?.periodicity === "Monthly" &&
  activationAt !== null &&
  pack.activationAt !== null &&
  dayOfMonth(pack.activationAt) < dayOfMonth(activationAt)

/** The rules that determine the times of an attachment's packages. */
export const rulesOf = (course: DrawnCourse): ReadonlyArray<Rules.Rule> =>
  course.packages.some((pack) => isClamped(course, pack)) ? [...course.rules, Rules.clamped] : course.rules

/** The limit in Kbit/s after `usedBytes`; null for full speed. */
export const limitAt = (
  terms: Pick<Plan.PlanTerms, "dataMegaBytes" | "throttling">,
  usedBytes: number
): Plan.ThrottlingLimit | null =>
  terms.throttling.findLast(({ percentage }) => usedBytes * 100 >= Allowance.bytesOf(terms) * percentage)?.limit ?? null

const packageCourse = (before: PackageCourse | undefined, pack: Package.Package, now: Time.Instant): PackageCourse => {
  const used = before?.used ?? []
  const risen = pack.usedBytes > (used.at(-1)?.bytes ?? 0)
  return {
    packageId: Package.idOf(pack),
    occurrence: pack.occurrence,
    status: pack.status,
    createdAt: before?.createdAt ?? now,
    activationAt: pack.activationAt,
    expirationAt: pack.expirationAt,
    waited: before?.waited ?? pack.activationAt === null,
    used: risen ? [...used, { at: now, bytes: pack.usedBytes }] : used
  }
}

/**
 * An occurrence that the telco refused. Views do not contain it; its window comes from the
 * recurrence.
 */
const refusedCourse = (view: Attachment.View, occurrence: number, now: Time.Instant): ReadonlyArray<PackageCourse> => {
  const { anchor, attachmentId, terms } = view.attachment
  if (terms.recurrence === null || anchor === null) return []
  const window = Recurrence.window(terms, terms.recurrence, anchor, occurrence)
  return [
    {
      packageId: Package.packageId(attachmentId, occurrence),
      occurrence,
      status: "Refused",
      createdAt: now,
      activationAt: window.start,
      expirationAt: window.end,
      waited: false,
      used: []
    }
  ]
}

const states = (before: ReadonlyArray<StateFrom>, state: Attachment.State, now: Time.Instant) =>
  before.at(-1)?.state === state ? before : [...before, { from: now, state }]

/**
 * The course after an observation at `now`; `refused`: the occurrences that the telco has refused
 * since the last one.
 */
export const courseAfter = (
  before: Course | undefined,
  view: Attachment.View,
  refused: ReadonlyArray<number>,
  now: Time.Instant
): Course => {
  const { activePeriod, attachmentId, createdAt, suspendedAt, terms } = view.attachment
  const known = new Map(before?.packages.map((pack) => [pack.occurrence, pack]))
  const packages = [
    ...view.packages.map((pack) => packageCourse(known.get(pack.occurrence), pack, now)),
    ...(before?.packages ?? []).filter(({ status }) => status === "Refused"),
    ...refused.flatMap((occurrence) => refusedCourse(view, occurrence, now))
  ].sort((left, right) => left.occurrence - right.occurrence)
  return {
    attachmentId,
    terms,
    rules: before?.rules ?? Rules.activePeriod(terms, activePeriod, createdAt),
    createdAt,
    activationAt: view.activationAt,
    expirationAt: view.expirationAt,
    suspendedAt,
    removedAt: null,
    states: states(before?.states ?? [], view.state, now),
    packages
  }
}

/**
 * The next instant after `now` at which a view changes without a request or a job; null if there is
 * none.
 */
export const nextChange = (courses: ReadonlyArray<Course>, now: Time.Instant): Time.Instant | null => {
  let next: Time.Instant | null = null
  for (const course of courses) {
    if (course.removedAt !== null || course.suspendedAt !== null) continue
    for (const { activationAt, expirationAt } of [course, ...course.packages]) {
      for (const at of [activationAt, expirationAt]) {
        if (at !== null && at > now && (next === null || at < next)) next = at
      }
    }
  }
  return next
}
