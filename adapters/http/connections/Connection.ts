/**
 * A connection of a client: its requests, its answers, and what it holds in memory (rule W13).
 *
 * It has one request at a time. A request that arrives before the answer to the one before it has
 * begun is dropped with all behind it: that answer says `Connection: close`, and is the last. What
 * arrives later waits unparsed until the operating system has taken the answer. What has arrived is
 * parsed by `Turns`.
 *
 * It holds for its reader what the operating system has not taken of an answer, and what has
 * arrived behind its request. Both count for the organization whose key asked for the answer, or
 * else for the client's address.
 */
import { type IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Turns } from "../Turns.ts"
import type { Reader } from "../middleware/KeyLimits.ts"

/**
 * How much is parsed at a time, in bytes: Node's parser makes all requests of what it is given at
 * once. No request begins in the piece of a body before its end.
 */
const PIECE = { head: 512, body: 16_384 }

/**
 * How much of a body in chunks is parsed before it is read, in bytes: Node's parser makes an object
 * of each chunk, and its own bound counts what chunks hold. A body of one-byte chunks takes forty
 * times its bytes.
 */
const CHUNKED = 4_096

/**
 * How much of a large answer is given to the operating system at a time, in bytes: the least to a
 * reader that took longer than `SLOW` for the piece before.
 */
const SENT = { least: 8_192, most: 65_536 }

/** In ms. */
const SLOW = 1_000

const largeBytesOf = (chunk: unknown): Uint8Array | undefined => {
  if (typeof chunk === "string") return chunk.length > SENT.most ? Buffer.from(chunk) : undefined
  return chunk instanceof Uint8Array && chunk.byteLength > SENT.most ? chunk : undefined
}

/**
 * A response that gives a large body to the operating system piece by piece. So the bytes of it
 * that wait for their reader are known at any time, and a slow reader of a large answer makes
 * progress that can be measured.
 */
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /**
   * Runs when the whole answer was handed over; the operating system may have taken it by then, or
   * not.
   */
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

/** What a connection holds. */
export interface Holder {
  /** In bytes. */
  bytes: number
  /** For whom; null for the address. It changes while there are no bytes only. */
  readonly reader: Reader | null
  /** The client's address, or the network of an IPv6 address. It changes as the reader does. */
  readonly network: string
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
  readonly unread: { set(holder: Holder, bytes: number): void }
  /** The client's address, or the network of an IPv6 address. */
  readonly networkOf: (request: IncomingMessage) => string
  /** Of connections that have shown no key. */
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
 * How long a connection without a request stays open once the server stops, in ms: a request that a
 * client has sent by then may still be on its way.
 */
const GRACE = 100

/** How long a client may go on sending what is dropped after its last answer, in ms. */
const LINGER = 2_000

export class Connection implements Holder {
  readonly socket: Socket
  /** That of the last request; a proxy may send those of many clients. */
  network: string
  bytes = 0
  reader: Reader | null = null
  /** The address of the other end, which may be a proxy's; for an IPv6 address its network. */
  readonly peer: string
  /**
   * Since when there is no request on it, in ms of the process's clock; undefined while there is
   * one.
   */
  idleSince: number | undefined = performance.now()
  /** The organization of the last request that had a key. */
  #organizationId: string | undefined
  readonly #shared: Shared
  readonly #parser: Parser
  /** Whether what has arrived waits for its turn to be parsed. */
  #isDue = false
  #isTurn = false
  #isParsed = true
  /** Whether the answer under way is the last one, whatever has arrived behind its request. */
  #isLast = false
  /** The request whose body comes in chunks, and how much of it was parsed since it was read. */
  #chunked: IncomingMessage | undefined
  #unreadChunks = 0
  #current: Answer | undefined
  /** Hands the request that was just parsed to the routes. */
  #begin: (() => void) | undefined
  #gone: (() => void) | undefined
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

  /** Whether more has arrived than was handed to the routes. */
  get #hasMore(): boolean {
    return this.#isDue || this.#isParsing || this.socket.readableLength > 0
  }

