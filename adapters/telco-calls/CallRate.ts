/**
 * How many calls a telco gets, in each second and at once: a state machine, without a clock of its own.
 *
 * Calls start one by one, evenly over the second, so that no window of a second has more than it may. Orders start
 * before polls, which also leave a quarter of the calls at once to orders. A call waits for its turn up to a bound; one
 * that could not come to its turn by then is refused at once. After the telco has asked for fewer calls, the rate is
 * halved, and doubles again in steps.
 *
 * Times are machine time, in milliseconds.
 */
import { Result } from "effect"
import type { Priority } from "./Priority.ts"

export interface Limits {
  readonly callsPerSecond: number
  /** How many calls may be under way at once; at least 1. */
  readonly concurrency: number
  /** How long a call of each priority waits for its turn, at most. */
  readonly longestWait: Readonly<Record<Priority, number>>
}

/** A call that waits for its turn until `deadline`. */
export interface Waiting {
  readonly id: number
  readonly deadline: number
}

export interface State {
  readonly underWay: number
  /** In the order in which they came. */
  readonly waiting: Readonly<Record<Priority, ReadonlyArray<Waiting>>>
  /** When the next call may start, at the earliest. */
  readonly nextAt: number
  /** When the telco last asked for fewer calls, and by how much the rate was divided then. */
  readonly slowdown: { readonly at: number; readonly divisor: number }
}

/** How long the rate stays divided before it doubles, in milliseconds. */
export const RECOVERY = 5_000

/** Demands within this time, in milliseconds, count once: they answer calls that were under way together. */
const TOGETHER = 1_000

const LARGEST_DIVISOR = 32

export const initial: State = {
  underWay: 0,
  waiting: { order: [], poll: [] },
  nextAt: Number.NEGATIVE_INFINITY,
  slowdown: { at: Number.NEGATIVE_INFINITY, divisor: 1 }
}

const divisorAt = ({ slowdown }: State, now: number): number =>
  Math.max(1, slowdown.divisor / 2 ** Math.floor((now - slowdown.at) / RECOVERY))

/** The time from one start to the next, in milliseconds. */
export const interval = (limits: Limits, state: State, now: number): number =>
  (1_000 / limits.callsPerSecond) * divisorAt(state, now)

const before = (state: State, priority: Priority): number =>
  state.waiting.order.length + (priority === "poll" ? state.waiting.poll.length : 0)

/** How long a new call would wait if none that is under way held it up, in milliseconds. */
const expectedWait = (limits: Limits, state: State, priority: Priority, now: number): number =>
  Math.max(0, state.nextAt - now) + before(state, priority) * interval(limits, state, now)

/** Lets a call wait for its turn. Fails with the seconds after which there may be a turn, if the wait would be too long. */
export const enter = (
  limits: Limits,
  state: State,
  call: { readonly id: number; readonly priority: Priority; readonly now: number }
): Result.Result<State, number> => {
  const { id, now, priority } = call
  const longest = limits.longestWait[priority]
  const wait = expectedWait(limits, state, priority, now)
  if (wait > longest) return Result.fail(Math.ceil((wait - longest) / 1_000))
  const queue = [...state.waiting[priority], { id, deadline: now + longest }]
  return Result.succeed({ ...state, waiting: { ...state.waiting, [priority]: queue } })
}

const roomFor = ({ concurrency }: Limits, priority: Priority): number =>
  priority === "order" || concurrency === 1 ? concurrency : concurrency - Math.max(1, Math.floor(concurrency / 4))

/** The call whose turn is next, if one more may be under way. */
const first = (limits: Limits, { underWay, waiting }: State): readonly [Priority, Waiting] | null => {
  const [order] = waiting.order
  if (order !== undefined) return underWay < roomFor(limits, "order") ? ["order", order] : null
  const [poll] = waiting.poll
  return poll !== undefined && underWay < roomFor(limits, "poll") ? ["poll", poll] : null
}

const without = (queue: ReadonlyArray<Waiting>, id: number): ReadonlyArray<Waiting> =>
  queue.filter((call) => call.id !== id)

/** Takes a call from its queue. Nothing happens if it does not wait. */
export const withdraw = (state: State, id: number): State => ({
  ...state,
  waiting: { order: without(state.waiting.order, id), poll: without(state.waiting.poll, id) }
})

/** What comes next: a call starts, one has waited too long, or nothing until an instant (null: until something changes). */
export type Step =
  | { readonly _tag: "Started"; readonly id: number; readonly state: State }
  | { readonly _tag: "Expired"; readonly id: number; readonly state: State }
  | { readonly _tag: "Idle"; readonly until: number | null }

/** The next step at an instant. It is to be asked for again until it is `Idle`. */
export const next = (limits: Limits, state: State, now: number): Step => {
  const { order, poll } = state.waiting
  // The deadlines of a queue rise, so the first is the earliest.
  const deadlines = [order[0], poll[0]].flatMap((call) => (call === undefined ? [] : [call]))
  const expired = deadlines.find(({ deadline }) => deadline <= now)
  const turn = first(limits, state)
  if (turn !== null && state.nextAt <= now) {
    const [, { id }] = turn
    const started = { ...withdraw(state, id), underWay: state.underWay + 1, nextAt: now + interval(limits, state, now) }
    return { _tag: "Started", id, state: started }
  }
  if (expired !== undefined) return { _tag: "Expired", id: expired.id, state: withdraw(state, expired.id) }
  const instants = deadlines.map(({ deadline }) => deadline).concat(turn === null ? [] : [state.nextAt])
  return { _tag: "Idle", until: instants.length === 0 ? null : Math.min(...instants) }
}

/** A call that started has ended. */
export const leave = (state: State): State => ({ ...state, underWay: state.underWay - 1 })

/** The telco asks for fewer calls: the rate is halved, down to a thirty-second of the limit. */
export const slowDown = (limits: Limits, state: State, now: number): State => {
  if (now - state.slowdown.at < TOGETHER) return state
  const divisor = Math.min(LARGEST_DIVISOR, 2 * divisorAt(state, now))
  const slowed = { ...state, slowdown: { at: now, divisor } }
  return { ...slowed, nextAt: Math.max(state.nextAt, now + interval(limits, slowed, now)) }
}
