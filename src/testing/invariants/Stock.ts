/**
 * What must hold of the stock of SIMs: its counts (rule I11), its levels, and the notices that
 * eSIMs run out (rule I12).
 *
 * The notices are apart from `Invariants.all`, because only an endpoint that takes them from the
 * beginning receives them.
 */
import type { Label } from "../../domain/Label.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { LevelRequest, State } from "../../domain/Stock.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"
import type { Instant } from "../../domain/Time.ts"
import { isIdle, type Step, type StockOf } from "../History.ts"
import * as TimingModel from "../TimingModel.ts"
import { first, type Invariant, type Lines, make, same, show, type Stocks } from "./Invariant.ts"

/**
 * The level that is to be set for the label `Green` if an organization has so many eSIMs of it:
 * all but one.
 */
export const levelOf = (esims: number): number => Math.max(1, esims - 1)

const stateOf = ({ allocation, downloaded, isEsim, purchase }: Sim, now: Instant): State => {
  switch (allocation._tag) {
    case "Free":
      if (isEsim && downloaded) return "downloaded"
      return TimingModel.isSold(purchase?.sellBy ?? null, now) ? "free" : "lapsed"
    case "Provisioning":
    case "InService":
      return "inUse"
    case "Releasing":
      return "releasing"
    case "Withdrawn":
      return "withdrawn"
  }
}

const countOf = (lines: Lines, organizationId: string, counts: (sim: Sim) => boolean): number =>
  [...lines.values()].filter(({ sim }) => sim.organizationId === organizationId && counts(sim)).length

const freeOf = (lines: Lines, organizationId: string, label: Label, now: Instant): number =>
  countOf(lines, organizationId, (sim) => sim.isEsim && sim.label === label && stateOf(sim, now) === "free")

/** How many eSIMs of a label have lapsed in a step. */
const lapsedOf = (lines: Lines, organizationId: string, label: Label, { began, ended }: Step): number =>
  countOf(
    lines,
    organizationId,
    (sim) =>
      sim.label === label && stateOf(sim, ended) === "lapsed" && TimingModel.isSold(sim.purchase?.sellBy ?? null, began)
  )

const kinds = ["esims", "physicalSims"] as const
const states: ReadonlyArray<State> = ["free", "downloaded", "lapsed", "inUse", "releasing", "withdrawn"]

/** Rule I11. */
export const stockIsCounted: Invariant = make(
  "the stock has each SIM once, by its label and kind, where it stands",
  "I11",
  () =>
    ({ after, step: { ended }, stock }) =>
      first(stock, ([organizationId, labels]) => {
        const all = labels.flatMap(({ esims, physicalSims }) =>
          [esims, physicalSims].flatMap((of) => Object.values(of))
        )
        const counted = all.reduce((sum, count) => sum + count, 0)
        const there = countOf(after, organizationId, () => true)
        if (counted !== there) return `${organizationId} has ${there} SIMs, and ${counted} are counted`
        return first(labels, (of) =>
          first(kinds, (kind) =>
            first(states, (state) => {
              const is = ({ isEsim, label }: Sim) => label === of.label && isEsim === (kind === "esims")
              const expected = countOf(after, organizationId, (sim) => is(sim) && stateOf(sim, ended) === state)
              return of[kind][state] === expected
                ? null
                : `${organizationId} has ${expected} of ${of.label} that are ${state}, and counted are ${show(of)}`
            })
          )
        )
      })
)

const levelsOf = (labels: StockOf["labels"] = []): ReadonlyMap<Label, number> =>
  new Map(labels.flatMap(({ label, level }) => (level === null ? [] : [[label, level] as const])))

const isValid = (levels: ReadonlyArray<LevelRequest>): boolean =>
  levels.every(({ level }) => level >= 1 && level <= 100_000) &&
  new Set(levels.map(({ label }) => label)).size === levels.length

/**
 * Rule I12. Levels are 1 to 100,000, and one for a label; those that are set take the place of all
 * others.
 */
export const levelsAreAsSet: Invariant = make(
  "the levels of the stock are those that were set last, and others are refused",
  "I12",
  () =>
    ({ step: { asked, outcome }, stock, stockBefore }) => {
      const request = asked._tag === "SetStockLevels" ? asked : null
      if (request !== null && outcome._tag === "Answered" && !isValid(request.levels)) {
        return `${show(request.levels)} were taken`
      }
      if (request !== null && outcome._tag === "Refused" && isValid(request.levels)) {
        return `${show(request.levels)} were refused with ${show(outcome.refusal)}`
      }
      return first(stock, ([organizationId, labels]) => {
        const [before, after] = [levelsOf(stockBefore.get(organizationId)), levelsOf(labels)]
        const isAsked = request?.organizationId === organizationId && outcome._tag !== "Refused"
        const asIs = new Map((isAsked ? request.levels : []).map(({ label, level }) => [label, level]))
        if (isAsked && same(after, asIs)) return null
        const mayStay = !isAsked || outcome._tag === "Killed"
        return mayStay && (same(after, before) || !stockBefore.has(organizationId))
          ? null
          : `${organizationId} has the levels ${show([...after])}, after ${show(asked)}`
      })
    }
)