  /** Whose turns it takes: an organization has the same turns from all of its addresses. */
  get #caller(): string {
    return this.#organizationId ?? this.network
  }

  /** The response to the request that was handed to the routes last, until it is gone. */
  get current(): Answer | undefined {
    return this.#current
  }

  /** Hands a request to the routes. One that is behind another one is dropped. */
  take(request: IncomingMessage, response: Answer, listener: Listener): void {
    if (this.socket.destroyed || this.endAfterAnswer()) return
    this.#latest = request
    this.#isBegun = false
    this.#chunked = "transfer-encoding" in request.headers ? request : undefined
    this.#unreadChunks = 0
    if (this.#chunked !== undefined) this.#readOn(request)
    this.#belongsTo(null, this.#shared.networkOf(request))
    this.#current = response
    this.idleSince = undefined
    response.onHanded = this.count
    response.isLast = () => this.#isLast || (this.#isStopping && !this.#hasMore)
    response.on("close", this.#ended)
    // What was parsed with it may hold another request, so its answer begins after that.
    this.#begin = () => listener(request, response)
  }

  /**
   * Answers what has arrived, and closes the connection after the last answer, which says so.
   * Without a request it is closed after `GRACE`.
   */
  stop(): void {
    this.#isStopping = true
    this.#closeWhenIdle()
  }

  /** Nothing that arrives is parsed any more. */
  discard(): void {
    this.#isParsed = false
  }

  /**
   * Makes the answer under way the last one: what has arrived behind its request is dropped. False
   * if none is under way, or its request has not arrived as a whole.
   */
  endAfterAnswer(): boolean {
    if (this.#current?.req.complete !== true) return false
    this.#isLast = true
    this.discard()
    this.socket.pause()
    // Node closes the connection at once, and with unread bytes the client may lose the answer.
    this.socket.destroySoon = () => {}
    return true
  }

  // Closes the connection after the last answer. What the client still sends is read and dropped.
  #linger(): void {
    const { socket } = this
    const timer = setTimeout(() => socket.destroy(), LINGER)
    socket.once("close", () => clearTimeout(timer))
    socket.end().resume()
  }

  /** The answer to the current request is for a reader. `then` runs when the answer is gone. */
  follow(reader: Reader, then: () => void): void {
    this.#belongsTo(reader, this.network)
    this.#organizationId = reader.organizationId
    this.#gone = then
  }

  /** Counts what the operating system has not taken of the answer, and what waits behind it. */
  readonly count = (): void => {
    if (this.socket.destroyed) return
    const isWaiting = this.#isBehind() || (this.#isDue && !this.hasKey)
    const unparsed = isWaiting ? this.socket.readableLength : 0
    this.#shared.unread.set(this, (this.#current?.unread ?? 0) + unparsed)
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
    this.#shared.unread.set(this, 0)
  }

  #belongsTo(reader: Reader | null, network: string): void {
    this.#shared.unread.set(this, 0)
    this.reader = reader
    this.network = network
    this.count()
  }

  #arrived(bytes: Uint8Array): void {
    if (!this.#isParsed) return
    // Whoever reads a body lets the socket flow, perhaps before `resume` is emitted.
    if (this.#isDue || this.#isHeld()) {
      this.#putBack(bytes)
      return
    }
    const turns = this.hasKey ? this.#shared.turnsOfKeys : this.#shared.turns
    if (this.#isTurn || turns.mayBegin()) {
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
    this.count()
  }

  #parse(bytes: Uint8Array): void {
    const { socket } = this
    let at = 0
    this.#isParsing = true
    do {
      const isNew = this.#latest?.complete !== false
      const size = isNew ? PIECE.head : this.#chunked === undefined ? PIECE.body : CHUNKED
      const piece = bytes.subarray(at, at + size)
      at += size
      this.#isBegun ||= isNew
      this.#parser(piece)
      this.#unreadChunks += piece.length
      if (this.#isChunkedFull()) socket.pause()
    } while (at < bytes.length && !this.#isHeld() && this.#isParsed && socket.writable && !socket.isPaused())
    this.#isParsing = false
    if (at < bytes.length && this.#isParsed && socket.writable) this.#putBack(bytes.subarray(at))
    const begin = this.#begin
    this.#begin = undefined
    if (socket.writable) begin?.()
  }

  /** Whether nothing more is to be parsed. What ends that resumes the socket. */
  #isHeld(): boolean {
    return this.#isBehind() || this.#isChunkedFull()
  }

  /** Whether what arrives is behind a request whose answer has begun, or is the last one. */
  #isBehind(): boolean {
    return this.#current?.req.complete === true && (this.#isLast || this.#current.headersSent)
  }

  /** Reads on, unless something else holds that up. */
  #goOn(): void {
    if (!this.#isDue && !this.#isHeld()) this.socket.resume()
  }

  /**
   * Goes on whenever what was parsed of a body in chunks is read. Node alone does not: once it has
   * asked the socket for more, it does not ask again before some more was parsed.
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
    this.count()
  }

  readonly #ended = (): void => {
    this.#current = undefined
    this.#belongsTo(null, this.network)
    this.idleSince = performance.now()
    const gone = this.#gone
    this.#gone = undefined
    gone?.()
    if (this.#isLast) this.#linger()
    else this.#goOn()
    this.#closeWhenIdle()
  }

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
}
