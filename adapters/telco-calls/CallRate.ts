/**
 * How many calls a telco gets, in each second and at once: a state machine, without a clock of its
 * own.
 *
 * Calls start one by one, evenly over the second, so that no window of a second has more than it
 * may. Orders start before polls, which also leave a quarter of the calls at once to orders. Of
 * each, organizations take turns: the next call is of the one with fewest under way, of these of
 * the one that has waited longest for its turn (rule W13). A call waits for its turn up to a bound;
 * one that could not come to its turn by then is refused at once. After the telco has asked for
 * fewer calls, the rate is halved, and doubles again in steps.
 *
 * Times are machine time, in milliseconds.
 */
import { Result } from "effect"
import { FairSlots } from "simplan"

/** Which calls go first. `order`: somebody waits for it. `poll`: it takes what the orders leave. */
export type Priority = "order" | "poll"

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
  /** Whose call it is; those of an empty id are the service's own. */
  readonly organizationId: string
  readonly deadline: number
}

/** What an organization has of a telco now. */
interface Line {
  readonly underWay: number
  /** How many calls had started when its last one did, or when it came. */
  readonly last: number
}

export interface State {
  readonly underWay: number
  /** Those with calls under way or waiting, by organization. */
  readonly lines: ReadonlyMap<string, Line>
  /** How many calls have started. */
  readonly started: number
  /** In the order in which they came. */
  readonly waiting: Readonly<Record<Priority, ReadonlyArray<Waiting>>>
  /** When the next call may start, at the earliest. */
  readonly nextAt: number
  /** When the telco last asked for fewer calls, and by how much the rate was divided then. */
  readonly slowdown: { readonly at: number; readonly divisor: number }
}

/** How long the rate stays divided before it doubles, in milliseconds. */
const RECOVERY = 5_000

/**
 * Demands within this time, in milliseconds, count once: they answer calls that were under way
 * together.
 */
const TOGETHER = 1_000

const LARGEST_DIVISOR = 32

export const initial: State = {
  underWay: 0,
  lines: new Map(),
  started: 0,
  waiting: { order: [], poll: [] },
  nextAt: Number.NEGATIVE_INFINITY,
  slowdown: { at: Number.NEGATIVE_INFINITY, divisor: 1 }
}

const divisorAt = ({ slowdown }: State, now: number): number =>
  Math.max(1, slowdown.divisor / 2 ** Math.floor((now - slowdown.at) / RECOVERY))

/** The time from one start to the next, in milliseconds. */
export const interval = (limits: Limits, state: State, now: number): number =>
  (1_000 / limits.callsPerSecond) * divisorAt(state, now)

/**
 * How many of those that wait come before a new call of the organization: its own, and as many of
 * each other one.
 */
const beforeIn = (queue: ReadonlyArray<Waiting>, organizationId: string): number => {
  const counts = new Map<string, number>()
  for (const one of queue) counts.set(one.organizationId, (counts.get(one.organizationId) ?? 0) + 1)
  const own = counts.get(organizationId) ?? 0
  let before = own
  for (const [id, count] of counts) if (id !== organizationId) before += Math.min(count, own + 1)
  return before
}

const before = ({ waiting: { order, poll } }: State, priority: Priority, organizationId: string): number =>
  priority === "order" ? beforeIn(order, organizationId) : order.length + beforeIn(poll, organizationId)

/** How long a new call would wait if none that is under way held it up, in milliseconds. */
const expectedWait = (
  limits: Limits,
  state: State,
  {
    now,
    organizationId,
    priority
  }: { readonly priority: Priority; readonly organizationId: string; readonly now: number }
): number => Math.max(0, state.nextAt - now) + before(state, priority, organizationId) * interval(limits, state, now)

/**
 * Lets a call wait for its turn. Fails with the seconds after which there may be a turn, if the
 * wait would be too long.
 */
