/**
 * A history as text: a table for people, and JSON with instants in RFC 3339 for machines. The same
 * history always has the same text.
 */
import { Time } from "simplan"
import type { Course, Entry, History, PackageCourse } from "../play/History.ts"
import * as Rules from "../play/Rules.ts"
import * as Wording from "../Wording.ts"

/** The text of an entry, with its attachment if there are several. */
export const what = ({ attachments }: History, { attachment, what }: Entry): string =>
  attachments.length > 1 && attachment !== null ? `${what} (attachment ${attachment + 1})` : what

/** The rules of an entry, without duplicates. */
export const rules = (entry: Entry): string => [...new Set(entry.rules.map(Rules.inWords))].join("; ")

/** The history as a table, with title and header. */
export const table = (history: History): string => {
  const rows = [
    ["instant (UTC)", "what happens", "by which rule"] as const,
    ...history.entries.map((entry) => [Wording.instant(entry.at), what(history, entry), rules(entry)] as const)
  ]
  const width = (column: 0 | 1) => rows.reduce((most, row) => Math.max(most, row[column].length), 0)
  const [first, second] = [width(0), width(1)]
  const lines = rows.map(([at, happened, rule]) => `${at.padEnd(first)}  ${happened.padEnd(second)}  ${rule}`.trimEnd())
  return [history.title, ...(history.about === null ? [] : [history.about]), "", ...lines].join("\n")
}

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
export const json = (history: History) => ({
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