/** Every label of which an organization has a level, with how many are free. */
const levels = (stock: Stocks, lines: Lines, now: Instant) =>
  [...stock].flatMap(([organizationId, labels]) =>
    [...levelsOf(labels)].map(([label, level]) => {
      const free = freeOf(lines, organizationId, label, now)
      return { key: `${organizationId} ${label}`, organizationId, label, level, free, isLow: free < level }
    })
  )

/** The levels below which the stock is, by label. */
type Low = ReadonlyMap<string, number>

const lowIn = (stock: Stocks, lines: Lines, now: Instant): Low =>
  new Map(levels(stock, lines, now).flatMap(({ isLow, key, level }) => (isLow ? [[key, level] as const] : [])))

/** Those that are still set so: one that was set anew is counted anew. */
const unchanged = (low: Low, stock: Stocks, lines: Lines, now: Instant): Low => {
  const set = new Map(levels(stock, lines, now).map(({ key, level }) => [key, level]))
  return new Map([...low].filter(([key, level]) => set.get(key) === level))
}

const lowOf = ({ organizationId, payload }: WebhookEvent) =>
  payload.type === "stock.low" ? { key: `${organizationId} ${payload.data.label}`, ...payload.data } : null

/**
 * Rule I12. Whenever no job is due, an organization whose free eSIMs of a label have fallen below
 * its level since the last time has been notified, and if it has set the level since then; and a
 * notice never says that as many are free as the level has.
 */
export const lowStockIsNotified: Invariant = make(
  "when fewer eSIMs are free than their level says, that is notified",
  "I12",
  () => {
    let low: Low = new Map()
    const notified = new Set<string>()
    return ({ after, step, stock }) => {
      const wrong = first(step.changes.events, (event) => {
        const notice = lowOf(event)
        if (notice === null) return null
        notified.add(`${notice.key} ${notice.level}`)
        return notice.free < notice.level ? null : `${notice.key} was notified of ${show(notice)}`
      })
      low = unchanged(low, stock, after, step.ended)
      if (wrong !== null || !isIdle(step)) return wrong
      const now = lowIn(stock, after, step.ended)
      const complaint = first(now, ([key, level]) =>
        low.has(key) || notified.has(`${key} ${level}`)
          ? null
          : `${key} is below its level ${level}, and that was not notified`
      )
      low = now
      notified.clear()
      return complaint
    }
  }
)

/** Whether the step does jobs that are due: those that count eSIMs are among them. */
const doesJobs = ({ asked: { _tag } }: Step): boolean => _tag === "Advance" || _tag === "Quiet"

/**
 * Rule I12. Jobs are done only while the clock is advanced, and then eSIMs come back to stock and
 * none leaves it but those that were bought and lapse (I15). So a fall is notified once in such a
 * step at most, and not at all if that many were low at the last count already; and once more for
 * each that lapses. After a step that was killed in the middle it is open what was counted.
 */
export const lowStockIsNotifiedOnce: Invariant = make(
  "that fewer eSIMs are free than their level says is notified once each time",
  "I12",
  () => {
    let low: Low = new Map()
    return ({ after, before, step, stock }) => {
      const notices = step.changes.events.map(lowOf).filter((notice) => notice !== null)
      const wrong = first(notices, ({ free, key, level }) => {
        const watched = levels(stock, after, step.ended).find((one) => one.key === key)
        if (watched === undefined || watched.level !== level)
          return `${key} was notified of the level ${level}, and has ${watched?.level}`
        const { label, organizationId } = watched
        const [least, most] = [freeOf(before, organizationId, label, step.began), watched.free].toSorted(
          (one, other) => one - other
        )
        const lapsed = lapsedOf(after, organizationId, label, step)
        if (free < (least ?? 0) || free > (most ?? 0) + lapsed)
          return `${key} was notified of ${free} free, and has ${watched.free}`
        if (low.get(key) === level && lapsed === 0) return `${key} was notified again of the level ${level}`
        const times = notices.filter((notice) => notice.key === key).length
        return times <= 1 + lapsed ? null : `${key} was notified ${times} times`
      })
      low = isIdle(step)
        ? lowIn(stock, after, step.ended)
        : doesJobs(step)
          ? new Map()
          : unchanged(low, stock, after, step.ended)
      return wrong
    }
  }
)
