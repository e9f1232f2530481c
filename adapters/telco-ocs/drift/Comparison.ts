/**
 * The comparison of both books of one SIM: package by package, what living subscriptions own
 * (rule S5), what simplan has ordered, and what the OCS lists; and of the SIM itself whether it has
 * service (rule S7), and its mobile plan (rule I6).
 *
 * The subscriptions say who owns a package; the journal of orders may be from a backup, or know of
 * an order that its owner has lost. A list may be behind what was done a moment ago, so what is
 * there or not there is a difference only once it was so for the watch time, and once no order of
 * the SIM is open. What a package grants, and when, never changes by an order, so a difference in
 * that is one at once. Times are compared to the second, which is how the OCS returns them.
 *
 * A SIM is compared once a day, with the list of packages that a poll has read anyway; so this
 * needs a call of its own for the SIM, if the poll does not ask for its location too, and one
 * for the templates in an hour, and is spread over the day as the polls are. What differs stands
 * among the problems (`GET /admin/v1/problems`), each difference once and with both sides. Only one
 * thing is mended: an unused package of a cancelled order is deleted. Everything else needs an
 * operator, who knows what happened at the OCS, and who may have it asked for what is had here
 * (`Problems.correct`).
 */
import { Allowance, type Attachment, Package, type Plan, Problem, Replacement, Time } from "simplan/ports"
import { type SubscriberPackage, type Template, type Window, Api } from "../api/Api.ts"
import * as OrderJournal from "../orders/OrderJournal.ts"
import * as Findings from "./Findings.ts"
import * as SimStates from "./SimStates.ts"
import * as SimState from "../reports/SimState.ts"
import * as Templates from "../Templates.ts"
import { Effect } from "effect"
import { Problems } from "simplan"
import { Journal } from "../../telco-calls/index.ts"
import { Settings } from "../Settings.ts"

/** Since when differences of a SIM were seen that have to last, by the ids of their findings. */
type Suspected = SimState.SimState["suspected"]

interface Compared {
  readonly findings: ReadonlyArray<Problem.Finding>
  /**
   * Unused packages of cancelled orders, by the OCS's ids: deleting them takes nothing from anyone.
   */
  readonly deletable: ReadonlyArray<number>
  /** What is a finding if it is still so after the watch time. */
  readonly suspected: Suspected
}

/** What is compared. Times are in milliseconds. */
interface Books {
  readonly telco: string
  readonly iccid: string
  readonly ordered: ReadonlyArray<SimState.Ordered>
  /** What is had here; null while the SIM is sold or released, which is not compared. */
  readonly expected: Problems.Expected | null
  readonly theirs: SimStates.Theirs
  /** The mobile plan of the settings; null: there is none. */
  readonly mobilePlanId: number | null
  /** Null: the OCS has no such SIM. */
  readonly listed: ReadonlyArray<SubscriberPackage> | null
  /** By id. Empty if the OCS does not say. */
  readonly templates: ReadonlyMap<number, Template>
  /** What was remembered of packages before this poll. */
  readonly remembered: SimState.SimState["packages"]
  readonly suspected: Suspected
  readonly watch: number
  readonly now: Time.Instant
}

/** How far apart reported times may be that are the same, in milliseconds. */
const INEXACT = Time.SECOND

/** Days that the OCS counts may have an hour more or less if its clocks are changed. */
const INEXACT_DAYS = Time.HOUR + INEXACT

const isOver = (end: Time.Instant | null, now: Time.Instant): boolean => end !== null && end <= now

const isUsedUp = ({ allowanceBytes, usedBytes }: SubscriberPackage): boolean =>
  allowanceBytes !== null && usedBytes >= allowanceBytes

const differs = (window: Window, { activationAt, expirationAt }: SubscriberPackage, inexact: number): boolean =>
  (activationAt !== null && Math.abs(activationAt - window.start) > inexact) ||
  (expirationAt !== null && Math.abs(expirationAt - window.end) > inexact)

/** The time that a package from its first use on has to have; null before that. */
const afterFirstUse = ({ activationAt }: SubscriberPackage, days: number): Window | null =>
  activationAt === null ? null : { start: activationAt, end: activationAt + days * Time.DAY }

