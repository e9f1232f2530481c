/**
 * A queue of things that are held for a time: jobs, deliveries, and SIMs that can be claimed.
 *
 * A lease ends by itself, so at each question the queue is first brought to the asker's machine time: the leases that
 * are over since the last question open their things up again. That costs a step per ended lease, once, and not a
 * step per lease at every question.
 */
import type { Storage, Time } from "simplan"
import { byNumber } from "./Order.ts"
import { type Order, SortedSet } from "./SortedSet.ts"

export interface Leased {
  readonly lease: Storage.Lease | null
}

const until = (thing: Leased): Time.Instant => thing.lease?.until ?? Number.NEGATIVE_INFINITY

export class Queue<A extends Leased> {
  // Without a lease, or with one that is over.
  readonly #open: SortedSet<A>
  // With a lease that goes on, by its end.
  readonly #held: SortedSet<A>
  // Those of #open whose lease is over, by its end: an asker whose clock is behind must find them held.
  readonly #over: SortedSet<A>
  #machineNow: Time.Instant = Number.NEGATIVE_INFINITY

  constructor(order: Order<A>) {
    const byEnd: Order<A> = (left, right) => byNumber(until(left), until(right)) || order(left, right)
    this.#open = new SortedSet(order)
    this.#held = new SortedSet(byEnd)
    this.#over = new SortedSet(byEnd)
  }

  get size(): number {
    return this.#open.size + this.#held.size
  }

  /** Adds a thing that is not in the queue. A thing that changes is removed before and added after. */
  add(thing: A): void {
    if (until(thing) > this.#machineNow) {
      this.#held.add(thing)
      return
    }
    this.#open.add(thing)
    if (thing.lease !== null) this.#over.add(thing)
  }

  remove(thing: A): void {
    if (thing.lease !== null && this.#held.delete(thing)) return
    this.#open.delete(thing)
    if (thing.lease !== null) this.#over.delete(thing)
  }

  /** The things that nobody holds at `machineNow`, in order. The queue must not change meanwhile. */
  open(machineNow: Time.Instant): Iterable<A> {
    this.#moveTo(machineNow)
    return this.#open.ascending(null)
  }

  /** The things that are held at `machineNow`, by the ends of their leases. The queue must not change meanwhile. */
  held(machineNow: Time.Instant): Iterable<A> {
    this.#moveTo(machineNow)
    return this.#held.ascending(null)
  }

  /** Everything that has a lease, whether it goes on or is over. */
  leased(): ReadonlyArray<A> {
    return [...this.#over.ascending(null), ...this.#held.ascending(null)]
  }

  #moveTo(machineNow: Time.Instant): void {
    this.#machineNow = machineNow
    for (let thing = this.#held.first(); thing !== undefined && until(thing) <= machineNow; ) {
      this.#held.delete(thing)
      this.#over.add(thing)
      this.#open.add(thing)
      thing = this.#held.first()
    }
    for (let thing = this.#over.last(); thing !== undefined && until(thing) > machineNow; ) {
      this.#over.delete(thing)
      this.#open.delete(thing)
      this.#held.add(thing)
      thing = this.#over.last()
    }
  }
}
