/**
 * A sorted set: values in a total order, with look-up, insertion and removal in logarithmic time and walks from any
 * place in both directions.
 *
 * The values lie in a list of short sorted arrays (chunks). A change moves the values of one chunk only, so a set of
 * millions costs about as much per change as a small one, whether it grows at its end, as lists by creation do, or
 * shrinks at its beginning, as queues do.
 */
export type Order<A> = (left: A, right: A) => number

const CHUNK = 512

/** The first index of a sorted array at which `isBefore` no longer holds. */
const boundary = <A extends {}>(values: ReadonlyArray<A>, isBefore: (value: A) => boolean): number => {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const value = values[middle]
    if (value !== undefined && isBefore(value)) low = middle + 1
    else high = middle
  }
  return low
}

export class SortedSet<A extends {}> {
  readonly #order: Order<A>
  // No chunk is empty.
  readonly #chunks: Array<Array<A>> = []
  #size = 0

  constructor(order: Order<A>) {
    this.#order = order
  }

  get size(): number {
    return this.#size
  }

  /** Adds a value, in place of one that compares equal. */
  add(value: A): void {
    const last = this.#chunks.length - 1
    const found = this.#chunkOf(value)
    // Beyond the end: the last chunk takes it.
    const at = found > last ? last : found
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#chunks.push([value])
      this.#size++
      return
    }
    const index = found > last ? chunk.length : this.#indexIn(chunk, value)
    if (this.#isAt(chunk, index, value)) {
      chunk[index] = value
      return
    }
    chunk.splice(index, 0, value)
    this.#size++
    if (chunk.length > 2 * CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK))
  }

  /** Removes the value that compares equal; tells whether there was one. */
  delete(value: A): boolean {
    const at = this.#chunkOf(value)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return false
    const index = this.#indexIn(chunk, value)
    if (!this.#isAt(chunk, index, value)) return false
    chunk.splice(index, 1)
    this.#size--
    if (chunk.length === 0) this.#chunks.splice(at, 1)
    return true
  }

  first(): A | undefined {
    return this.#chunks[0]?.[0]
  }

  last(): A | undefined {
    return this.#chunks.at(-1)?.at(-1)
  }

  /** The values after `start`, ascending; all of them where it is null. The set must not change meanwhile. */
  *ascending(start: A | null): Generator<A, void> {
    const from = start === null ? 0 : this.#chunkOf(start)
    for (let at = from, chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[++at]) {
      const skip = at === from && start !== null ? boundary(chunk, (value) => this.#order(value, start) <= 0) : 0
      if (skip === 0) yield* chunk
      else yield* chunk.slice(skip)
    }
  }

  /** The values before `start`, descending; all of them where it is null. The set must not change meanwhile. */
  *descending(start: A | null): Generator<A, void> {
    const end = this.#chunks.length - 1
    const from = start === null ? end : Math.min(this.#chunkOf(start), end)
    for (let at = from, chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[--at]) {
      const stop = at === from && start !== null ? this.#indexIn(chunk, start) : chunk.length
      yield* chunk.slice(0, stop).reverse()
    }
  }

  // The first chunk that does not end before the value: the one that has it, if any has.
  #chunkOf(value: A): number {
    return boundary(this.#chunks, (chunk) => {
      const last = chunk.at(-1)
      return last !== undefined && this.#order(last, value) < 0
    })
  }

  #indexIn(chunk: ReadonlyArray<A>, value: A): number {
    return boundary(chunk, (other) => this.#order(other, value) < 0)
  }

  #isAt(chunk: ReadonlyArray<A>, index: number, value: A): boolean {
    const found = chunk[index]
    return found !== undefined && this.#order(found, value) === 0
  }
}
