/**
 * A queue of leased work, as the ports of jobs and of deliveries have it. Everything about leases is in here.
 *
 * A row is open when it has no lease, or one that ended at or before the asker's machine time.
 */
import { Effect } from "effect"
import type { Time } from "simplan"
import type { Jobs, Storage } from "simplan/ports"
import { byNumber, byText, type Order, SortedList } from "./SortedList.ts"

/** Where a row waits: its due time and id, its partition and its organization. */
export interface Place extends Jobs.Place {
  readonly partitionId: string
  readonly organizationId: string
}

export interface Row<A> {
  readonly value: A
  /** Null: it waits for nothing any more. */
  readonly place: Place | null
  readonly lease: Storage.Lease | null
}

interface Share {
  readonly from: Jobs.Place | undefined
  limit: number
}

interface At {
  readonly now: Time.Instant
  readonly machineNow: Time.Instant
}

type Waiting<A> = Row<A> & { readonly place: Place }

const byPlace: Order<Jobs.Place> = (left, right) => byNumber(left.dueAt, right.dueAt) || byText(left.id, right.id)

const isHeld = ({ lease }: Row<unknown>, machineNow: Time.Instant): boolean =>
  lease !== null && lease.until > machineNow

const isWaiting = <A>(row: Row<A>): row is Waiting<A> => row.place !== null

export class Queue<A> {
  readonly #keyOf: (value: A) => string
  readonly #placeOf: (value: A) => Place | null
  readonly #rows = new Map<string, Row<A>>()
  readonly #waiting = new SortedList<Waiting<A>>((left, right) => byPlace(left.place, right.place))

  constructor(keyOf: (value: A) => string, placeOf: (value: A) => Place | null) {
    this.#keyOf = keyOf
    this.#placeOf = placeOf
  }

  get(key: string): Row<A> | undefined {
    return this.#rows.get(key)
  }

  /** In no order. */
  values(): ReadonlyArray<A> {
    return Array.from(this.#rows.values(), ({ value }) => value)
  }

  /** Adds a row, or replaces the one with its key. */
  put(value: A, lease: Storage.Lease | null): void {
    const key = this.#keyOf(value)
    this.delete(key)
    const row: Row<A> = { value, place: this.#placeOf(value), lease }
    this.#rows.set(key, row)
    if (isWaiting(row)) this.#waiting.add(row)
  }

  delete(key: string): void {
    const known = this.#rows.get(key)
    if (known === undefined) return
    this.#rows.delete(key)
    if (isWaiting(known)) this.#waiting.delete(known)
  }

  /** Those that wait, in due order. */
  waiting(): ReadonlyArray<A> {
    return Array.from(this.#waiting.after(null), ({ value }) => value)
  }

  /** The rows of these values that a claim takes, in due order, from then on under its lease. */
  claim({ from, limit, shares, token, until, ...at }: Jobs.Claim, among?: ReadonlySet<A>): ReadonlyArray<A> {
    const all: Share = { from, limit }
    const left = new Map<string, Share>(shares?.map((share) => [share.partitionId, { ...share }]))
    const taken: Array<A> = []
    for (const { place, value } of this.#open(at)) {
      const share = shares === undefined ? all : left.get(place.partitionId)
      if (shares === undefined && all.limit === 0) break
      if (share === undefined || share.limit === 0 || among?.has(value) === false) continue
      if (share.from !== undefined && byPlace(place, share.from) < 0) continue
      share.limit -= 1
      taken.push(value)
    }
    for (const value of taken) this.put(value, { token, until })
    return taken
  }

  /** Gives rows that are leased with the token another end of their lease, or none at all. */
  lease(leases: ReadonlyArray<{ readonly key: string; readonly token: string }>, until: Time.Instant | null): void {
    for (const { key, token } of leases) {
      const row = this.#rows.get(key)
      if (row?.lease?.token === token) this.put(row.value, until === null ? null : { token, until })
    }
  }

  /** Ends every lease on due rows. */
  release({ now }: { readonly now: Time.Instant }): void {
    for (const { value } of [...this.#due(now)]) this.put(value, null)
  }

  pending({ from, machineNow, now }: Jobs.LookedFor, among?: ReadonlySet<A>): Jobs.Pending {
    const { held } = this.backlog({ now, machineNow }, among)
    for (const row of this.#waiting.after(null)) {
      const isAsked = (from === undefined || byPlace(row.place, from) >= 0) && among?.has(row.value) !== false
      if (isAsked && !isHeld(row, machineNow)) return { dueAt: row.place.dueAt, held }
    }
    return { dueAt: null, held }
  }

  partitions({ after, limit, ...at }: Jobs.PartitionQuery): Jobs.Partitions {
    const found = new Map<string, Jobs.Partition>()
    for (const { place } of this.#open(at)) {
      const { dueAt, id, partitionId, organizationId } = place
      if (partitionId > after && !found.has(partitionId))
        found.set(partitionId, { partitionId, organizationId, first: { dueAt, id } })
    }
    const all = [...found.values()].sort((left, right) => byText(left.partitionId, right.partitionId))
    const partitions = all.slice(0, limit)
    return { partitions, next: partitions.length < all.length ? (partitions.at(-1)?.partitionId ?? null) : null }
  }

  /** Counts without a bound: in memory nobody waits for a count. */
  backlog({ machineNow, now }: At, among?: ReadonlySet<A>): Jobs.Backlog {
    let [due, held] = [0, 0]
    let oldestDueAt: Time.Instant | null = null
    for (const row of this.#due(now)) {
      if (among?.has(row.value) === false) continue
      if (isHeld(row, machineNow)) held++
      else {
        due++
        oldestDueAt ??= row.place.dueAt
      }
    }
    return { due, held, oldestDueAt }
  }

  *#due(now: Time.Instant): Iterable<Waiting<A>> {
    for (const row of this.#waiting.after(null)) {
      if (row.place.dueAt > now) return
      yield row
    }
  }

  *#open({ machineNow, now }: At): Iterable<Waiting<A>> {
    for (const row of this.#due(now)) if (!isHeld(row, machineNow)) yield row
  }
}

/** The operations that the ports of jobs and of deliveries have in common. */
export const port = <A, B, Lease extends { readonly token: string }>(
  queue: Queue<A>,
  keyOf: (lease: Lease) => string,
  handOut: (value: A) => ReadonlyArray<B>
) => {
  const keyed = (leases: ReadonlyArray<Lease>) => leases.map((one) => ({ key: keyOf(one), token: one.token }))
  return {
    claim: (claim: Jobs.Claim) => Effect.sync(() => queue.claim(claim).flatMap(handOut)),
    renew: ({ leases, until }: { readonly leases: ReadonlyArray<Lease>; readonly until: Time.Instant }) =>
      Effect.sync(() => queue.lease(keyed(leases), until)),
    pending: (at: Jobs.LookedFor) => Effect.sync(() => queue.pending(at)),
    partitions: (at: Jobs.PartitionQuery) => Effect.sync(() => queue.partitions(at)),
    backlog: (at: At) => Effect.sync(() => queue.backlog(at)),
    release: (at: { readonly now: Time.Instant }) => Effect.sync(() => queue.release(at)),
    handBack: (leases: ReadonlyArray<Lease>) => Effect.sync(() => queue.lease(keyed(leases), null))
  }
}