export const enter = (
  limits: Limits,
  state: State,
  call: { readonly id: number; readonly priority: Priority; readonly organizationId: string; readonly now: number }
): Result.Result<State, number> => {
  const { id, now, organizationId, priority } = call
  const longest = limits.longestWait[priority]
  const wait = expectedWait(limits, state, call)
  if (wait > longest) return Result.fail(Math.ceil((wait - longest) / 1_000))
  const queue = [...state.waiting[priority], { id, organizationId, deadline: now + longest }]
  const line = state.lines.get(organizationId) ?? { underWay: 0, last: state.started }
  const lines = new Map(state.lines).set(organizationId, line)
  return Result.succeed({ ...state, lines, waiting: { ...state.waiting, [priority]: queue } })
}

const roomFor = ({ concurrency }: Limits, priority: Priority): number =>
  priority === "order" || concurrency === 1 ? concurrency : concurrency - Math.max(1, Math.floor(concurrency / 4))

/** The first call of the organization whose turn it is. */
const turnOf = (queue: ReadonlyArray<Waiting>, { lines }: State): Waiting | undefined => {
  const firsts = new Map<string, Waiting>()
  for (const one of queue) if (!firsts.has(one.organizationId)) firsts.set(one.organizationId, one)
  if (firsts.size < 2) return queue[0]
  const last = ({ organizationId }: Waiting) => lines.get(organizationId)?.last ?? 0
  const inOrder = [...firsts.values()].toSorted((left, right) => last(left) - last(right))
  return FairSlots.fewest(inOrder, ({ organizationId }) => lines.get(organizationId)?.underWay ?? 0)
}

/** The call whose turn is next, if one more may be under way. */
const first = (limits: Limits, state: State): Waiting | null => {
  const { underWay, waiting } = state
  const priority = waiting.order.length > 0 ? "order" : "poll"
  return underWay < roomFor(limits, priority) ? (turnOf(waiting[priority], state) ?? null) : null
}

const without = (queue: ReadonlyArray<Waiting>, id: number): ReadonlyArray<Waiting> =>
  queue.filter((call) => call.id !== id)

/** The state without lines that are empty. */
const pruned = (state: State): State => {
  const { lines, waiting } = state
  const kept = new Map<string, Line>()
  const waits = new Set([...waiting.order, ...waiting.poll].map(({ organizationId }) => organizationId))
  for (const [id, line] of lines) if (line.underWay > 0 || waits.has(id)) kept.set(id, line)
  return kept.size === lines.size ? state : { ...state, lines: kept }
}

const removed = (state: State, id: number): State => ({
  ...state,
  waiting: { order: without(state.waiting.order, id), poll: without(state.waiting.poll, id) }
})

/** Takes a call from its queue. Nothing happens if it does not wait. */
export const withdraw = (state: State, id: number): State => pruned(removed(state, id))

/**
 * What comes next: a call starts, one has waited too long, or nothing until an instant (null: until
 * something changes).
 */
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
    const { id, organizationId } = turn
    const started = state.started + 1
    const line = { underWay: (state.lines.get(organizationId)?.underWay ?? 0) + 1, last: started }
    const after = {
      ...removed(state, id),
      underWay: state.underWay + 1,
      lines: new Map(state.lines).set(organizationId, line),
      started,
      nextAt: now + interval(limits, state, now)
    }
    return { _tag: "Started", id, state: after }
  }
  if (expired !== undefined) return { _tag: "Expired", id: expired.id, state: withdraw(state, expired.id) }
  const instants = deadlines.map(({ deadline }) => deadline).concat(turn === null ? [] : [state.nextAt])
  return { _tag: "Idle", until: instants.length === 0 ? null : Math.min(...instants) }
}

/** A call of the organization that started has ended. */
export const leave = (state: State, organizationId: string): State => {
  const line = state.lines.get(organizationId)
  if (line === undefined) return { ...state, underWay: state.underWay - 1 }
  const lines = new Map(state.lines).set(organizationId, { ...line, underWay: line.underWay - 1 })
  return pruned({ ...state, underWay: state.underWay - 1, lines })
}

/** The telco asks for fewer calls: the rate is halved, down to a thirty-second of the limit. */
export const slowDown = (limits: Limits, state: State, now: number): State => {
  if (now - state.slowdown.at < TOGETHER) return state
  const divisor = Math.min(LARGEST_DIVISOR, 2 * divisorAt(state, now))
  const slowed = { ...state, slowdown: { at: now, divisor } }
  return { ...slowed, nextAt: Math.max(state.nextAt, now + interval(limits, slowed, now)) }
}
