/**
 * Observes the service while a scenario is played. Each observation records what has changed since
 * the last one, with its rule: attachments and their packages, purchases, calls to the telco, and
 * webhooks.
 */
import { Effect } from "effect"
import { Attachments, type Refusal, type Time } from "simplan"
import { Allowance, type Attachment, Recurrence, WebhookEvent } from "simplan/ports"
import type { Simulated } from "simplan/testing"
import { type Course, courseAfter, type Entry, isClamped, limitAt, type PackageCourse } from "./History.ts"
import * as Purchases from "./Purchases.ts"
import * as Rules from "./Rules.ts"
import * as Wording from "../Wording.ts"

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
  const allowance = Allowance.bytesOf(terms)
  const limit = limitAt(terms, bytes)
  return [
    change(
      "usage",
      `${name(course, pack)} has used ${Wording.bytes(bytes)} of ${Wording.bytes(allowance)} (${Wording.percent(bytes / allowance)})`,
      Rules.reported
    ),
    ...(limit === null || limit === limitAt(terms, known)
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

/**
 * All changes of an attachment since the last observation, at `since`. At the first one everything
 * has changed.
 */
const between = (
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

const webhookRules: Partial<Record<WebhookEvent.Type, Rules.Rule>> = {
  "attachment.allowanceConsumed": Rules.thresholds,
  "subscription.esim.locationChanged": Rules.changed,
  "esim.smdp.stateChanged": Rules.changed
}

const webhook = ({ at, body }: Simulated.ReceivedWebhook): Entry => {
  const event: WebhookEvent.Payload = JSON.parse(body)
  const rule = webhookRules[event.type]
  return {
    at,
    kind: "webhook",
    what: `webhook ${WebhookEvent.brief(event)}`,
    rules: rule === undefined ? [] : [rule],
    attachment: null
  }
}

const asked = {
  createPackage: "create a package",
  suspendPackage: "suspend a package",
  cancelPackage: "cancel a package",
  sendSms: "send an SMS",
  releaseProfile: "release the profile",
  setMobilePlan: "change the mobile plan",
  setService: "pause the SIM, or resume it"
} as const satisfies Record<Simulated.TelcoCall["kind"], string>

const answers = {
  done: "done",
  refused: "it refuses",
  unavailable: "it cannot be reached or its answer is lost",
  "no answer": "no answer in time"
} as const satisfies Record<Simulated.TelcoCall["outcome"], string>

// A created or refused package has an entry of its own.
const isShown = ({ kind, outcome }: Simulated.TelcoCall): boolean =>
  kind !== "createPackage" || outcome === "unavailable" || outcome === "no answer"

const callRules = {
  createPackage: [Rules.retried],
  suspendPackage: [Rules.suspended],
  cancelPackage: [Rules.deleted],
  releaseProfile: [Rules.deleted],
  sendSms: [],
  setMobilePlan: [],
  setService: []
} as const satisfies Record<Simulated.TelcoCall["kind"], ReadonlyArray<Rules.Rule>>

const telcoCall = (call: Simulated.TelcoCall): Entry => ({
  at: call.at,
  kind: call.outcome === "done" ? "telco" : "failure",
  what: `the telco is asked to ${asked[call.kind]}: ${answers[call.outcome]}`,
  rules: callRules[call.kind],
  attachment: null
})

/** Observes an organization. Each observation is of one SIM. */
export const watch = (simulated: Simulated.Simulated, organizationId: string) => {
  const entries: Array<Entry> = []
  const courses = new Map<string, Course>()
  const bought = Purchases.watch(simulated, organizationId)
  let [webhooksSeen, callsSeen] = [0, 0]
  let since: Time.Instant = simulated.start

  const views = (iccid: string) =>
    simulated.use(Attachments.Attachments.use((of) => of.list({ organizationId, iccid }))).pipe(
      Effect.catchIf(
        (error): error is Refusal.NotFound => error._tag === "NotFound",
        () => Effect.succeed([])
      ),
      Effect.orDie
    )

  const observe = Effect.fnUntraced(function* (iccid: string) {
    const now = yield* simulated.now
    const fresh = simulated.telcoCalls(callsSeen)
    callsSeen += fresh.length
    entries.push(...fresh.filter(isShown).map(telcoCall))
    entries.push(...(yield* bought).map((one) => ({ ...one, at: now, attachment: null })))
    const there = yield* views(iccid)
    for (const view of there) {
      const { attachmentId } = view.attachment
      const refused = fresh.flatMap(({ key, kind, outcome }) => {
        const [of, occurrence] = key.split(":")
        return kind === "createPackage" && outcome === "refused" && of === attachmentId ? [Number(occurrence)] : []
      })
      const before = courses.get(attachmentId)
      const after = courseAfter(before, view, refused, now)
      courses.set(attachmentId, after)
      const attachment = [...courses.keys()].indexOf(attachmentId)
      entries.push(...between(before, after, since, now).map((change) => ({ ...change, at: now, attachment })))
    }
    for (const [id, course] of courses) {
      const gone = course.removedAt === null && !there.some(({ attachment }) => attachment.attachmentId === id)
      if (gone) courses.set(id, { ...course, removedAt: now })
    }
    const webhooks = simulated.received(webhooksSeen)
    entries.push(...webhooks.map(webhook))
    webhooksSeen += webhooks.length
    since = now
  })

  return {
    observe,
    add: (entry: Entry): void => void entries.push(entry),
    entries: (): ReadonlyArray<Entry> => entries,
    courses: (): ReadonlyArray<Course> => [...courses.values()]
  }
}

export type Watch = ReturnType<typeof watch>