/** Whether a package from its first use on has an end before that: it comes of the first use. */
const isEndedUnused = ({ activationAt, expirationAt, usedBytes }: SubscriberPackage): boolean =>
  activationAt === null && expirationAt !== null && usedBytes === 0

/**
 * Whether the OCS has to have a package that was created. It may drop one that is over, and of one
 * that was activated at its first use only the polls know when that is; so what they have forgotten
 * is not missed.
 */
const isDue = (
  { externalId, orderedAt, window }: SimState.Ordered,
  remembered: SimState.SimState["packages"],
  now: Time.Instant
): boolean => {
  const known = remembered[externalId ?? ""]
  if (window !== null) return !isOver(window.end, now)
  return known === undefined
    ? orderedAt !== null && now - orderedAt < SimState.REMEMBERED
    : !isOver(known.expirationAt, now)
}

/** A package that a subscription owns. */
interface Owned {
  readonly packageId: string
  readonly attachment: Attachment.Attachment
  /** What was ordered. */
  readonly terms: Plan.PlanTerms
}

/**
 * Whose a package is: by the OCS's id as the subscription has it, else by the order that made it.
 */
const ownership = (owners: ReadonlyArray<Attachment.WithPackages>) => {
  const byExternalId = new Map<string, Owned>()
  const byPackage = new Map<string, Owned>()
  const byAttachment = new Map<string, Attachment.Attachment>()
  for (const { attachment, packages } of owners) {
    byAttachment.set(attachment.attachmentId, attachment)
    for (const one of packages) {
      const packageId = Package.idOf(one)
      const owned = { packageId, attachment, terms: Replacement.termsOf(attachment.terms, one) }
      byPackage.set(packageId, owned)
      if (one.telcoPackageId !== null) byExternalId.set(one.telcoPackageId, owned)
    }
  }
  return {
    ofOrder: (packageId: string): Owned | undefined => {
      const attachment = byAttachment.get(Package.attachmentIdOf(packageId))
      return byPackage.get(packageId) ?? (attachment && { packageId, attachment, terms: attachment.terms })
    },
    ofListed: (id: string) => byExternalId.get(id)
  }
}

/** What differs in a package that is there and has an owner. */
const unlike = (
  { attachment: { suspendedAt }, packageId, terms }: Owned,
  window: Window | null,
  found: SubscriberPackage,
  { iccid, now, telco }: Books
): ReadonlyArray<Problem.Finding> => {
  const head = { telco, iccid, packageId, externalId: String(found.id) }
  const lasting = window ?? afterFirstUse(found, terms.periodDays)
  const isTimed =
    lasting === null ? isEndedUnused(found) : differs(lasting, found, window === null ? INEXACT_DAYS : INEXACT)
  const isInUse = suspendedAt === null && !isOver(found.expirationAt, now) && !isUsedUp(found)
  const allowanceBytes = Allowance.bytesOf(terms)
  return [
    ...(isTimed ? [Findings.times(head, lasting, found)] : []),
    ...(!found.isActive && isInUse ? [Findings.inactive(head)] : []),
    ...(found.allowanceBytes !== null && found.allowanceBytes !== allowanceBytes
      ? [Findings.limit(head, allowanceBytes, found.allowanceBytes)]
      : [])
  ]
}

/** What was edited of the template of a package. */
const edited = (
  { templateId, templateName }: SubscriberPackage,
  asked: SimState.Ordered["template"],
  { iccid, telco, templates }: Books
): ReadonlyArray<Problem.Finding> => {
  const template = templates.get(templateId ?? asked?.id ?? -1)
  if (template === undefined) return []
  const name = asked?.id === template.id ? asked.name : (templateName ?? template.name)
  const changes = Templates.changes(name, template)
  return changes.length === 0 ? [] : [Findings.template({ telco, iccid, templateId: template.id, name }, changes)]
}

