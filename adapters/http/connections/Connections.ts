/**
 * The connections of a server, and their bounds (rules W10 and W13): how many there are, what they
 * hold in memory, and how slow a reader may be.
 *
 * There are so many of one address at most, and so many in all. A new one beyond that takes the
 * place of another of its address, or of the address with the most: of one that is idle, rather
 * than one whose client has shown a key, the one that is idle for longest. If all of that
 * address are busy with a key, the new one is closed.
 *
 * A reader that is too slow is disconnected: in each span of the stall timeout in which it has
 * something to read, it has to read as much as `SLOWEST` comes to. It has read what the operating
 * system has taken.
 *
 * What connections hold for their readers is counted by address, API key and organization, and in
 * all (`UnreadBytes`). If an address, an organization or the process holds more than its bound,
 * connections are closed until it is within it: of the worst organization or address the one that
 * holds the most. Well before that, a key and an organization get no new answers (`hasRoom`).
 */
import { Duration, Effect, Metric, Schedule } from "effect"
import { readFileSync } from "node:fs"
import type * as Http from "node:http"
import type { Socket } from "node:net"
import type { Reader } from "../middleware/KeyLimits.ts"
import * as Requests from "../middleware/Requests.ts"
import * as Turns from "../Turns.ts"
import { Connection, type Holder, type Reason, reasons, type Shared } from "./Connection.ts"

/** The bytes per second that a reader takes at least, over the stall timeout. */
const SLOWEST = 1_024

/** How often connections are measured at least, in ms. */
const MEASURED = 1_000

/**
 * What is kept for the database, telcos, webhooks and files: this many, or a quarter of the limit.
 */
const KEPT = 128
const PART_KEPT = 1 / 4

