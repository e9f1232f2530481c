/**
 * What must hold of times: states, packages and occurrences are what the timing model says.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import { attachmentIdOf, packageId } from "../../domain/Package.ts"
import { HOUR, type Instant, toIso } from "../../domain/Time.ts"
import { isIdle } from "../History.ts"
import type { TelcoCall } from "../Simulated.ts"
import * as TimingModel from "../TimingModel.ts"
import { attachments, type Frame, packages, visible, first, type Invariant, make, same, show } from "./Invariant.ts"

/** What the model needs to know of an attachment. */
export const factsOf = ({ attachment, packages }: WithPackages): TimingModel.Facts => {
  const { activePeriod: period, anchor, suspendedAt, terms: plan } = attachment
  const firstUse = period !== null ? null : plan.recurrence === null ? (packages[0]?.activationAt ?? null) : anchor
  const facts = { plan, period, firstUse, suspendedAt }
  const last = packages.reduce((at, { activationAt }) => Math.max(at, activationAt ?? 0), 0)
  const ends = new Map<number, Instant>()
  for (const [occurrence, times] of TimingModel.packages(facts, last).entries()) {
    // Only an end may have it end sooner (`endsAreReported`).
    const expirationAt = packages.find((pack) => pack.occurrence === occurrence)?.expirationAt ?? null
    if (expirationAt !== null && expirationAt < (times.expirationAt ?? Number.POSITIVE_INFINITY)) {
      ends.set(occurrence, expirationAt)
    }
  }
  return ends.size === 0 ? facts : { ...facts, ends }
}

const stateFollows = ({ step, views }: Frame, of: WithPackages): string | null => {
  const { attachmentId } = of.attachment
  const seen = views.get(attachmentId)
  if (seen === undefined) return `nothing is shown of the attachment ${attachmentId}`
  const facts = factsOf(of)
  const expected = { state: TimingModel.state(facts, step.ended), ...TimingModel.times(facts) }
  const { activationAt, expirationAt, state } = seen
  return same(expected, { state, activationAt, expirationAt })
    ? null
    : `${attachmentId} is shown as ${show({ state, activationAt, expirationAt })}, and is ${show(expected)}`
}

const usageFollows = ({ step, views }: Frame, { attachment, packages }: WithPackages): string | null => {
  const seen = views.get(attachment.attachmentId)
  const taken = packages.filter(({ status }) => status !== "Refused")
  const begun = taken.filter(({ activationAt }) => activationAt !== null && activationAt <= step.ended)
  const last = attachment.terms.recurrence === null ? packages[0] : begun.at(-1)
  const expected = { usedBytes: last?.usedBytes ?? 0, packages: taken.length }
  return same(expected, { usedBytes: seen?.usedBytes, packages: seen?.packages })
    ? null
    : `${attachment.attachmentId} is shown with ${show(seen)}, and has ${show(expected)}`
}

/**
 * Rules T2 and T6. State, times, usage and number of packages that clients see are those of
 * `TimingModel` and the stored packages.
 */
export const statesFollow: Invariant = make(
  "what is shown of an attachment is a function of its facts and the clock",
  "T2, T6",
  () => (frame) => first(visible(frame.after), (of) => stateFollows(frame, of) ?? usageFollows(frame, of))
)

const ranks = { CREATED: 0, PENDING_FOR_FIRST_USE: 0, ACTIVE: 1, EXPIRED: 2, SUSPENDED: 2 } as const

/**
 * Rule T2. `EXPIRED` and `SUSPENDED` never change; the two states before the activation may replace
 * each other.
 */
export const statesMoveForward: Invariant = make("states only move forward, and final ones stay", "T2", (history) => {
  const known = new Map(history.before.views.map(({ attachmentId, state }) => [attachmentId, state]))
  return ({ step }) =>
    first(step.changes.views, ({ attachmentId, state }) => {
      const before = known.get(attachmentId)
      known.set(attachmentId, state)
      if (before === undefined || before === state || ranks[state] > ranks[before]) return null
      // A use that is reported some minutes ahead of the clock makes one beginning of the other.
      return ranks[state] + ranks[before] === 0 ? null : `${attachmentId} went from ${before} to ${state}`
    })
})

/**
 * Whether an occurrence may be missing: the telco could not take it yet, and its period is not
 * over.
 */
const isPutOff = ({ asked, step }: Frame, id: string, times: TimingModel.Times): boolean => {
  const outcome = asked.get(id)
  return (
    (outcome === "unavailable" || outcome === "no answer") &&
    (times.expirationAt === null || step.ended < times.expirationAt)
  )
}

const packagesFollow = (frame: Frame, of: WithPackages): string | null => {
  const { attachmentId } = of.attachment
  const expected = TimingModel.packages(factsOf(of), frame.step.ended)
  const stored = new Map(of.packages.map((pack) => [pack.occurrence, pack]))
  const extra = of.packages.find(({ occurrence }) => occurrence >= expected.length)
  if (extra !== undefined) {
    return `${attachmentId} has occurrence ${extra.occurrence}, and only ${expected.length} are due`
  }
  return first(expected.entries(), ([occurrence, times]) => {
    const pack = stored.get(occurrence)
    if (pack === undefined) {
      return isPutOff(frame, packageId(attachmentId, occurrence, of.attachment.replacements), times)
        ? null
        : `${attachmentId} is without occurrence ${occurrence}, which is due`
    }
    const { activationAt, expirationAt } = pack
    return same(times, { activationAt, expirationAt })
      ? null
      : `occurrence ${occurrence} of ${attachmentId} has ${show({ activationAt, expirationAt })}, not ${show(times)}`
  })
}

