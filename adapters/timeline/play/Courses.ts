/**
 * The course of an attachment, from one look at it to the next. The views are the service's; nothing is reckoned here
 * but when they changed.
 */
import { type Attachment, Package, Recurrence, type Time } from "simplan"
import type { Course, PackageCourse, StateFrom } from "./History.ts"
import * as Rules from "./Rules.ts"

type Before<A> = A | undefined

const packageCourse = (before: Before<PackageCourse>, pack: Package.Package, now: Time.Instant): PackageCourse => {
  const used = before?.used ?? []
  const risen = pack.usedBytes > (used.at(-1)?.bytes ?? 0)
  return {
    packageId: Package.packageId(pack.attachmentId, pack.occurrence),
    occurrence: pack.occurrence,
    status: pack.status,
    createdAt: before?.createdAt ?? now,
    activationAt: pack.activationAt,
    expirationAt: pack.expirationAt,
    waited: before?.waited ?? pack.activationAt === null,
    used: risen ? [...used, { at: now, bytes: pack.usedBytes }] : used
  }
}

/** An occurrence that the telco refused: views leave it out, so its window is that of the recurrence. */
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

/** The course with what is seen at `now`; `refused` are the occurrences that the telco has refused since. */
export const seen = (
  before: Before<Course>,
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

/** The next instant after `now` at which a view may change by the clock alone; null where there is none. */
export const nextChange = (courses: ReadonlyArray<Course>, now: Time.Instant): Time.Instant | null => {
  let next = Number.POSITIVE_INFINITY
  const consider = (at: Time.Instant | null): void => {
    if (at !== null && at > now && at < next) next = at
  }
  for (const course of courses) {
    if (course.removedAt !== null || course.suspendedAt !== null) continue
    for (const { activationAt, expirationAt } of [course, ...course.packages]) {
      consider(activationAt)
      consider(expirationAt)
    }
  }
  return Number.isFinite(next) ? next : null
}
