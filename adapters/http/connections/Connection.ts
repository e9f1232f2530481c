/**
 * A connection of a client: its requests in turn, its answers, and what it holds in memory (rule W13).
 *
 * What has arrived is parsed by `Turns`, and a request that was pipelined is handed to the routes when the operating system
 * has taken the answers to the earlier ones, by `Turns` too. While more than `AHEAD` requests wait, nothing more is parsed.
 *
 * It holds for its reader what the operating system has not taken of an answer, which counts for the organization whose key
 * asked for it, or else for the client's address; and requests that wait for that, which count for the address.
 */
import { type IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Turns } from "../Turns.ts"
import type { Reader } from "../middleware/KeyLimits.ts"

/** How many requests may wait for the answers to earlier ones before parsing pauses. */
const AHEAD = 16

/**
 * How much is parsed at a time, in bytes: Node's parser makes all requests of what it is given at once. Pieces of bodies and
 * of long heads, in which no request begins, grow to the most.
 */
const PIECE = { least: 512, most: 16_384 }

/**
 * How much of a body in chunks is parsed before it is read, in bytes: Node's parser makes an object of each chunk, and its own
 * bound counts what chunks hold. A body of one-byte chunks takes forty times its bytes.
 */
const CHUNKED = 4_096

/** About what a request that waits takes, in bytes: the objects of both, and those of a header beside its text. */
const WAITING = { request: 2_048, header: 64 }

const sizeOf = ({ rawHeaders, url = "" }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + WAITING.header, WAITING.request + url.length)

/**
 * How much of a large answer is given to the operating system at a time, in bytes: the least to a reader that took longer than
 * `SLOW` for the piece before.
 */
const SENT = { least: 8_192, most: 65_536 }

/** In ms. */
const SLOW = 1_000

const largeBytesOf = (chunk: unknown): Uint8Array | undefined => {
  if (typeof chunk === "string") return chunk.length > SENT.most ? Buffer.from(chunk) : undefined
  return chunk instanceof Uint8Array && chunk.byteLength > SENT.most ? chunk : undefined
}

