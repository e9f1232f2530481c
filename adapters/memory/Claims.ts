/**
 * Which pieces of work a claim takes out of a queue, and which lanes there are in it.
 */
import type { Jobs, Time } from "simplan"
import { byText } from "./Order.ts"
import type { Leased, Queue } from "./Queue.ts"

/** What work is known by. */
export interface Known {
  readonly dueAt: Time.Instant
  readonly id: string
  readonly laneId: string
  readonly organizationId: string
}

const isBefore = (left: Jobs.Place, right: Jobs.Place): boolean =>
  left.dueAt < right.dueAt || (left.dueAt === right.dueAt && byText(left.id, right.id) < 0)

/** What the claim takes, in due order; the queue is not changed. */
export const chosen = <A extends Leased>(queue: Queue<A>, known: (of: A) => Known, claim: Jobs.Claim): Array<A> => {
  const { from, shares } = claim
  const left = new Map(shares?.map((share) => [share.laneId, { from: share.from, limit: share.limit }]))
  const all = { from: from ?? null, limit: claim.limit }
  const taken: Array<A> = []
  for (const row of queue.open(claim.machineNow)) {
    const place = known(row)
    if (place.dueAt > claim.now || (shares === undefined && all.limit === 0)) break
    const share = shares === undefined ? all : left.get(place.laneId)
    if (share === undefined || share.limit === 0 || (share.from !== null && isBefore(place, share.from))) continue
    share.limit -= 1
    taken.push(row)
  }
  return taken
}

/** How many pieces of due work are held. */
export const heldCount = <A extends Leased>(
  queue: Queue<A>,
  known: (of: A) => Known,
  { machineNow, now }: { readonly machineNow: number; readonly now: number }
): number => {
  let held = 0
  for (const row of queue.held(machineNow)) if (known(row).dueAt <= now) held += 1
  return held
}

/** When the first piece of work that nobody holds is due. */
export const pending = <A extends Leased>(
  queue: Queue<A>,
  known: (of: A) => Known,
  { from, ...at }: Jobs.LookedFor
): Jobs.Pending => {
  const { machineNow } = at
  const held = heldCount(queue, known, at)
  for (const row of queue.open(machineNow)) {
    const place = known(row)
    if (from === undefined || !isBefore(place, from)) return { dueAt: place.dueAt, held }
  }
  return { dueAt: null, held }
}

/** The lanes with due work. */
export const lanes = <A extends Leased>(
  queue: Queue<A>,
  known: (of: A) => Known,
  { after, limit, machineNow, now }: Jobs.LanesAsked
): Jobs.Lanes => {
  const found = new Map<string, Jobs.Lane>()
  for (const row of queue.open(machineNow)) {
    const { dueAt, id, laneId, organizationId } = known(row)
    if (dueAt > now) break
    if (!found.has(laneId)) found.set(laneId, { laneId, organizationId, first: { dueAt, id } })
  }
  const following = [...found.values()]
    .filter(({ laneId }) => byText(laneId, after) > 0)
    .sort((left, right) => byText(left.laneId, right.laneId))
  const looked = following.slice(0, limit)
  return { lanes: looked, next: looked.length < following.length ? (looked.at(-1)?.laneId ?? null) : null }
}