const compare = (books: Books): Compared => {
  const { expected, iccid, now, ordered, remembered, suspected: before, telco, watch } = books
  const owners = expected?.owners ?? null
  const findings = new Map<string, Problem.Finding>()
  const deletable: Array<number> = []
  const suspected: Record<string, Time.Instant> = {}
  const find = (all: ReadonlyArray<Problem.Finding>) => {
    for (const one of all) findings.set(one.findingId, one)
  }
  /**
   * A difference that has to last for the watch time, from when no order is open, or from when one
   * has to be settled.
   */
  const suspect = (finding: Problem.Finding, isSettled: boolean, settledAt = now) => {
    const since = isSettled ? (before[finding.findingId] ?? now) : settledAt
    if (now - since >= watch) find([finding])
    else suspected[finding.findingId] = since
  }
  const { ofListed, ofOrder } = ownership(owners ?? [])
  const isSettled = ordered.every(({ isWatched, status }) => status !== "Open" && !isWatched)
  const listed = books.listed ?? []
  const byId = new Map(listed.map((one) => [String(one.id), one]))
  const known = new Set<string>()
  for (const one of ordered) {
    const { externalId, packageId, status, template, reviewedBytes, window } = one
    if (externalId === null) continue
    known.add(externalId)
    const found = byId.get(externalId)
    const isLeft = found?.isActive === true && !isOver(found.expirationAt, now)
    const head = { telco, iccid, packageId, externalId }
    if (status === "Cancelled" && isLeft) {
      if (found.usedBytes === 0) deletable.push(found.id)
      else suspect(Findings.cancelled(head, found.usedBytes), true)
    }
    // One that is kept may be of an order that was being cancelled when it was found to be used.
    const isKept = reviewedBytes !== null && status === "Open"
    if ((status !== "Created" && !isKept) || owners === null) continue
    const owner = ofListed(externalId) ?? ofOrder(packageId)
    if (owner === undefined) {
      // What an operator knows of, and has left there, is listed again once more of it is used.
      if (isLeft && found.usedBytes !== reviewedBytes) suspect(Findings.ownerless(head, found.usedBytes), true)
    } else if (isKept) {
    } else if (found !== undefined) {
      find([...unlike(owner, window, found, books), ...edited(found, template, books)])
      const { attachmentId, suspendedAt } = owner.attachment
      if (isLeft && suspendedAt !== null) suspect(Findings.unsuspended(head, attachmentId, suspendedAt), true)
    } else if (books.listed !== null && owner.attachment.suspendedAt === null && isDue(one, remembered, now)) {
      suspect(Findings.missing(head), true)
    }
  }
  for (const one of owners === null ? [] : listed) {
    const id = String(one.id)
    if (known.has(id)) continue
    const owner = ofListed(id)
    if (owner !== undefined) find([...unlike(owner, null, one, books), ...edited(one, null, books)])
    else if (Templates.isOurs(one) && one.isActive && !isOver(one.expirationAt, now)) {
      suspect(Findings.unordered(telco, iccid, one), isSettled)
    }
  }
  for (const one of SimStates.ofMobilePlan(books)) suspect(one, true)
  // An order that is open may start the service of a SIM that is paused, until it is settled
  // (rule S7).
  for (const one of SimStates.ofService(books)) suspect(one, isSettled || expected?.pausedAt === null, now + watch)
  return { findings: [...findings.values()], deletable, suspected }
}

/** How often the books of a SIM are compared, in milliseconds. */
const EVERY = Time.DAY

/** For how long templates are taken to be what they were listed as, in milliseconds. */
const TEMPLATES = Time.HOUR

interface Poll {
  readonly iccid: string
  /** Read before the list, so that the list has what they have. */
  readonly ordered: ReadonlyArray<SimState.Ordered>
  /** Null: the OCS has no such SIM. */
  readonly listed: ReadonlyArray<SubscriberPackage> | null
  readonly theirs: SimStates.Theirs
  readonly before: SimState.SimState
  /** Comparisons before this do not count. */
  readonly since: Time.Instant
  readonly now: Time.Instant
}

