/**
 * The rows of one kind: by their keys, in their lists, and in the queues that they wait in, of
 * which jobs and deliveries are handed out.
 *
 * A row is open when it has no lease, or one that ended at or before the asker's machine time.
 */
import type { Time } from "simplan"
import type { Jobs, Storage } from "simplan/ports"
import { type Row, Rows } from "../rows/index.ts"

/**
 * A list that is kept in a total order. Finding a place takes logarithmic time; a change moves what
 * comes after it. The first value is removed without moving the others: queues and purges take from
 * there.
 */
export type Order<A> = (left: A, right: A) => number

export const byNumber: Order<number> = (left, right) => (left < right ? -1 : left > right ? 1 : 0)

export const byText: Order<string> = (left, right) => (left < right ? -1 : left > right ? 1 : 0)

/** The values are places themselves: places are what they are ordered by, and found by. */
export class SortedList<Place, A extends Place & {}> {
  readonly #order: Order<Place>
  readonly #values: Array<A | undefined> = []
  /** The index of the first value; what stands before it was removed. */
  #first = 0

  constructor(order: Order<Place>) {
    this.#order = order
  }

  /** Adds a value, in place of one that compares equal. */
  add(value: A): void {
    const at = this.#placeOf(value)
    this.#values.splice(at, this.#isAt(at, value) ? 1 : 0, value)
  }