/**
 * A response that gives a large body to the operating system piece by piece. So the bytes of it that wait for their reader are
 * known at any time, and a slow reader of a large answer makes progress that can be measured.
 */
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Runs when the whole answer was handed over; the operating system may have taken it by then, or not. */
  onHanded: (() => void) | undefined = undefined
  /** Whether the connection is to be closed after the answer, asked when its headers are sent. */
  isLast: (() => boolean) | undefined = undefined
  #rest: Uint8Array | undefined = undefined

  /** The bytes that the operating system has not taken yet. */
  get unread(): number {
    return this.writableLength + (this.#rest?.byteLength ?? 0)
  }

  override writeHead(...given: ReadonlyArray<unknown>): this {
    if (this.isLast?.() === true) this.setHeader("connection", "close")
    return Reflect.apply(super.writeHead, this, given)
  }

  override end(...given: ReadonlyArray<unknown>): this {
    const bytes = typeof given[1] === "string" ? undefined : largeBytesOf(given[0])
    if (bytes === undefined) Reflect.apply(super.end, this, given)
    else {
      this.#rest = bytes
      this.#send(given.slice(1))
    }
    this.onHanded?.()
    return this
  }

  #send(after: ReadonlyArray<unknown>, size = SENT.most): void {
    for (let rest = this.#rest; rest !== undefined && !this.destroyed; rest = this.#rest) {
      if (rest.byteLength <= size) {
        this.#rest = undefined
        Reflect.apply(super.end, this, [rest, ...after])
        return
      }
      this.#rest = rest.subarray(size)
      if (this.write(rest.subarray(0, size))) continue
      const began = performance.now()
      this.once("drain", () => this.#send(after, performance.now() - began > SLOW ? SENT.least : SENT.most))
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

/** What a connection holds. */
export interface Holder {
  /** The client's address, or the network of an IPv6 address. It changes while nothing counts for it only. */
  readonly network: string
  readonly answer: Held
  readonly requests: Held
  /** Closes the connection, and releases what it holds before it returns. */
  readonly drop: () => void
}

export type Listener = (request: IncomingMessage, response: Answer) => void

export const reasons = ["slow_reader", "unread", "too_many"] as const

/** Why the server closed a connection. */
export type Reason = (typeof reasons)[number]

/** What connections share. */
export interface Shared {
  readonly onClose: (reason: Reason) => void
  /** Counts what connections hold, and closes those that hold too much. */
  readonly unread: { set(holder: Holder, held: Held, bytes: number): void }
  /** The client's address, or the network of an IPv6 address. */
  readonly networkOf: (request: IncomingMessage) => string
  /** Of connections that have shown no key, and of requests that were pipelined. */
  readonly turns: Turns
  /** Of connections that have shown a key. */
  readonly turnsOfKeys: Turns
}

type Parser = (bytes: Uint8Array) => void

// Gives what arrives to another function than to Node's parser, and returns that.
const replaceParser = (socket: Socket, replacement: Parser): Parser => {
  const parsers = socket.listeners("data")
  socket.removeAllListeners("data").on("data", replacement)
  return (bytes) => {
    for (const parser of parsers) parser.call(socket, bytes)
  }
}

/**
 * Whether Node has stopped reading the socket: requests are pipelined behind an answer that waits for its reader. Node ends the
 * process if its parser is given anything then. It resumes the socket when the answer was taken.
 */
const isHeldByNode = (socket: Socket): boolean => Reflect.get(socket, "_paused") === true

/**
 * How long a connection without a request stays open once the server stops, in ms: a request that a client has sent by then may
 * still be on its way.
 */
const GRACE = 100

interface Waiting {
  readonly request: IncomingMessage
  readonly response: Answer
  readonly listener: Listener
  /** In bytes. */
  readonly size: number
}

export class Connection implements Holder {
  readonly socket: Socket
  /** That of the last request; a proxy may send those of many clients. */
  network: string
  readonly answer: Held = { bytes: 0, reader: null }
  readonly requests: Held = { bytes: 0, reader: null }
  /** The address of the other end, which may be a proxy's; for an IPv6 address its network. */
  readonly peer: string
  /** Since when there is no request on it, in ms of the process's clock; undefined while there is one. */
  idleSince: number | undefined = performance.now()
  /** The organization of the last request that had a key. */
  #organizationId: string | undefined
  readonly #shared: Shared
  readonly #parser: Parser
  /** Whether what has arrived waits for its turn to be parsed. */
  #isDue = false
  #isTurn = false
  #piece = PIECE.least
  #isParsed = true
  /** The request whose body is parsed, where it comes in chunks, and how much of it was parsed since it was read. */
  #chunked: IncomingMessage | undefined
  #unreadChunks = 0
  #current: Answer | undefined
  #waiting: Array<Waiting> = []
  #waitingBytes = 0
  #gone: (() => void) | undefined
  #last: (() => void) | undefined
  /** The request that was parsed last. */
  #latest: IncomingMessage | undefined
  #isParsing = false
  #isBegun = false
  #isStopping = false
  #grace: NodeJS.Timeout | undefined

  constructor(socket: Socket, peer: string, shared: Shared) {
    this.socket = socket
    this.peer = peer
    this.network = peer
    this.#shared = shared
    this.#parser = replaceParser(socket, (bytes) => this.#arrived(bytes))
    // Node resumes a socket for reasons of its own.
    socket.on("resume", () => {
      if (this.#isDue || this.#isHeld()) socket.pause()
    })
  }

  /** Whether a request on it had a key. */
  get hasKey(): boolean {
    return this.#organizationId !== undefined
  }

  /** Whether a part of a request has arrived, of which the routes know nothing yet. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Whether more has arrived than the requests that were handed to the routes. */
  get #hasMore(): boolean {
    return this.#waiting.length > 0 || this.#isDue || this.#isParsing || this.socket.readableLength > 0
  }

  /** Whose turns it takes: an organization has the same turns from all of its addresses. */
  get #caller(): string {
    return this.#organizationId ?? this.network
  }

  /** The response to the request that was handed to the routes last, until it is gone. */
  get current(): Answer | undefined {
    return this.#current
  }

  /** Hands a request to the routes, when it is its turn. */
  take(request: IncomingMessage, response: Answer, listener: Listener): void {
    if (this.socket.destroyed) return
    this.#latest = request
    this.#isBegun = false
    this.#piece = PIECE.least
    this.#chunked = "transfer-encoding" in request.headers ? request : undefined
    this.#unreadChunks = 0
    if (this.#chunked !== undefined) this.#readOn(request)
    if (this.#current === undefined && this.#waiting.length === 0) {
      // What waits to be parsed was counted for the address of the last one.
      this.#shared.unread.set(this, this.requests, 0)
      this.network = this.#shared.networkOf(request)
      this.#begin(request, response, listener)
      return
    }
    const size = sizeOf(request)
    this.#waitingBytes += size
    this.#waiting.push({ request, response, listener, size })
    if (this.#waiting.length >= AHEAD) this.socket.pause()
    this.#countWaiting()
  }

  /**
   * Answers what has arrived, and closes the connection after the last answer, which says so. Without a request it is closed
   * after `GRACE`.
   */
  stop(): void {
    this.#isStopping = true
    this.#closeWhenIdle()
  }

  /** Nothing that arrives is parsed any more. */
  discard(): void {
    this.#isParsed = false
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
    this.#organizationId = reader.organizationId
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
    this.#waitingBytes = 0
    this.#shared.unread.set(this, this.requests, 0)
    this.#shared.unread.set(this, this.answer, 0)
  }

  #arrived(bytes: Uint8Array): void {
    if (!this.#isParsed) return
    // Whoever reads a body lets the socket flow, perhaps before `resume` is emitted.
    if (this.#isDue || this.#isHeld()) {
      this.#putBack(bytes)
      return
    }
    if (this.#isTurn) {
      this.#parse(bytes)
      return
    }
    const turns = this.hasKey ? this.#shared.turnsOfKeys : this.#shared.turns
    if (turns.mayBegin()) {
      this.#parse(bytes)
      return
    }
    this.#isDue = true
    this.idleSince = undefined
    this.#putBack(bytes)
    turns.add(this.#caller, this.#parseInTurn)
  }

  // What is kept in the socket comes again, and before its end.
  #putBack(bytes: Uint8Array): void {
    this.socket.pause().unshift(bytes)
    this.#countWaiting()
  }

  #parse(bytes: Uint8Array): void {
    const { socket } = this
    let at = 0
    this.#isParsing = true
    do {
      const piece = at === 0 && bytes.length <= this.#piece ? bytes : bytes.subarray(at, at + this.#piece)
      at += this.#piece
      this.#piece = Math.min(2 * this.#piece, this.#chunked === undefined ? PIECE.most : CHUNKED)
      const isNew = this.#latest?.complete !== false
      this.#isBegun ||= isNew
      this.#parser(piece)
      this.#unreadChunks += piece.length
      if (this.#isChunkedFull()) socket.pause()
    } while (at < bytes.length && !this.#isHeld() && this.#isParsed && socket.writable && !socket.isPaused())
    this.#isParsing = false
    if (at < bytes.length && socket.writable) this.#putBack(bytes.subarray(at))
  }

  /** Whether nothing more is to be parsed. What ends that resumes the socket. */
  #isHeld(): boolean {
    return this.#waiting.length >= AHEAD || isHeldByNode(this.socket) || this.#isChunkedFull()
  }

  /** Reads on, unless something else holds that up. */
  #goOn(): void {
    if (!this.#isDue && !this.#isHeld()) this.socket.resume()
  }

  /**
   * Goes on whenever what was parsed of a body in chunks is read. Node alone does not: once it has asked the socket for more,
   * it does not ask again before some more was parsed.
   */
  #readOn(request: IncomingMessage): void {
    const read = request.read.bind(request)
    request.read = (size) => {
      const part: unknown = read(size)
      if (this.#chunked === request && this.#unreadChunks >= CHUNKED && request.readableLength === 0) this.#goOn()
      return part
    }
    // Node resumes the socket for a body that it has not parsed to its end.
    request.once("end", () => this.#chunked === request && this.#goOn())
  }

  /** Whether enough of a body in chunks waits to be read. */
  #isChunkedFull(): boolean {
    if (this.#chunked === undefined) return false
    if (this.#chunked.readableLength === 0) this.#unreadChunks = 0
    return this.#unreadChunks >= CHUNKED
  }

  readonly #parseInTurn = (): void => {
    const { socket } = this
    this.#isDue = false
    if (socket.destroyed) return
    this.#isTurn = true
    // Reading gives what the socket keeps to `#arrived` before it returns.
    socket.resume().read()
    this.#isTurn = false
    if (this.#current === undefined) this.idleSince ??= performance.now()
    this.#countWaiting()
  }

  #begin(request: IncomingMessage, response: Answer, listener: Listener): void {
    this.#current = response
    this.idleSince = undefined
    this.answer.reader = null
    response.onHanded = this.count
    response.isLast = this.#isLast
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
    if (this.#waiting.length > 0) this.#shared.turns.add(this.#caller, this.#next)
    else this.#last?.()
    this.#closeWhenIdle()
  }

  readonly #isLast = (): boolean => this.#isStopping && !this.#hasMore

  #isIdle(): boolean {
    return this.#current === undefined && !this.#isBegun && !this.#hasMore
  }

  #closeWhenIdle(): void {
    if (!this.#isStopping || this.#grace !== undefined || !this.#isIdle()) return
    // A loop that was held up runs its timers first, and reads from sockets between these two.
    const afterReading = (then: () => void) => setImmediate(() => setImmediate(then))
    this.#grace = setTimeout(() => {
      afterReading(() => {
        this.#grace = undefined
        if (this.#isIdle()) this.socket.destroySoon()
      })
    }, GRACE)
  }

  readonly #next = (): void => {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#waitingBytes -= next.size
    this.#countWaiting()
    // The earlier answer may have closed the connection.
    if (next.response.socket === null) return
    if (this.#waiting.length === AHEAD - 1) this.#goOn()
    this.#begin(next.request, next.response, next.listener)
  }

  #countWaiting(): void {
    const isBehind = this.#waiting.length >= AHEAD || (this.#isDue && !this.hasKey)
    const unparsed = isBehind ? this.socket.readableLength : 0
    this.#shared.unread.set(this, this.requests, this.#waitingBytes + unparsed)
  }
}
