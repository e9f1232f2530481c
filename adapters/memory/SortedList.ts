/**
 * A list that is kept in a total order. Finding a place takes logarithmic time; a change moves what comes after it. The
 * first value is removed without moving the others: queues and purges take from there.
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

  /** The values after a place, ascending; all of them after null. The list must not change meanwhile. */
  *after(place: Place | null): Iterable<A> {
    const { length } = this.#values
    let at = place === null ? this.#first : this.#placeOf(place)
    if (place !== null && this.#isAt(at, place)) at++
    for (; at < length; at++) yield this.#values[at] as A
  }

  /** The values before a place, descending; all of them before null. The list must not change meanwhile. */
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
