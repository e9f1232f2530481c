/**
 * What the queues of jobs and of deliveries hand out.
 *
 * A row is open when it has no lease, or one that ended at or before the asker's machine time.
 */
import type { Time } from "simplan"
import type { Jobs } from "simplan/ports"
import type { Rows } from "../rows/index.ts"
import { byNumber, byText, type Order } from "./SortedList.ts"
import type { Queue, Waiting } from "./Table.ts"

interface At {
  readonly now: Time.Instant
  readonly machineNow: Time.Instant
}

const byPlace: Order<Jobs.Place> = (left, right) => byNumber(left.dueAt, right.dueAt) || byText(left.id, right.id)

const placeOf = ({ work: { dueAt, dueId: id } }: Waiting<Rows.Kind>): Jobs.Place => ({ dueAt, id })

const isHeld = ({ row: { lease } }: Waiting<Rows.Kind>, machineNow: Time.Instant): boolean =>
  lease !== null && lease.until > machineNow

const isEarlier = ({ row: { place } }: Waiting<Rows.Kind>, other: Waiting<Rows.Kind>): boolean =>
  (byNumber(place.position, other.row.place.position) || byText(place.id, other.row.place.id)) < 0

/** Of the rows about each subject the first. */
const firstOf = <K extends Rows.Kind>(queue: Queue<K>): ReadonlySet<Waiting<K>> => {
  const first = new Map<string, Waiting<K>>()
  for (const waiting of queue.after(null)) {
    const { subject } = waiting.work
    const known = subject === null ? undefined : first.get(subject)
    if (subject !== null && (known === undefined || isEarlier(waiting, known))) first.set(subject, waiting)
  }
  return new Set(first.values())
}

/** The queue in due order, without what waits for an earlier row about its subject. */
function* rows<K extends Rows.Kind>(queue: Queue<K>): Iterable<Waiting<K>> {
  let first: ReadonlySet<Waiting<K>> | undefined
  for (const waiting of queue.after(null)) {
    if (waiting.work.subject === null) yield waiting
    else {
      first ??= firstOf(queue)
      if (first.has(waiting)) yield waiting
    }
  }
}

function* due<K extends Rows.Kind>(queue: Queue<K>, now: Time.Instant): Iterable<Waiting<K>> {
  for (const waiting of rows(queue)) {
    if (waiting.work.dueAt > now) return
    yield waiting
  }
}

interface Share {
  readonly from: Jobs.Place | undefined
  limit: number
}

/** The rows that a claim takes, in due order. */
export const claim = <K extends Rows.Kind>(
  queue: Queue<K>,
  { from, limit, machineNow, now, shares }: Jobs.Claim
): ReadonlyArray<Waiting<K>> => {
  const all: Share = { from, limit }
  const left = new Map<string, Share>(shares?.map((share) => [share.partitionId, { ...share }]))
  const taken: Array<Waiting<K>> = []
  for (const waiting of due(queue, now)) {
    const share = shares === undefined ? all : left.get(waiting.work.partitionId)
    if (shares === undefined && all.limit === 0) break
    if (share === undefined || share.limit === 0 || isHeld(waiting, machineNow)) continue
    if (share.from !== undefined && byPlace(placeOf(waiting), share.from) < 0) continue
    share.limit -= 1
    taken.push(waiting)
  }
  return taken
}

/** Counts without a bound: in memory a count costs little. */
export const backlog = <K extends Rows.Kind>(queue: Queue<K>, { machineNow, now }: At): Jobs.Backlog => {
  const all = [...due(queue, now)]
  const open = all.filter((waiting) => !isHeld(waiting, machineNow))
  return { due: open.length, held: all.length - open.length, oldestDueAt: open[0]?.work.dueAt ?? null }
}

export const pending = <K extends Rows.Kind>(
  queue: Queue<K>,
  { from, machineNow, now }: Jobs.PendingQuery
): Jobs.Pending => {
  const { held } = backlog(queue, { now, machineNow })
  for (const waiting of rows(queue)) {
    const isAsked = from === undefined || byPlace(placeOf(waiting), from) >= 0
    if (isAsked && !isHeld(waiting, machineNow)) return { dueAt: waiting.work.dueAt, held }
  }
  return { dueAt: null, held }
}

export const partitions = <K extends Rows.Kind>(
  queue: Queue<K>,
  { after, limit, machineNow, now }: Jobs.PartitionQuery
): Jobs.Partitions => {
  const found = new Map<string, Jobs.Partition>()
  for (const waiting of due(queue, now)) {
    const { partitionId } = waiting.work
    if (partitionId <= after || found.has(partitionId) || isHeld(waiting, machineNow)) continue
    const { organizationId } = waiting.row.place
    found.set(partitionId, { partitionId, organizationId, first: placeOf(waiting) })
  }
  const all = [...found.values()].sort((left, right) => byText(left.partitionId, right.partitionId))
  const partitions = all.slice(0, limit)
  return { partitions, next: partitions.length < all.length ? (partitions.at(-1)?.partitionId ?? null) : null }
}
