/**
 * The daily comparison of usage with the OCS's own book of it (rule U1), which has the country of
 * all that was used, and when.
 *
 * A poll finds how much was used since the poll before. So once a day, from 3 hours after midnight
 * on, the poll of a SIM that was used reads the OCS's book of the days that are over, and of the
 * day since: one call more, and another one for each six days of an outage. The core moves its
 * bytes to the days and countries in which the OCS has them. Days that are longer ago than 35 days,
 * or that the OCS refuses to answer, are one problem, with what our book has. A day whose total is
 * another one is compared once more, 6 hours later, because the OCS may write what it has charged
 * into its book late; then it is a problem (`UsageDiffers`), once. How far a SIM was compared is in
 * the journal, so that any process goes on from it. One that dies before it has written that there
 * has the days compared again. A problem goes by the last comparison: it is withdrawn if the day
 * is equal then, and has that one's figures. So no two comparisons of a SIM are made at once: a
 * poll for a notification makes none.
 *
 * If an operator retries a problem, the next comparison has that day too, and no other one that
 * is compared already.
 */
import { Clock, Effect, Metric } from "effect"
import { Problems, UsageReconciliation as Reconciliations } from "simplan"
import { type Telco, Time, UsageBook, type UsageReconciliation } from "simplan/ports"
import { CallFailure, Journal, type PollSchedule } from "../../telco-calls/index.ts"
import { Api, type Used } from "../api/Api.ts"
import * as SimState from "../reports/SimState.ts"
import { Settings } from "../Settings.ts"
import * as Subscribers from "../Subscribers.ts"
import * as Findings from "./Findings.ts"

type Compared = SimState.SimState["usage"]

/**
 * How long after midnight the OCS's book of the day before is read, in milliseconds: it may be
 * written late.
 */
const CLOSING = 3 * Time.HOUR

/** How long after a comparison that found another total the next one is, in milliseconds. */
const AGAIN = 6 * Time.HOUR

/**
 * How long after one for which the OCS's book could not be read, or ours has not taken all of what
 * the poll has found.
 */
const LATER = Time.DAY

/**
 * How many days that are over are compared at most: those of reports that are taken late (rule R1).
 */
const DAYS = 35

/** How many days one call reads: with the zone of the OCS they are the week that it answers. */
const READ = 6 * Time.DAY

/**
 * What was used so shortly before a poll may be in one book and not in the other; clocks may be off
 * by as much.
 */
const RECENT = 15 * Time.MINUTE

type Outcome = "equal" | "moved" | "differs" | "failed"

const makeMetric = (telco: string) => (outcome: Outcome) =>
  Metric.update(
    Metric.counter("simplan_telco_usage_comparisons_total", {
      description: "Comparisons of a SIM's usage with the telco's own book of it, by what came of it",
      attributes: { telco, outcome },
      incremental: true
    }),
    1
  )

/**
 * What the OCS's book says of the days from `from` on, as a poll that began at `now` has read it.
 */
export const bookOf = (
  used: ReadonlyArray<Used>,
  from: Time.Instant,
  now: Time.Instant
): UsageReconciliation.TelcoBook => {
  const until = UsageBook.dayOf(now)
  const cells = new Map<string, UsageReconciliation.Used>()
  const since = { least: 0, most: 0 }
  for (const { at, bytes, countryAlpha2 } of used) {
    const day = UsageBook.dayOf(at)
    if (day < from) continue
    if (day >= until) {
      since.most = UsageBook.plus(since.most, bytes)
      if (at < now - RECENT) since.least = UsageBook.plus(since.least, bytes)
      continue
    }
    const key = `${day} ${countryAlpha2}`
    cells.set(key, { day, countryAlpha2, bytes: UsageBook.plus(cells.get(key)?.bytes ?? 0, bytes) })
  }
  return { from, until, used: [...cells.values()].filter(({ bytes }) => bytes > 0), since }
}

/** A poll, after what it has found was reported. */
export interface Poll {
  readonly iccid: string
  readonly ordered: ReadonlyArray<SimState.Ordered>
  /** What is remembered of packages after this poll. */
  readonly packages: SimState.SimState["packages"]
  /** Whether all was taken that the poll has reported of them. */
  readonly isTaken: boolean
  readonly before: SimState.SimState
  readonly now: Time.Instant
}

