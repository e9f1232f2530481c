/**
 * What was seen of a server and of its innocent client while it was attacked, and what of it must
 * not be.
 */
import type { Tally } from "./Attacker.ts"
import type { Answered } from "./Innocent.ts"

/** What a process holds. */
export interface Held {
  /** Resident memory, in MB. */
  readonly memory: number
  /** Open files, and the sockets among them. */
  readonly files: number
  readonly sockets: number
}

export interface Observed {
  readonly attack: string
  readonly answers: ReadonlyArray<Answered>
  /** The most that was measured. */
  readonly memory: number
  /** The longest that the event loop kept something waiting, in ms. */
  readonly delay: number
  readonly tally: Tally
}

export interface Bounds {
  /**
   * The innocent client's 99th percentile without attacks, in ms; null where times are not judged.
   */
  readonly usual: number | null
  /** The memory before the attacks, in MB. */
  readonly memory: number
}

/** In MB above what a server has before. */
export const MEMORY = 250

/** The 99th percentile may be so many ms, or so many times the usual one. */
const LATE = { millis: 500, times: 20 }

/**
 * How many files and sockets may be open more than before: connections to a database come and go.
 */
const FILES = 16

export const percentile = (answers: ReadonlyArray<Answered>, part: number): number => {
  const all = answers.map(({ millis }) => millis).toSorted((a, b) => a - b)
  return all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0
}

export const latest = (usual: number): number => Math.max(LATE.millis, LATE.times * usual)

/** Whether the innocent client was served too late. */
export const isLate = ({ answers }: Observed, { usual }: Bounds): boolean =>
  usual !== null && percentile(answers, 0.99) > latest(usual)

/** What an attack did, in sentences; nothing where it did nothing. */
export const problems = (observed: Observed, bounds: Bounds): ReadonlyArray<string> => {
  const { answers, attack, memory } = observed
  const failed = answers.filter(({ failure }) => failure !== undefined)
  const more = memory - bounds.memory
  return [
    ...(answers.length === 0 ? [`${attack}: the innocent client was not answered at all`] : []),
    ...failed.slice(0, 3).map(({ failure, what }) => `${attack}: an innocent "${what}" failed: ${failure}`),
    ...(failed.length > 3 ? [`${attack}: ${failed.length - 3} more innocent requests failed`] : []),
    ...(more > MEMORY ? [`${attack}: memory rose by ${Math.round(more)} MB`] : []),
    ...(isLate(observed, bounds) ? [`${attack}: the innocent p99 was ${Math.round(percentile(answers, 0.99))} ms`] : [])
  ]
}

/** What was not returned after all attacks. */
export const kept = (before: Held, after: Held): ReadonlyArray<string> => {
  const more = after.memory - before.memory
  return [
    ...(after.files - before.files > FILES ? [`${after.files} files are open, before ${before.files}`] : []),
    ...(after.sockets - before.sockets > FILES ? [`${after.sockets} sockets are open, before ${before.sockets}`] : []),
    ...(more > MEMORY ? [`memory is ${Math.round(more)} MB more after the attacks`] : [])
  ]
}

const COLUMNS = ["p50", "p99", "most ms", "delay ms", "MB", "sent", "closed", "answers"] as const

const cells = ({ answers, delay, memory, tally }: Observed): ReadonlyArray<string> => [
  ...[0.5, 0.99, 1].map((part) => percentile(answers, part).toFixed(0)),
  delay.toFixed(0),
  memory.toFixed(0),
  String(tally.sent),
  String(tally.closed),
  Object.entries(tally.statuses)
    .map(([status, count]) => `${status}×${count}`)
    .join(" ")
]

/** The heads of a table of attacks. */
export const head = (): string => [...COLUMNS.map((name) => name.padStart(8)), " attack"].join(" ").trimEnd()

/** A line of the table. */
export const line = (observed: Observed): string =>
  [...cells(observed).map((text) => text.padStart(8)), ` ${observed.attack}`].join(" ")
