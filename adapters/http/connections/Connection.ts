/**
 * A connection of a client: its requests in turn, and what it holds in memory (rule W13).
 *
 * A request that was pipelined is handed to the routes when the operating system has taken the answers to the earlier
 * ones, and by `Turns`, as each request is until one on the connection has shown a key. While more than `AHEAD` requests wait, nothing more is read.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Answer } from "./Answer.ts"
import type { Turns } from "./Turns.ts"
import type { Held, Holder, Reader, UnreadBytes } from "./UnreadBytes.ts"

/** How many requests may wait for the answers to earlier ones before reading pauses. */
const AHEAD = 16

/** About what a request that waits takes, in bytes: its headers, and the objects of both. */
const WAITING = 3_072

export type Listener = (request: IncomingMessage, response: Answer) => void

export const reasons = ["slow_reader", "unread", "too_many"] as const

/** Why the server closed a connection. */
export type Reason = (typeof reasons)[number]

/** What connections share. */
export interface Shared {
  readonly onClose: (reason: Reason) => void
  readonly unread: UnreadBytes
  /** The client's address, or the network of an IPv6 address. */
  readonly networkOf: (request: IncomingMessage) => string
  readonly turns: Turns
}

interface Waiting {
  readonly request: IncomingMessage
  readonly response: Answer
  readonly listener: Listener
}

export class Connection implements Holder {
  readonly socket: Socket
  /** That of the last request; a proxy may send those of many clients. */
  network = ""
  readonly answer: Held = { bytes: 0, reader: null }
  readonly requests: Held = { bytes: 0, reader: null }
  /** The address of the other end, which may be a proxy's; for an IPv6 address its network. */
  readonly peer: string
  /** Since when there is no request on it, in ms of the process's clock; undefined while there is one. */
  idleSince: number | undefined = performance.now()
  /** Whether a request on it had a key. */
  hasKey = false
  readonly #shared: Shared
  #current: Answer | undefined
  #waiting: Array<Waiting> = []
  #gone: (() => void) | undefined
  #last: (() => void) | undefined

  constructor(socket: Socket, peer: string, shared: Shared) {
    this.socket = socket
    this.peer = peer
    this.#shared = shared
    // Node resumes a socket for reasons of its own.
    socket.on("resume", () => {
      if (this.#waiting.length >= AHEAD) socket.pause()
    })
  }

  /** The response to the request that was handed to the routes last, until it is gone. */
  get current(): Answer | undefined {
    return this.#current
  }

  /** Hands a request to the routes, when it is its turn. */
  take(request: IncomingMessage, response: Answer, listener: Listener): void {
    if (this.socket.destroyed) return
    const isFirst = this.#current === undefined && this.#waiting.length === 0
    if (isFirst) this.network = this.#shared.networkOf(request)
    if (isFirst && (this.hasKey || this.#shared.turns.mayBegin())) {
      this.#begin(request, response, listener)
      return
    }
    this.#waiting.push({ request, response, listener })
    if (this.#waiting.length >= AHEAD) this.socket.pause()
    this.#countWaiting()
    if (!isFirst) return
    this.idleSince = undefined
    this.#shared.turns.add(this.network, this.#next)
  }

  /** Runs something after the answers to all requests that have arrived as a whole. */
  afterAll(then: () => void): void {
    const { req } = this.#waiting.at(-1)?.response ?? this.#current ?? {}
    if (req?.complete === true) this.#last = then
    else then()
  }

  /** The answer to the current request is for a reader. `then` runs when the answer is gone. */
  follow(reader: Reader, then: () => void): void {
    this.answer.reader = reader
    this.hasKey = true
    this.#gone = then
  }

  /** Counts what the operating system has not taken of the answer. */
  readonly count = (): void => {
    if (this.#current !== undefined && !this.socket.destroyed)
      this.#shared.unread.set(this, this.answer, this.#current.unread)
  }

  drop(): void {
    this.close("unread")
  }

  /** Closes the connection, whatever is under way on it. */
  close(reason: Reason): void {
    if (!this.socket.destroyed) this.#shared.onClose(reason)
    this.socket.destroy()
    this.closed()
  }

  /** Releases everything. The connection is closed. */
  closed(): void {
    this.#waiting = []
    this.#countWaiting()
    this.#shared.unread.set(this, this.answer, 0)
  }

  #begin(request: IncomingMessage, response: Answer, listener: Listener): void {
    this.#current = response
    this.idleSince = undefined
    this.answer.reader = null
    response.onHanded = this.count
    response.on("close", this.#ended)
    listener(request, response)
  }

  readonly #ended = (): void => {
    this.#shared.unread.set(this, this.answer, 0)
    this.#current = undefined
    if (this.#waiting.length === 0) this.idleSince = performance.now()
    const gone = this.#gone
    this.#gone = undefined
    gone?.()
    if (this.#waiting.length > 0) this.#shared.turns.add(this.network, this.#next)
    else this.#last?.()
  }

  readonly #next = (): void => {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#countWaiting()
    // The earlier answer may have closed the connection.
    if (next.response.socket === null) return
    if (this.#waiting.length === AHEAD - 1) this.socket.resume()
    this.#begin(next.request, next.response, next.listener)
  }

  #countWaiting(): void {
    this.#shared.unread.set(this, this.requests, this.#waiting.length * WAITING)
  }
}
