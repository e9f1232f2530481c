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
  readonly laneId: string
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

  /** The rows that a claim takes, in due order, from then on under its lease. */
  claim({ from, limit, shares, token, until, ...at }: Jobs.Claim): ReadonlyArray<A> {
    const all: Share = { from, limit }
    const left = new Map<string, Share>(shares?.map((share) => [share.laneId, { ...share }]))
    const taken: Array<A> = []
    for (const { place, value } of this.#open(at)) {
      const share = shares === undefined ? all : left.get(place.laneId)
      if (shares === undefined && all.limit === 0) break
      if (share === undefined || share.limit === 0) continue
      if (share.from !== undefined && byPlace(place, share.from) < 0) continue
      share.limit -= 1
      taken.push(value)
    }
    for (const value of taken) this.put(value, { token, until })
    return taken
  }

  /** Gives rows that are leased with the token another end of their lease, or none at all. */
  lease(held: ReadonlyArray<{ readonly key: string; readonly token: string }>, until: Time.Instant | null): void {
    for (const { key, token } of held) {
      const row = this.#rows.get(key)
      if (row?.lease?.token === token) this.put(row.value, until === null ? null : { token, until })
    }
  }

  /** Ends every lease on due rows. */
  release({ now }: { readonly now: Time.Instant }): void {
    for (const { value } of [...this.#due(now)]) this.put(value, null)
  }

  pending({ from, machineNow, now }: Jobs.LookedFor): Jobs.Pending {
    const { held } = this.backlog({ now, machineNow })
    for (const row of this.#waiting.after(null)) {
      const isAsked = from === undefined || byPlace(row.place, from) >= 0
      if (isAsked && !isHeld(row, machineNow)) return { dueAt: row.place.dueAt, held }
    }
    return { dueAt: null, held }
  }

  lanes({ after, limit, ...at }: Jobs.LanesAsked): Jobs.Lanes {
    const found = new Map<string, Jobs.Lane>()
    for (const { place } of this.#open(at)) {
      const { dueAt, id, laneId, organizationId } = place
      if (laneId > after && !found.has(laneId)) found.set(laneId, { laneId, organizationId, first: { dueAt, id } })
    }
    const all = [...found.values()].sort((left, right) => byText(left.laneId, right.laneId))
    const lanes = all.slice(0, limit)
    return { lanes, next: lanes.length < all.length ? (lanes.at(-1)?.laneId ?? null) : null }
  }

  /** Counts without a bound: in memory nobody waits for a count. */
  backlog({ machineNow, now }: At): Jobs.Backlog {
    let [due, held] = [0, 0]
    let oldestDueAt: Time.Instant | null = null
    for (const row of this.#due(now)) {
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
export const port = <A, B, Held extends { readonly token: string }>(
  queue: Queue<A>,
  keyOf: (held: Held) => string,
  handOut: (value: A) => ReadonlyArray<B>
) => {
  const keyed = (held: ReadonlyArray<Held>) => held.map((one) => ({ key: keyOf(one), token: one.token }))
  return {
    claim: (claim: Jobs.Claim) => Effect.sync(() => queue.claim(claim).flatMap(handOut)),
    renew: ({ held, until }: { readonly held: ReadonlyArray<Held>; readonly until: Time.Instant }) =>
      Effect.sync(() => queue.lease(keyed(held), until)),
    pending: (at: Jobs.LookedFor) => Effect.sync(() => queue.pending(at)),
    lanes: (at: Jobs.LanesAsked) => Effect.sync(() => queue.lanes(at)),
    backlog: (at: At) => Effect.sync(() => queue.backlog(at)),
    release: (at: { readonly now: Time.Instant }) => Effect.sync(() => queue.release(at)),
    handBack: (held: ReadonlyArray<Held>) => Effect.sync(() => queue.lease(keyed(held), null))
  }
}