/** Which days are to be compared from now on, before anything was. */
export const begun = ({
  before: { polledAt, usage },
  now,
  ordered
}: Pick<Poll, "before" | "now" | "ordered">): Compared => {
  if (usage.comparedTo !== null) return usage
  // A SIM that was polled before there was a comparison has usage of which nobody knows the day.
  const first = polledAt === null ? Math.min(now, ...ordered.map(({ orderedAt }) => orderedAt ?? now)) - RECENT : now
  return comparedTo(UsageBook.dayOf(first))
}

/** The first day that is to be compared. */
const firstOf = ({ asked, comparedTo }: Compared): Time.Instant => Math.min(comparedTo ?? 0, ...asked)

/**
 * Whether a package was used since the first day that was not compared, or so shortly before that
 * the OCS has it on that day.
 */
const isUsed = (packages: SimState.SimState["packages"], { asked, comparedTo }: Compared): boolean =>
  asked.length > 0 ||
  Object.values(packages).some(({ usedAt, usedBytes }) => usedBytes > 0 && usedAt >= (comparedTo ?? 0) - RECENT)

/** The first instant from this one on at which the OCS's book of the day before is read. */
const closed = (instant: Time.Instant): Time.Instant => Math.max(instant, UsageBook.dayOf(instant) + CLOSING)

/** When the OCS's book is read next of a SIM that was used. */
const dueAt = (usage: Compared): Time.Instant => closed(usage.againAt ?? firstOf(usage) + Time.DAY)

/** When a SIM is polled to be compared, if nothing else has it polled; null: it was not used. */
export const again = (usage: Compared, packages: SimState.SimState["packages"]): Time.Instant | null =>
  isUsed(packages, usage) ? dueAt(usage) : null

/** Whether days up to yesterday may be compared now. */
const isClosed = (usage: Compared, now: Time.Instant): boolean => Math.max(dueAt(usage), closed(now)) <= now

/** Whether the OCS's book is read now. */
export const isDue = (usage: Compared, packages: SimState.SimState["packages"], now: Time.Instant): boolean =>
  isClosed(usage, now) && isUsed(packages, usage)

/** All days before this one are compared. */
export const comparedTo = (day: Time.Instant): Compared => ({
  comparedTo: day,
  againAt: null,
  suspected: [],
  asked: []
})

/** What a poll has compared, with the days that an operator has asked for since the poll began. */
export const withLater = (mine: Compared, before: Compared, now: Compared): Compared => {
  const later = now.asked.filter((day) => !before.asked.includes(day))
  return later.length === 0 ? mine : { ...mine, asked: [...mine.asked, ...later] }
}

/** The port's `compareUsage`: the next poll of the SIM, which is due now, compares that day too. */
export const makeAsk = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  return Effect.fn("TelcoOcs.compareUsageAgain")(function* ({
    day,
    iccid
  }: Parameters<NonNullable<Telco.Telco["Service"]["compareUsage"]>>[0]) {
    const now = yield* Clock.currentTimeMillis
    const place = { telco, kind: Subscribers.KIND, key: iccid }
    // A SIM that was never polled was never compared.
    if ((yield* CallFailure.ofJournal(journal.get(place))) === null) return
    yield* CallFailure.ofJournal(
      Journal.change(journal, place, (before) => {
        const entry = before ?? { document: {}, dueAt: null, externalId: null }
        const state = SimState.of(entry)
        const { usage } = state
        const isOver = usage.comparedTo !== null && day < usage.comparedTo && !usage.asked.includes(day)
        const asked = isOver ? [...usage.asked, day] : usage.asked
        return {
          iccid,
          externalId: entry.externalId,
          document: SimState.within(entry, { ...state, usage: { ...usage, asked } }),
          dueAt: Math.min(now, entry.dueAt ?? now)
        }
      })
    )
  })
})

