/**
 * The bounds of memory at the edge (rule W13): the bytes that connections hold for their readers, by address, API key and
 * organization, and in all.
 *
 * A connection holds what the operating system has not taken of its answer, which counts for the organization whose key
 * asked for it, or else for the client's address; and its requests that wait for that, which count for the address. Where
 * an address, an organization or the process holds more than its bound, connections are closed until it is within it: of
 * the worst organization or address the one that holds the most. Well before that, a key and an organization get no new
 * answers (`hasRoom`). `Answer` is the response whose bytes are counted: it gives them to the operating system in pieces.
 */
import * as Http from "node:http"
import type { Reader } from "../middleware/KeyLimits.ts"

/** The bytes of a piece. */
const PIECE = 65_536

/** The bytes of a piece for a reader that took longer than `SLOW` for the last one. */
const SMALL_PIECE = 8_192

/** In ms. */
const SLOW = 1_000

const bytesOf = (chunk: unknown): Uint8Array | undefined => {
  if (typeof chunk === "string") return chunk.length > PIECE ? Buffer.from(chunk) : undefined
  return chunk instanceof Uint8Array && chunk.byteLength > PIECE ? chunk : undefined
}

/**
 * A response that gives a large body to the operating system piece by piece. So the bytes of it that wait for their reader are
 * known at any time, and a slow reader of a large answer makes progress that can be measured.
 */
export class Answer<Request extends Http.IncomingMessage = Http.IncomingMessage> extends Http.ServerResponse<Request> {
  /** Runs when the whole answer was handed over; the operating system may have taken it by then, or not. */
  onHanded: (() => void) | undefined = undefined
  #rest: Uint8Array | undefined = undefined

  /** The bytes that the operating system has not taken yet. */
  get unread(): number {
    return this.writableLength + (this.#rest?.byteLength ?? 0)
  }

  override end(...given: ReadonlyArray<unknown>): this {
    const bytes = typeof given[1] === "string" ? undefined : bytesOf(given[0])
    if (bytes === undefined) Reflect.apply(super.end, this, given)
    else {
      this.#rest = bytes
      this.#send(given.slice(1))
    }
    this.onHanded?.()
    return this
  }

  #send(after: ReadonlyArray<unknown>, size = PIECE): void {
    for (let rest = this.#rest; rest !== undefined && !this.destroyed; rest = this.#rest) {
      if (rest.byteLength <= size) {
        this.#rest = undefined
        Reflect.apply(super.end, this, [rest, ...after])
        return
      }
      this.#rest = rest.subarray(size)
      if (this.write(rest.subarray(0, size))) continue
      const began = performance.now()
      this.once("drain", () => this.#send(after, performance.now() - began > SLOW ? SMALL_PIECE : PIECE))
      return
    }
  }
}

/** Something that a connection holds. */
export interface Held {
  /** In bytes. */
  bytes: number
  /** For whom; null for the address. It changes while there are no bytes only. */
  reader: Reader | null
}

/** A connection. */
export interface Holder {
  /** The client's address, or the network of an IPv6 address. It changes while nothing counts for it only. */
  readonly network: string
  readonly answer: Held
  readonly requests: Held
  /** Closes the connection, and releases what it holds before it returns. */
  readonly drop: () => void
}

/** What the process holds at most, in bytes. */
export const PRESET = 128 * 1_048_576

const PART_OF_ADDRESS = 1 / 4
const PART_OF_ORGANIZATION = 1 / 2

/** The parts of the process's bound from which on a key or an organization gets no new answers. */
const ROOM_OF_KEY = 1 / 8
const ROOM_OF_ORGANIZATION = 1 / 4

type Sums = Map<string, number>

const add = (sums: Sums, name: string, bytes: number): number => {
  const sum = (sums.get(name) ?? 0) + bytes
  if (sum === 0) sums.delete(name)
  else sums.set(name, sum)
  return sum
}

const worst = (sums: Sums): readonly [name: string, bytes: number] => {
  let most: readonly [string, number] = ["", 0]
  for (const one of sums) if (one[1] > most[1]) most = one
  return most
}

const organizationOf = ({ answer }: Holder): string | undefined => answer.reader?.organizationId

/** The bytes of one process. */
export class UnreadBytes {
  /** The bytes of the process. */
  total = 0
  readonly #bound: number
  readonly #holders: () => Iterable<Holder>
  readonly #addresses: Sums = new Map()
  readonly #keys: Sums = new Map()
  readonly #organizations: Sums = new Map()

  /** `holders` gives the open connections. */
  constructor(bound: number, holders: () => Iterable<Holder>) {
    this.#bound = bound
    this.#holders = holders
  }

  /** Whether a reader may be given another answer. */
  hasRoom({ key, organizationId }: Reader): boolean {
    return (
      (this.#keys.get(key) ?? 0) <= this.#bound * ROOM_OF_KEY &&
      (this.#organizations.get(organizationId) ?? 0) <= this.#bound * ROOM_OF_ORGANIZATION
    )
  }

  /** Sets the bytes of a part of a connection. Where that passes a bound, connections are closed. */
  set({ network }: Holder, held: Held, bytes: number): void {
    const more = bytes - held.bytes
    if (more === 0) return
    held.bytes = bytes
    this.total += more
    const { reader } = held
    if (reader === null) {
      const sum = add(this.#addresses, network, more)
      if (more > 0 && sum > this.#bound * PART_OF_ADDRESS) this.#shrink(this.#addresses, network)
    } else {
      add(this.#keys, reader.key, more)
      const sum = add(this.#organizations, reader.organizationId, more)
      if (more > 0 && sum > this.#bound * PART_OF_ORGANIZATION) this.#shrink(this.#organizations, reader.organizationId)
    }
    while (more > 0 && this.total > this.#bound) {
      const [address, ofAddress] = worst(this.#addresses)
      const [organization, ofOrganization] = worst(this.#organizations)
      if (ofAddress > ofOrganization) this.#shrink(this.#addresses, address)
      else this.#shrink(this.#organizations, organization)
    }
  }

  // Closes the connection that holds the most of an account.
  #shrink(sums: Sums, name: string): void {
    const isAddress = sums === this.#addresses
    let most: Holder | undefined
    let bytes = 0
    for (const holder of this.#holders()) {
      const own = isAddress ? holder.network === name : organizationOf(holder) === name
      if (!own) continue
      const held =
        isAddress && holder.answer.reader === null
          ? holder.answer.bytes + holder.requests.bytes
          : isAddress
            ? holder.requests.bytes
            : holder.answer.bytes
      if (held > bytes) {
        most = holder
        bytes = held
      }
    }
    if (most === undefined) this.#recount()
    else most.drop()
  }

  // Where an account and the connections disagree, the connections are right.
  #recount(): void {
    this.total = 0
    for (const sums of [this.#addresses, this.#keys, this.#organizations]) sums.clear()
    for (const { answer, network, requests } of this.#holders()) {
      for (const { bytes, reader } of [answer, requests]) {
        this.total += bytes
        if (reader === null) add(this.#addresses, network, bytes)
        else {
          add(this.#keys, reader.key, bytes)
          add(this.#organizations, reader.organizationId, bytes)
        }
      }
    }
  }
}