  /** Removes the value that compares equal, if there is one. */
  delete(place: Place): void {
    const at = this.#placeOf(place)
    if (!this.#isAt(at, place)) return
    if (at > this.#first) {
      this.#values.splice(at, 1)
      return
    }
    this.#values[at] = undefined
    this.#first++
    if (this.#first * 2 < this.#values.length) return
    this.#values.splice(0, this.#first)
    this.#first = 0
  }

  get isEmpty(): boolean {
    return this.#values.length === 0
  }

  /**
   * The values after a place, ascending; all of them after null. The list must not change
   * meanwhile.
   */
  *after(place: Place | null): Iterable<A> {
    const { length } = this.#values
    let at = place === null ? this.#first : this.#placeOf(place)
    if (place !== null && this.#isAt(at, place)) at++
    for (; at < length; at++) yield this.#values[at] as A
  }

  /**
   * The values before a place, descending; all of them before null. The list must not change
   * meanwhile.
   */
  *before(place: Place | null): Iterable<A> {
    for (let at = place === null ? this.#values.length : this.#placeOf(place); at > this.#first; at--)
      yield this.#values[at - 1] as A
  }

  #isAt(at: number, place: Place): boolean {
    const found = this.#values[at]
    return found !== undefined && this.#order(found, place) === 0
  }

  // The index of the first value that does not come before the place.
  #placeOf(place: Place): number {
    let [low, high] = [this.#first, this.#values.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = this.#values[middle]
      if (found !== undefined && this.#order(found, place) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * A row with its place. Value and lease are set in place as long as the place stays: no list goes
 * by them.
 */
export interface Stored<K extends Rows.Kind> extends Row<K> {
  value: Rows.Kinds[K]
  readonly place: Rows.Place
  lease: Storage.Lease | null
}

/** A row in a list. */
interface Listed<K extends Rows.Kind> extends Storage.CreatedCursor {
  readonly row: Stored<K>
}

/** A row in a queue. */
interface Waiting<K extends Rows.Kind> {
  readonly work: Rows.Work
  readonly row: Stored<K>
}

interface Due {
  readonly work: Pick<Rows.Work, "dueAt" | "dueId">
}

/** A queue in due order. */
type Queue<K extends Rows.Kind> = SortedList<Due, Waiting<K>>

const byPosition: Order<Storage.CreatedCursor> = (left, right) =>
  byNumber(left.createdAt, right.createdAt) || byText(left.id, right.id)

const byDue: Order<Due> = ({ work: left }, { work: right }) =>
  byNumber(left.dueAt, right.dueAt) || byText(left.dueId, right.dueId)

const isSameList = (left: Rows.Listed | null, right: Rows.Listed | null): boolean =>
  left === right || (left?.list === right?.list && left?.position === right?.position && left?.id === right?.id)

const isSameWork = (left: Rows.Work | null, right: Rows.Work | null): boolean =>
  left === right ||
  (left?.queue === right?.queue &&
    left?.dueAt === right?.dueAt &&
    left?.dueId === right?.dueId &&
    left?.partitionId === right?.partitionId &&
    left?.subject === right?.subject)

/** Whether two rows of one key stand at the same place in every list. */
const isSamePlace = (left: Rows.Place, right: Rows.Place): boolean =>
  left.position === right.position && isSameList(left.also, right.also) && isSameWork(left.work, right.work)

/** Lists by their names, each there as long as it has something. */
class Lists<Place, A extends Place & {}> {
  readonly #order: Order<Place>
  readonly #lists = new Map<string, SortedList<Place, A>>()

  constructor(order: Order<Place>) {
    this.#order = order
  }

  get(name: string): SortedList<Place, A> {
    return this.#lists.get(name) ?? new SortedList(this.#order)
  }

  all(): Iterable<SortedList<Place, A>> {
    return this.#lists.values()
  }

  add(name: string, value: A): void {
    const list = this.get(name)
    list.add(value)
    this.#lists.set(name, list)
  }

  delete(name: string, place: Place): void {
    const list = this.get(name)
    list.delete(place)
    if (list.isEmpty) this.#lists.delete(name)
  }
}

export class Table<K extends Rows.Kind> {
  readonly #kind: K
  readonly #rows = new Map<string, Stored<K>>()
  /** Of each organization. */
  readonly lists = new Lists<Storage.CreatedCursor, Listed<K>>(byPosition)
  readonly also = new Lists<Storage.CreatedCursor, Listed<K>>(byPosition)
  readonly queues = new Lists<Due, Waiting<K>>(byDue)

  constructor(kind: K) {
    this.#kind = kind
  }

  // The ids of SIMs and jobs are unique in the whole service.
  #keyOf(id: string, organizationId: string): string {
    return this.#kind === "sim" || this.#kind === "job" ? id : `${organizationId} ${id}`
  }

  find(id: string, organizationId?: string): Stored<K> | undefined {
    const row = this.#rows.get(this.#keyOf(id, organizationId ?? ""))
    return organizationId === undefined || row?.place.organizationId === organizationId ? row : undefined
  }

  stored(value: Rows.Kinds[K], lease: Storage.Lease | null): Stored<K> {
    return { value, place: Rows.placeOf[this.#kind](value), lease }
  }

  /** Adds the row, or replaces the one of its key; gives that as it was. */
  put(row: Stored<K>): Stored<K> | undefined {
    const { also, id, organizationId, position: createdAt, work } = row.place
    const found = this.find(id, organizationId)
    if (found !== undefined && isSamePlace(found.place, row.place)) {
      const { lease, place, value } = found
      found.value = row.value
      found.lease = row.lease
      return { value, place, lease }
    }
    const known = this.delete(row.place)
    this.#rows.set(this.#keyOf(id, organizationId), row)
    this.lists.add(organizationId, { createdAt, id, row })
    if (also !== null) this.also.add(also.list, { createdAt: also.position, id: also.id, row })
    if (work !== null) this.queues.add(work.queue, { work, row })
    return known
  }

  /** Removes the row of that key, if it is there; gives it. */
  delete(key: Pick<Rows.Place, "id" | "organizationId">): Stored<K> | undefined {
    const known = this.find(key.id, key.organizationId)
    if (known === undefined) return undefined
    const { also, id, organizationId, position: createdAt, work } = known.place
    this.#rows.delete(this.#keyOf(id, organizationId))
    this.lists.delete(organizationId, { createdAt, id })
    if (also !== null) this.also.delete(also.list, { createdAt: also.position, id: also.id })
    if (work !== null) this.queues.delete(work.queue, { work })
    return known
  }
}

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