export const make = ({ meter, telco }: { readonly telco: string; readonly meter: Pick<PollSchedule.Meter, "count"> }) =>
  Effect.gen(function* () {
    const api = yield* Api
    const problems = yield* Problems.Problems
    const { reconcile } = yield* Reconciliations.UsageReconciliation
    const count = makeMetric(telco)

    /**
     * The OCS's book of the days from `wanted` to today, as far as it answers, the latest days
     * first. A refusal of today's book fails; one of earlier days ends it.
     */
    const readAll = Effect.fnUntraced(function* (
      iccid: string,
      wanted: Time.Instant,
      now: Time.Instant,
      read: NonNullable<typeof api.usage>
    ) {
      const today = UsageBook.dayOf(now)
      const used: Array<Used> = []
      let from = today + Time.DAY
      while (from > wanted) {
        const until = from
        const isLatest = until > today
        const first = Math.max(wanted, until - READ)
        meter.count(1, now)
        const found = yield* Effect.catchIf(
          read({ iccid, from: first, to: Math.min(now, until - 1) }),
          ({ outcome }) => !isLatest && outcome === "Refused",
          () => Effect.succeed(null)
        )
        if (found === null) break
        // It may answer days beside those that were asked for: each counts once.
        used.push(...found.filter(({ at }) => at >= first && (isLatest || at < until)))
        from = first
      }
      return { used, from }
    })

    const compared = Effect.fn("TelcoOcs.compareUsage")(function* (
      { iccid, now }: Poll,
      usage: Compared,
      read: NonNullable<typeof api.usage>
    ) {
      const today = UsageBook.dayOf(now)
      const isAsked = ({ day }: Pick<UsageReconciliation.Difference, "day">) => usage.asked.includes(day)
      const isMeant = (one: Pick<UsageReconciliation.Difference, "day">) =>
        one.day >= (usage.comparedTo ?? today) || isAsked(one)
      const wanted = Math.min(usage.comparedTo ?? today, today, ...usage.asked)
      const { from, used } = yield* readAll(iccid, Math.max(wanted, today - DAYS * Time.DAY), now, read)
      const reconciled = yield* reconcile({ iccid, book: { ...bookOf(used, from, now), wanted } })
      const { moved } = reconciled
      const differences = reconciled.differences.filter(isMeant)
      const unread = reconciled.unread.filter(isMeant)
      const isLasting = (one: UsageReconciliation.Difference) => usage.suspected.includes(one.day) || isAsked(one)
      const lasting = differences.filter(isLasting)
      const equal = [...usage.suspected, ...usage.asked].filter(
        (day) => day >= from && !lasting.some((one) => one.day === day)
      )
      yield* problems.withdraw({ findingIds: equal.map((day) => Findings.usageFindingId({ telco, iccid }, day)) })
      const findings = lasting.map((one) => Findings.usage({ telco, iccid }, one))
      yield* problems.add({ findings: [...findings, ...Findings.unread({ telco, iccid }, unread)] })
      yield* count(differences.length > 0 ? "differs" : moved.length > 0 ? "moved" : "equal")
      if (lasting.length === differences.length) return comparedTo(today)
      const next = Math.min(...differences.filter((one) => !isLasting(one)).map(({ day }) => day))
      const suspected = differences.map(({ day }) => day).filter((day) => day >= next)
      return { comparedTo: next, againAt: now + AGAIN, suspected, asked: [] }
    })

    /** Compares a SIM whose turn it is. How far it is compared. */
    const compare = Effect.fnUntraced(function* (poll: Poll) {
      const { isTaken, now, packages } = poll
      const usage = begun(poll)
      if (api.usage === null) return comparedTo(UsageBook.dayOf(now))
      if (!isDue(usage, packages, now)) return isClosed(usage, now) ? comparedTo(UsageBook.dayOf(now)) : usage
      if (!isTaken) return { ...usage, againAt: now + LATER }
      return yield* Effect.catchTag(compared(poll, usage, api.usage), "TelcoCalls.CallFailure", ({ message }) =>
        Effect.logDebug(`The usage of a SIM of ${telco} is not compared now: ${message}`).pipe(
          Effect.andThen(count("failed")),
          Effect.as({ ...usage, againAt: now + LATER })
        )
      )
    })
    return { compare }
  })
