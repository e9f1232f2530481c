/**
 * Stock: how many SIMs of a label an organization has free, in use and on their way back
 * (rule I11), and the levels below which it is notified (rule I12).
 */
import { Result } from "effect"
import type { Facts } from "./AuditEntry.ts"
import type { NewJob } from "./Decision.ts"
import { isLabel, type Label, labels } from "./Label.ts"
import { InvalidField } from "./Refusal.ts"
import { isSellable, isUsed, type Sim, status } from "./Sim.ts"
import type { SimChange } from "./SimDifference.ts"
import { type Instant, SECOND } from "./Time.ts"
import type { Payload } from "./WebhookEvent.ts"

/**
 * Where a SIM stands (rule I11). `free`: nobody has it, and an eSIM shows no sign of a download, so
 * a creation without an ICCID gets it. `downloaded`: an eSIM that nobody has, and that only a
 * creation with its ICCID gets. `lapsed`: an eSIM that nobody has, and that would have to be put
 * into use within a day or has lapsed (rule I15), so that nobody is given it. `inUse`: a
 * subscription has it, or a creation under way. `releasing`: on its way back to stock.
 * `withdrawn`: nobody gets it (rule I9).
 */
export const states = ["free", "downloaded", "lapsed", "inUse", "releasing", "withdrawn"] as const

/** Where a SIM stands (rule I11). */
export type State = (typeof states)[number]

/**
 * Rule I11: where the SIM stands. What has to be put into use by `sellAfter` is sold no more
 * (`Purchase.sellAfter`).
 */
export const stateOf = (
  sim: Pick<Sim, "allocation" | "downloaded" | "isEsim" | "purchase">,
  sellAfter: Instant
): State => {
  const standing = status(sim)
  if (standing === "free") {
    if (sim.isEsim && sim.downloaded) return "downloaded"
    return isSellable(sim, sellAfter) ? "free" : "lapsed"
  }
  return standing === "in_use" ? "inUse" : standing
}

/** How many SIMs of a label and a kind stand so. */
export interface Count {
  /** The label of the plans that they take. */
  readonly label: Label
  /** Whether they are eSIMs. */
  readonly isEsim: boolean
  /** Where they stand. */
  readonly state: State
  /** At least one. */
  readonly count: number
}

/** How many SIMs of one kind stand where. */
export type Counts = Readonly<Record<State, number>>

/** The SIMs of a label. */
export interface OfLabel {
  /** The label of the plans that they take. */
  readonly label: Label
  /** The eSIMs. */
  readonly esims: Counts
  /** The physical SIMs; none of them is `downloaded` or `lapsed`. */
  readonly physicalSims: Counts
}

/** The counts by label, of labels that have any SIM or a level. */
export const byLabel = (
  counts: ReadonlyArray<Count>,
  levels: ReadonlyArray<Pick<Level, "label">>
): ReadonlyArray<OfLabel> => {
  const countsOf = (label: Label, isEsim: boolean): Counts => {
    const sums = { free: 0, downloaded: 0, lapsed: 0, inUse: 0, releasing: 0, withdrawn: 0 }
    for (const one of counts) if (one.label === label && one.isEsim === isEsim) sums[one.state] += one.count
    return sums
  }
  const named = new Set([...counts, ...levels].map(({ label }) => label))
  return labels
    .filter((label) => named.has(label))
    .map((label) => ({ label, esims: countsOf(label, true), physicalSims: countsOf(label, false) }))
}