/** The limit of open files of this process; undefined if the system does not show it. */
const fileLimit = (): number | undefined => {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/**
 * The most connections that the operating system's limit of open files leaves to a server, and
 * within `wanted`; 1 at least. If the limit is reached, the process can open neither a
 * connection to its database nor a file, and new clients are shut out.
 */
export const mostWithin = (wanted: number, files = fileLimit()): number =>
  files === undefined ? wanted : Math.max(1, Math.min(wanted, files - Math.max(KEPT, Math.ceil(files * PART_KEPT))))

/** What the connections of a process hold at most, in bytes. */
export const UNREAD_BYTES = 128 * 1_048_576

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

/** What the connections of one process hold. */
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

  /** Sets the bytes of a connection. If that passes a bound, connections are closed. */
  set(holder: Holder, bytes: number): void {
    const { network, reader } = holder
    const more = bytes - holder.bytes
    if (more === 0) return
    holder.bytes = bytes
    this.total += more
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
    let most: Holder | undefined
    for (const holder of this.#holders()) {
      const { bytes, network, reader } = holder
      const isOwn = sums === this.#addresses ? reader === null && network === name : reader?.organizationId === name
      if (isOwn && bytes > (most?.bytes ?? 0)) most = holder
    }
    if (most === undefined) this.#recount()
    else most.drop()
  }

  // If an account and the connections disagree, the connections are right.
  #recount(): void {
    this.total = 0
    for (const sums of [this.#addresses, this.#keys, this.#organizations]) sums.clear()
    for (const { bytes, network, reader } of this.#holders()) {
      this.total += bytes
      if (reader === null) add(this.#addresses, network, bytes)
      else {
        add(this.#keys, reader.key, bytes)
        add(this.#organizations, reader.organizationId, bytes)
      }
    }
  }
}

export interface Options {
  /** The most open connections. */
  readonly most: number
  /**
   * The most open connections of an address; if proxies pass the address of clients, there is no
   * such bound.
   */
  readonly mostOfAddress: number
  /** After how long a client that reads too little of its answer is disconnected. */
  readonly stallTimeout: Duration.Input
  /** The bytes that may wait for readers. */
  readonly unreadBytes: number
  /** How many proxies pass the client's address. */
  readonly trustedProxies: number
}

const openConnections = Metric.gauge("http_connections", { description: "Open connections of clients" })

const unreadBytes = Metric.gauge("http_unread_bytes", {
  description: "Bytes of answers that wait until clients read, and of what has arrived behind them"
})

const closedConnections = (reason: Reason) =>
  Metric.counter("http_connections_closed_total", {
    description: "Connections of clients that the server closed",
    attributes: { reason },
    incremental: true
  })

interface Reading {
  /** The bytes of the connection that the operating system had taken at the beginning of a span. */
  readonly taken: number
  /** When the span began, in ms of the process's clock. */
  readonly since: number
}

// The one that is given up first; none if all are busy with a key.
const leastNeeded = (some: Iterable<Connection>): Connection | undefined => {
  let least: Connection | undefined
  let leastRank = 2
  for (const one of some) {
    const rank = one.idleSince === undefined ? (one.hasKey ? 2 : 1.5) : one.hasKey ? 1 : 0
    const isIdleLonger = rank === leastRank && (one.idleSince ?? 0) < (least?.idleSince ?? 0)
    if (rank < leastRank || isIdleLonger) {
      least = one
      leastRank = rank
    }
  }
  return least
}

/** The connections of one server. */
export interface Connections {
  /** The connection of a socket of the server. */
  readonly of: (socket: Socket) => Connection
  readonly all: () => Iterable<Connection>
  readonly unread: UnreadBytes
  /** How many were opened so far. */
  readonly opened: () => number
  /** Stops all, and those that come later. */
  readonly stop: () => void
}

/** Follows the connections of a server until the scope ends. */
export const make = Effect.fnUntraced(function* (server: Http.Server, options: Options) {
  const connections = new Map<Socket, Connection>()
  const all = (): Iterable<Connection> => connections.values()
  const unread = new UnreadBytes(options.unreadBytes, all)
  const context = yield* Effect.context<never>()
  const mostOfAddress = options.trustedProxies > 0 ? Number.POSITIVE_INFINITY : options.mostOfAddress
  for (const reason of reasons) closedConnections(reason).updateUnsafe(0, context)
  const shared: Shared = {
    unread,
    onClose: (reason) => closedConnections(reason).updateUnsafe(1, context),
    turns: Turns.make(),
    turnsOfKeys: Turns.make(),
    networkOf: ({ headers, socket }) => {
      const header = headers["x-forwarded-for"]
      const forwarded = typeof header === "string" ? header : undefined
      const address = Requests.addressBehind(socket.remoteAddress ?? null, forwarded, options.trustedProxies)
      return address === null ? "" : Requests.network(address)
    }
  }
  const peers = new Map<string, Set<Connection>>()
  const forget = (connection: Connection): void => {
    if (!connections.delete(connection.socket)) return
    const { peer } = connection
    const same = peers.get(peer)
    same?.delete(connection)
    if (same?.size === 0) peers.delete(peer)
  }
  // Makes a place if there is none. False: there is none for a new connection of this address.
  const makePlace = (peer: string): boolean => {
    const ofPeer = peers.get(peer)
    const isOneTooMany = ofPeer !== undefined && ofPeer.size >= mostOfAddress
    if (!isOneTooMany && connections.size < options.most) return true
    let largest = ofPeer
    if (!isOneTooMany) for (const one of peers.values()) if (one.size > (largest?.size ?? 0)) largest = one
    const given = largest === undefined ? undefined : leastNeeded(largest)
    if (given === undefined) return false
    forget(given)
    given.close("too_many")
    return true
  }
  let opened = 0
  let isStopping = false
  const open = (socket: Socket): Connection => {
    opened += 1
    shared.turns.accepted()
    const address = Requests.addressBehind(socket.remoteAddress ?? null, undefined, 0)
    const peer = address === null ? "" : Requests.network(address)
    const hasPlace = makePlace(peer)
    const connection = new Connection(socket, peer, shared)
    connections.set(socket, connection)
    const same = peers.get(peer)
    if (same === undefined) peers.set(peer, new Set([connection]))
    else same.add(connection)
    socket.once("close", () => {
      forget(connection)
      connection.closed()
    })
    if (!hasPlace) connection.close("too_many")
    else if (isStopping) connection.stop()
    return connection
  }
  server.on("connection", open)

  const limitMillis = Duration.toMillis(Duration.fromInputUnsafe(options.stallTimeout))
  const least = (SLOWEST * limitMillis) / 1_000
  const readings = new WeakMap<Connection, Reading>()
  const measure = Effect.suspend(() => {
    const now = performance.now()
    for (const connection of connections.values()) {
      connection.count()
      if ((connection.current?.unread ?? 0) === 0) {
        readings.delete(connection)
        continue
      }
      const taken = connection.socket.bytesWritten - connection.socket.writableLength
      const before = readings.get(connection)
      if (before === undefined) readings.set(connection, { taken, since: now })
      else if (now - before.since >= limitMillis) {
        if (taken - before.taken < least) connection.close("slow_reader")
        else readings.set(connection, { taken, since: now })
      }
    }
    return Effect.andThen(Metric.update(openConnections, connections.size), Metric.update(unreadBytes, unread.total))
  })
  const interval = Math.min(limitMillis / 10, MEASURED)
  yield* measure
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(measure, interval), Schedule.forever))
  return {
    all,
    unread,
    of: (socket: Socket) => connections.get(socket) ?? open(socket),
    opened: () => opened,
    stop: () => {
      isStopping = true
      for (const connection of connections.values()) connection.stop()
    }
  } satisfies Connections
})
