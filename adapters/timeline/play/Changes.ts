/**
 * The changes of an attachment between two observations, each with its rule.
 */
import type { Time } from "simplan"
import { type Attachment, Plan, Recurrence } from "simplan/ports"
import type { Course, Entry, PackageCourse } from "./History.ts"
import * as Rules from "./Rules.ts"
import * as Courses from "./Courses.ts"
import * as Wording from "../output/Wording.ts"

type Change = Omit<Entry, "at" | "attachment">

const change = (kind: Entry["kind"], what: string, ...rules: ReadonlyArray<Rules.Rule>): Change => ({
  kind,
  what,
  rules
})

const name = ({ terms }: Course, { occurrence }: PackageCourse): string =>
  terms.recurrence === null ? "the package" : `package ${occurrence + 1} of ${terms.recurrence.occurrences}`

const window = ({ activationAt, expirationAt }: PackageCourse): string =>
  activationAt === null || expirationAt === null
    ? "waits for its first use"
    : `active from ${Wording.instant(activationAt)} to ${Wording.instant(expirationAt)}`

const dayOfMonth = (at: Time.Instant): number => new Date(at).getUTCDate()

/** Whether a package begins on an earlier day of the month than the anchor, because its month is shorter. */
const isClamped = ({ activationAt, terms }: Course, pack: PackageCourse): boolean =>
  terms.recurrence?.periodicity === "Monthly" &&
  activationAt !== null &&
  pack.activationAt !== null &&
  dayOfMonth(pack.activationAt) < dayOfMonth(activationAt)

/** The rules that determine the times of an attachment's packages. */
export const rulesOf = (course: Course): ReadonlyArray<Rules.Rule> =>
  course.packages.some((pack) => isClamped(course, pack)) ? [...course.rules, Rules.clamped] : course.rules

/** The rules that determine when a package was created. */
const creationRules = (course: Course, pack: PackageCourse): ReadonlyArray<Rules.Rule> => {
  const { recurrence } = course.terms
  const { activationAt } = pack
  if (recurrence === null || activationAt === null || course.activationAt === null) return course.rules
  const clamped = isClamped(course, pack) ? [Rules.clamped] : []
  if (pack.createdAt === course.createdAt) return pack.occurrence === 0 ? course.rules : [Rules.occurrences]
  const due = Recurrence.dueAt(recurrence, course.activationAt, pack.occurrence)
  const late = pack.createdAt > due && pack.createdAt > (course.states[0]?.from ?? 0) ? [Rules.retried] : []
  return [pack.occurrence === 0 ? Rules.ahead : Rules.occurrences, ...clamped, ...late]
}

const creation = (course: Course, pack: PackageCourse): Change => {
  const what = name(course, pack)
  switch (pack.status) {
    case "Created":
      return change("package", `${what} created: ${window(pack)}`, ...creationRules(course, pack))
    case "Lapsed":
      return change("package", `${what} recorded without the telco`, Rules.lapsed)
    case "Refused":
      return change("failure", `${what} refused by the telco`, Rules.occurrenceRefused)
  }
}

/** A rise of the usage, and a change of the speed limit. */
const usage = (course: Course, pack: PackageCourse, before: PackageCourse | undefined): ReadonlyArray<Change> => {
  const bytes = pack.used.at(-1)?.bytes ?? 0
  const known = before?.used.at(-1)?.bytes ?? 0
  if (bytes === known) return []
  const { terms } = course
  const of = Plan.allowanceBytes(terms)
  const limit = Courses.limitAt(terms, bytes)
  return [
    change(
      "usage",
      `${name(course, pack)} has used ${Wording.bytes(bytes)} of ${Wording.bytes(of)} (${Wording.percent(bytes / of)})`,
      Rules.reported
    ),
    ...(limit === null || limit === Courses.limitAt(terms, known)
      ? []
      : [change("usage", `${name(course, pack)} is held at ${limit} Kbit/s`, Rules.throttled)])
  ]
}

const passed = (at: Time.Instant | null, since: Time.Instant, now: Time.Instant): boolean =>
  at !== null && since < at && at <= now

const ofPackage = (
  course: Course,
  pack: PackageCourse,
  before: PackageCourse | undefined,
  since: Time.Instant,
  now: Time.Instant
): ReadonlyArray<Change> => {
  const recurs = course.terms.recurrence !== null && pack.status === "Created" && course.suspendedAt === null
  const begins = recurs && before !== undefined && passed(pack.activationAt, since, now) && before.activationAt !== null
  const used =
    before !== undefined && before.activationAt === null && pack.activationAt !== null
      ? [change("package", `${name(course, pack)} is used first: ${window(pack)}`, Rules.use)]
      : []
  return [
    ...(before === undefined ? [creation(course, pack)] : []),
    ...used,
    ...(recurs && passed(pack.expirationAt, since, now) ? [change("package", `${name(course, pack)} is over`)] : []),
    ...(begins ? [change("package", `${name(course, pack)} begins`, Rules.begins)] : []),
    ...usage(course, pack, before)
  ]
}

const stateRule = (from: Attachment.State | undefined, to: Attachment.State): Rules.Rule => {
  if (to === "SUSPENDED") return Rules.suspended
  return to === "ACTIVE" && from === "PENDING_FOR_FIRST_USE" ? Rules.use : Rules.state
}

/** All changes since the last observation, at `since`. At the first one everything has changed. */
export const between = (
  before: Course | undefined,
  course: Course,
  since: Time.Instant,
  now: Time.Instant
): ReadonlyArray<Change> => {
  const known = new Map(before?.packages.map((pack) => [pack.occurrence, pack]))
  const state = course.states.at(-1)?.state
  const from = before?.states.at(-1)?.state
  return [
    ...course.packages.flatMap((pack) => ofPackage(course, pack, known.get(pack.occurrence), since, now)),
    ...(state === undefined || state === from
      ? []
      : [change("state", `the attachment is ${state}`, stateRule(from, state))])
  ]
}