/**
 * Rules T4 and T5. Compares occurrences and times with `TimingModel`. One that the telco could not
 * take may be missing until its period is over.
 */
export const packagesAreThoseDue: Invariant = make(
  "whenever no job is due, exactly those packages exist that are due; refused and late ones are distinguished",
  "T4, T5",
  () => (frame) => (isIdle(frame.step) ? first(visible(frame.after), (of) => packagesFollow(frame, of)) : null)
)

/**
 * Rules T5 and S5. No occurrence is stored twice, and the telco takes no two orders for one start
 * of an attachment.
 */
export const occurrencesAreThereOnce: Invariant = make(
  "each occurrence is there once, and ordered once",
  "T5, S5",
  () => {
    const ordered = new Map<string, string>()
    return ({ after, step }) =>
      first(attachments(after), ({ attachment, packages }) => {
        const falling = packages.find((pack, at) => at > 0 && pack.occurrence <= (packages[at - 1]?.occurrence ?? 0))
        return falling === undefined ? null : `${attachment.attachmentId} has occurrence ${falling.occurrence} twice`
      }) ??
      first(step.changes.records, (record) => {
        if (record.kind !== "package" || record.refusal !== null || record.window === null) return null
        // A package is ordered anew on each SIM that its subscription moves to.
        const [attachmentId, , move = "0"] = record.key.split(":")
        const what = `${attachmentId} ${move} ${record.window.start}`
        const before = ordered.get(what)
        ordered.set(what, record.key)
        return before === undefined ? null : `${record.key} is for the same time as ${before}`
      })
  }
)

const PROVISIONING_LEAD = 12 * HOUR

type Window = { readonly start: Instant; readonly end: Instant }

/** A call that orders a package for a time. */
interface Order {
  readonly id: string
  readonly at: Instant
  readonly window: Window
}

/**
 * Collects orders step by step: what was asked for stands in the telco's books, when it was asked
 * for in the log of calls. A call that is slow reaches the books later, perhaps much later.
 */
const orders = () => {
  const windows = new Map<string, Window>()
  let open: ReadonlyArray<TelcoCall> = []
  return ({ step }: Frame): ReadonlyArray<Order> => {
    for (const record of step.changes.records) {
      if (record.kind === "package" && record.window !== null) windows.set(record.key, record.window)
    }
    const calls = [...open, ...step.changes.calls.filter(({ kind }) => kind === "createPackage")]
    open = calls.filter(({ key }) => !windows.has(key))
    return calls.flatMap(({ at, key }) => {
      const window = windows.get(key)
      return window === undefined ? [] : [{ id: key, at, window }]
    })
  }
}

/**
 * Rule T5 and rule 7 of `active_period`. Checks the stored packages and the orders that the telco
 * got.
 */
export const nothingIsEarly: Invariant = make(
  "no package of a recurring plan is there before 12 hours ahead of its activation",
  "T5, active_period rule 7",
  () => {
    const recurring = new Set<string>()
    const ordered = orders()
    const early = (id: string, at: Instant, start: Instant) =>
      start - PROVISIONING_LEAD > at ? `${id} was there at ${toIso(at)}, and activates at ${toIso(start)}` : null
    return (frame) => {
      const { after, step } = frame
      for (const { attachment } of attachments(after)) {
        if (attachment.terms.recurrence !== null) recurring.add(attachment.attachmentId)
      }
      return (
        first(ordered(frame), ({ at, id, window }) =>
          recurring.has(attachmentIdOf(id)) ? early(id, at, window.start) : null
        ) ??
        first(packages(after), ({ attachment, id, pack }) =>
          attachment.terms.recurrence === null || pack.activationAt === null
            ? null
            : early(id, step.ended, pack.activationAt)
        )
      )
    }
  }
)

/** Rule T5. A missed occurrence is recorded as lapsed, without a call to the telco. */
export const nothingIsOrderedLate: Invariant = make("no package is ordered whose period is over", "T5", () => {
  const ordered = orders()
  return (frame) =>
    first(ordered(frame), ({ at, id, window }) =>
      window.end <= at ? `${id} was ordered at ${toIso(at)}, and was over at ${toIso(window.end)}` : null
    )
})

/**
 * After an `Advance` or a `Quiet` that was answered, no job or delivery is due at the clock's
 * instant or before.
 */
export const advancesFinishTheirWork: Invariant = make(
  "an advance returns when all work due by then is done",
  "the management API's clock",
  () =>
    ({ step }) => {
      const { asked, outcome } = step
      const finishes = asked._tag === "Quiet" || asked._tag === "Advance"
      if (!finishes || outcome._tag !== "Answered") return null
      // Work that is due at the standing instant itself is done as well.
      return isIdle(step) ? null : `at ${toIso(step.ended)} work is left that was due at ${toIso(step.nextDue ?? 0)}`
    }
)

/**
 * During an `Advance` no webhook arrives before a call to the telco that was made at the same
 * instant or earlier.
 */
export const jobsGoFirst: Invariant = make(
  "an advance does the jobs of an instant before it sends the webhooks of that instant",
  "the management API's clock",
  (history) => {
    let calls = history.before.calls.length
    return ({ step }) => {
      const { asked, began, changes, outcome } = step
      const before = calls
      calls += changes.calls.length
      if (asked._tag !== "Advance" || outcome._tag !== "Answered") return null
      const early = changes.webhooks.find(
        ({ at, callsBefore }) =>
          at > began && changes.calls.slice(Math.max(0, callsBefore - before)).some((call) => call.at <= at)
      )
      return early === undefined ? null : `a webhook was sent at ${toIso(early.at)} before a call to the telco`
    }
  }
)