/** The level of a label, as it is stored (rule I12). */
export interface Level {
  /** Whose it is. */
  readonly organizationId: string
  /** Of which eSIMs. */
  readonly label: Label
  /** `stock.low` is published once fewer eSIMs are free; 0: never. */
  readonly level: number
  /** Whether fewer were free when they were last counted, so that it has been notified. */
  readonly isLow: boolean
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** The highest level: so many free eSIMs are counted at most for one check. */
export const HIGHEST = 100_000

/** A level as an organization sets it. */
export type LevelRequest = Pick<Level, "label" | "level">

const refuse = (field: string, message: string) => Result.fail(new InvalidField({ field, message }))

/**
 * Rule I12: what changes if an organization sets its levels: those named are set, and all others
 * end. A level that is set to another number is notified anew; one that stays as it is goes on.
 */
export const withLevels = (
  organizationId: string,
  stored: ReadonlyArray<Level>,
  asked: ReadonlyArray<{ readonly label: string; readonly level: number }>
): Result.Result<ReadonlyArray<Level>, InvalidField> => {
  const numbers = new Map<Label, number>()
  for (const { label, level } of asked) {
    if (!isLabel(label)) return refuse("label", "must be a label")
    if (numbers.has(label)) return refuse("label", "must be named once each")
    if (!Number.isInteger(level) || level < 1 || level > HIGHEST) {
      return refuse("level", `must be an integer from 1 to ${HIGHEST}`)
    }
    numbers.set(label, level)
  }
  const known = new Map(stored.map((one) => [one.label, one]))
  const next: Array<Level> = []
  for (const label of new Set([...known.keys(), ...numbers.keys()])) {
    const [before, level] = [known.get(label), numbers.get(label) ?? 0]
    if ((before?.level ?? 0) !== level) {
      next.push({ organizationId, label, level, isLow: false, version: before?.version ?? 0 })
    }
  }
  return Result.succeed(next)
}

/** The levels that are set. */
export const set = (stored: ReadonlyArray<Level>): ReadonlyArray<Level> => stored.filter(({ level }) => level > 0)

/** Rule W11: what the audit log says of the levels of the labels in `changed`. */
export const facts = (levels: ReadonlyArray<Level>, changed: ReadonlyArray<Level>): Facts =>
  Object.fromEntries(
    changed.map(({ label }) => {
      const level = levels.find((one) => one.label === label)?.level ?? 0
      return [`level of ${label}`, level === 0 ? null : String(level)]
    })
  )

/** What a check of a level comes to. */
export interface Checked {
  /** The level to be stored. */
  readonly level: Level
  /** The event. */
  readonly payloads: ReadonlyArray<Payload>
}

/**
 * Rule I12: the check of a level, if so many eSIMs are free. It is stored each time, also as it
 * was: its version keeps an older count from being stored after a newer one.
 */
export const checked = (stored: Level, free: number): Checked => {
  const { label, level } = stored
  const isLow = free < level
  return {
    level: { ...stored, isLow },
    payloads: isLow && !stored.isLow ? [{ type: "stock.low", data: { label, free, level } }] : []
  }
}

type Known = SimChange["next"]["sim"]

const mayBeFree = ({ allocation = { _tag: "Free" }, downloaded }: Known): boolean =>
  !isUsed({ allocation }) && downloaded === false

/**
 * The labels of which another number of eSIMs may be free after the change. A view without the
 * allocation may be of one that is free.
 */
export const moved = ({ loaded, next }: SimChange): ReadonlyArray<Label> => {
  const [before, after] = [loaded.sim, next.sim].map((sim) => (mayBeFree(sim) ? sim.label : undefined))
  return before === after ? [] : [before, after].filter((label) => label !== undefined)
}

/**
 * How long after a change its second check comes at least. By then every commit of the time before
 * is done.
 */
const LATER = 10 * SECOND

/** Of whose eSIMs of which label the free ones are counted. */
export interface Checking {
  /** Whose they are. */
  readonly organizationId: string
  /** Of which label. */
  readonly label: Label
}

/**
 * The check at the end of the span of time that `now` is in, or of the one after `skipped` more.
 */
const checkIn = ({ label, organizationId }: Checking, now: Instant, span: number, skipped: number): NewJob => {
  const until = (Math.floor(now / span) + 1 + skipped) * span
  return {
    jobId: `stock:${organizationId}:${label}:${span}:${until}`,
    work: { _tag: "CheckStock", label },
    dueAt: until
  }
}

/**
 * Rule I12: the checks after a change at `now`. All changes of a second have one job, due when it
 * is over, so that counting costs no more than that, however many SIMs are sold. A commit that
 * lasts until that check has counted is seen by the second one.
 */
export const checks = (of: Checking, now: Instant): ReadonlyArray<NewJob> => [
  checkIn(of, now, SECOND, 0),
  checkIn(of, now, LATER, 1)
]

/**
 * The checks if the clock stands still: one of its own for each change, at once. `cause` names the
 * change.
 */
export const checkNow = ({ label, organizationId }: Checking, cause: string, now: Instant): ReadonlyArray<NewJob> => [
  { jobId: `stock:${organizationId}:${label}:${cause}`, work: { _tag: "CheckStock", label }, dueAt: now }
]
