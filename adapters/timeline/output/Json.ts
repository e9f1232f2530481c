/**
 * A history as JSON, with instants in RFC 3339. The same history always has the same text.
 */
import { Time } from "simplan"
import type { Course, History, PackageCourse } from "../play/History.ts"

const iso = (at: Time.Instant | null): string | null => (at === null ? null : Time.toIso(at))

const packageJson = (pack: PackageCourse) => ({
  package_id: pack.packageId,
  occurrence: pack.occurrence,
  status: pack.status,
  created_at: iso(pack.createdAt),
  activation_at: iso(pack.activationAt),
  expiration_at: iso(pack.expirationAt),
  usage: pack.used.map(({ at, bytes }) => ({ at: iso(at), total_bytes: bytes }))
})

const attachmentJson = (course: Course) => ({
  plan_attachment_id: course.attachmentId,
  plan: course.terms.name,
  rules: course.rules,
  created_at: iso(course.createdAt),
  activation_at: iso(course.activationAt),
  expiration_at: iso(course.expirationAt),
  suspended_at: iso(course.suspendedAt),
  removed_at: iso(course.removedAt),
  states: course.states.map(({ from, state }) => ({ from: iso(from), state })),
  packages: course.packages.map(packageJson)
})

/** The history as a JSON value. */
export const of = (history: History) => ({
  title: history.title,
  about: history.about,
  seed: history.seed,
  start: iso(history.start),
  end: iso(history.end),
  events: history.entries.map(({ at, attachment, kind, rules, what }) => ({
    at: iso(at),
    kind,
    what,
    rules,
    attachment: attachment === null ? null : attachment + 1
  })),
  attachments: history.attachments.map(attachmentJson)
})