export const make = Effect.gen(function* () {
  const { mobilePlanId, telco, watch } = yield* Settings
  const api = yield* Api
  const journal = yield* Journal.Journal
  const problems = yield* Problems.Problems
  let templates: { readonly until: number; readonly byId: ReadonlyMap<number, Template> } | null = null

  const remove = (iccid: string, id: number) =>
    api.deletePackage(id).pipe(
      Effect.andThen(Effect.logInfo(`Deleted an unused package of a cancelled order at ${telco}`, { iccid, id })),
      // Failure: the next comparison finds it, and deletes it.
      Effect.catch(({ message }) => Effect.logDebug(`Package ${id} of ${telco} could not be deleted: ${message}`))
    )

  /** Remembers what an operator reads of a package that is kept although its creation is undone. */
  const reviewed = (
    added: Problem.Finding,
    orders: ReadonlyArray<SimState.Ordered>,
    listed: ReadonlyArray<SubscriberPackage>
  ) => {
    const kept = orders.find(
      ({ packageId, reviewedBytes }) => reviewedBytes !== null && packageId === Problem.cancelled(added)
    )
    const found = listed.find(({ id }) => String(id) === kept?.externalId)
    return kept === undefined || found === undefined
      ? Effect.void
      : OrderJournal.review(journal, { telco, key: kept.packageId }, found.usedBytes)
  }

  /** The templates by their ids; none if they cannot be read now. */
  const templatesAt = Effect.fnUntraced(function* (now: Time.Instant) {
    if (templates !== null && now < templates.until) return templates.byId
    // Failure: the next comparison, a day later, reads them.
    const listed = yield* Effect.orElseSucceed(api.templates, () => null)
    if (listed === null) return new Map<number, Template>()
    const byId = new Map(listed.map((one) => [one.id, one]))
    templates = { until: now + TEMPLATES, byId }
    return byId
  })

  return {
    /**
     * Whether the books are to be compared now. Comparisons before `since` do not count (see
     * `FullComparison`).
     */
    isDue: ({ comparedAt, suspected }: SimState.SimState, since: Time.Instant, now: Time.Instant): boolean =>
      comparedAt === null ||
      comparedAt < since ||
      now - comparedAt >= EVERY ||
      Object.values(suspected).some((since) => now - since >= watch),

    /** When a SIM is polled again whose packages want it at `wanted`; null: never. */
    again: (
      wanted: Time.Instant | null,
      ordered: ReadonlyArray<SimState.Ordered>,
      { comparedAt, suspected }: Pick<SimState.SimState, "comparedAt" | "suspected">,
      now: Time.Instant
    ): Time.Instant | null => {
      const isWatched = ordered.some(({ orderedAt }) => orderedAt !== null && now - orderedAt < SimState.COMPARED)
      const daily = wanted !== null ? now + EVERY : isWatched ? Math.max(now, (comparedAt ?? now) + EVERY) : null
      const instants = Object.values(suspected).map((since) => Math.max(now, since + watch))
      for (const one of [wanted, daily]) if (one !== null) instants.push(one)
      return instants.length === 0 ? null : Math.min(...instants)
    },

    /**
     * Compares, mends and lists. What has to last to be a difference, and since when it was seen.
     */
    compare: Effect.fn("TelcoOcs.compare")(function* ({ before, iccid, listed, now, ordered, since, theirs }: Poll) {
      const books = {
        ...{ telco, iccid, listed, watch, now, mobilePlanId },
        theirs: listed === null ? "Unknown" : theirs,
        remembered: before.packages,
        // What was suspected before a restore has not lasted since.
        suspected: Object.fromEntries(Object.entries(before.suspected).filter(([, at]) => at >= since)),
        templates: yield* templatesAt(now)
      }
      const first = compare({ ...books, ordered, expected: yield* problems.expected({ iccid }) })
      if (first.findings.length + first.deletable.length === 0) return first.suspected
      // An order that was made while the list was read is in the second reading, and so is a SIM
      // that was sold.
      const orders = (yield* journal.ofSim({ telco, kind: OrderJournal.KIND, iccid })).map(SimState.orderedOf)
      const second = compare({ ...books, ordered: orders, expected: yield* problems.expected({ iccid }) })
      const ids = new Set(second.findings.map(({ findingId }) => findingId))
      const findings: ReadonlyArray<Problem.Finding> = first.findings.filter(({ findingId }) => ids.has(findingId))
      for (const id of first.deletable.filter((one) => second.deletable.includes(one))) yield* remove(iccid, id)
      for (const added of yield* problems.add({ findings })) yield* reviewed(added, orders, listed ?? [])
      return second.suspected
    })
  }
})
