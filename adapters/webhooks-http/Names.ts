/**
 * The addresses of host names, for the sender (rule W7). A slow or silent name server holds up only
 * its own names.
 *
 * - `localhost` and the names under it are loopback, a name under `invalid` does not exist
 *   (RFC 6761), and names in the hosts file have its addresses. All others are asked for by DNS, as
 *   they are: no search domain is added.
 * - An answer is kept for its time to live, from 1 s to 5 min, and a failure for 5 s. Equal names
 *   share a query.
 * - At most 32 queries are young, which is to say under way for less than 0.5 s, and 256 are under
 *   way in all; the rest wait for the turn of their organization (rule W13). A query that takes
 *   long leaves its slot to the next one and goes on, so that names whose servers are silent do not
 *   hold up others. Waiting and the query each have a time limit of 5 s.
 * - A query goes through c-ares and not through `dns.lookup`, which occupies one of libuv's four
 *   threads for as long as a name server is silent, and so holds up files, cryptography and every
 *   other look-up of the process.
 */
import { type LookupAddress, NODATA, NOTFOUND, type RecordWithTtl, Resolver, TIMEOUT } from "node:dns"
import { readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"
import { FairSlots } from "simplan"
import { isLocalhost } from "./Destinations.ts"

const SECOND = 1_000
/** Bounds of how long an answer is kept, in milliseconds. */
const SHORTEST = SECOND
const LONGEST = 300 * SECOND
/** How long a failure is kept, in milliseconds. */
const FAILED = 5 * SECOND
/** How many names are kept. */
const KEPT = 10_000

/**
 * How long one try of a name server may take; c-ares tries three times, each time with twice as
 * long.
 */
const TRY_MILLIS = SECOND
const TRIES = 3
/** How long the addresses of one family wait for those of the other, in milliseconds (RFC 8305). */
const GRACE = 50

/** How many queries may be young, and for how long a query is, in milliseconds. */
const YOUNG = 32
const YOUNG_MILLIS = 500
/** How many queries may be under way, young or not. */
const ALL = 256
/** How many queries of one organization wait. */
const MOST_WAITING = 1_024

export interface Options {
  /** Name servers such as `10.0.0.2` or `127.0.0.1:5353`; those of the machine by default. */
  readonly servers?: ReadonlyArray<string>
  /** The machine's by default. */
  readonly hostsFile?: string
  /** The time limit of a query, and of waiting for one; 5,000 by default. */
  readonly timeoutMillis?: number
}

/**
 * Rejects with an error whose `code` is one of `node:dns`, such as `ENOTFOUND`. The name is asked
 * for in the turn of the organization (rule W13).
 */
export type Resolve = (name: string, organizationId: string) => Promise<ReadonlyArray<LookupAddress>>

/** The machine's hosts file. */
const HOSTS_FILE =
  process.platform === "win32" ? `${process.env["SystemRoot"]}\\System32\\drivers\\etc\\hosts` : "/etc/hosts"

/** How often the file is checked for a change, in milliseconds. */
const CHECK_INTERVAL = 1_000

const parseHosts = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const addresses = new Map<string, ReadonlyArray<string>>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((one) => one.toLowerCase())) {
      addresses.set(name, [...(addresses.get(name) ?? []), address])
    }
  }
  return addresses
}

/**
 * The IP addresses that the hosts file has for a name in lower case; empty if it has none. The file
 * is read again when it has changed, which is noticed within a second. One that cannot be read
 * counts as empty.
 */
const hostsIn = (path: string = HOSTS_FILE): ((name: string) => ReadonlyArray<string>) => {
  let checkedAt = Number.NEGATIVE_INFINITY
  let version = ""
  let addresses = parseHosts("")
  // Synchronous: a file of a few lines, once a second, without a thread of the pool.
  const check = (): void => {
    const found = statSync(path, { throwIfNoEntry: false })
    const current = found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`
    if (current === version) return
    addresses = parseHosts(found === undefined ? "" : readFileSync(path, "utf8"))
    version = current
  }
  return (name) => {
    const now = performance.now()
    if (now - checkedAt >= CHECK_INTERVAL) {
      checkedAt = now
      try {
        check()
      } catch {
        addresses = parseHosts("")
      }
    }
    return addresses.get(name) ?? []
  }
}

/** A name has no addresses, or no name server gave them. */
class NotResolved extends Error {
  readonly code: string
  constructor(name: string, code: string) {
    super(`${name} does not resolve (${code})`)
    this.code = code
  }
}

interface Answer {
  /** At least one; IPv4 first. */
  readonly addresses: ReadonlyArray<LookupAddress>
  /** The smallest time to live of the addresses. */
  readonly ttlSeconds: number
}

/** Asks by DNS for the addresses of a name, A and AAAA at once. Rejects with `NotResolved`. */
const ask = (name: string, servers: ReadonlyArray<string> | undefined, timeoutMillis: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    // A resolver of its own can be cancelled, and knows the name servers of now.
    const resolver = new Resolver({ timeout: TRY_MILLIS, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const found: { readonly 4: Array<RecordWithTtl>; readonly 6: Array<RecordWithTtl> } = { 4: [], 6: [] }
    let code: string = NODATA
    let unanswered = 2
    let isOver = false

    const end = (): void => {
      if (isOver) return
      isOver = true
      clearTimeout(limit)
      clearTimeout(grace)
      resolver.cancel()
      const ttls = [...found[4], ...found[6]].map(({ ttl }) => ttl)
      if (ttls.length === 0) {
        reject(new NotResolved(name, code))
        return
      }
      const addresses = ([4, 6] as const).flatMap((family) => found[family].map(({ address }) => ({ address, family })))
      resolve({ addresses, ttlSeconds: Math.min(...ttls) })
    }
    const limit = setTimeout(() => {
      code = TIMEOUT
      end()
    }, timeoutMillis)
    let grace: NodeJS.Timeout | undefined

    const answered =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, records: Array<RecordWithTtl>): void => {
        unanswered -= 1
        if (error === null) found[family].push(...records)
        else if (code === NODATA || error.code === NOTFOUND) code = error.code ?? NOTFOUND
        if (unanswered === 0) end()
        else if (found[family].length > 0) grace = setTimeout(end, GRACE)
      }
    resolver.resolve4(name, { ttl: true }, answered(4))
    resolver.resolve6(name, { ttl: true }, answered(6))
  })
/** No slot was free for as long as a query waits. */
class NoSlot extends Error {
  readonly code = TIMEOUT
  constructor() {
    super("Too many names are being resolved")
  }
}

/**
 * Runs a query when a slot is free, in the turn of its organization; rejects with `NoSlot` if
 * none is for as long as it waits. Organizations take turns at both bounds.
 */
const inSlots = (waitMillis: number) => {
  const all = FairSlots.make({ slots: ALL, mostWaiting: MOST_WAITING })
  const young = FairSlots.make({ slots: YOUNG, mostWaiting: MOST_WAITING })

  /** Waits for a slot until the instant; the slot is the caller's. */
  const take = (turns: FairSlots.FairSlots, organizationId: string, until: number): Promise<void> | undefined => {
    if (turns.tryTake(organizationId)) return undefined
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(limit)
        resolve()
      }
      const place: FairSlots.Waiting = { organizationId, isUrgent: false, begin }
      const leave = (): void => {
        turns.withdraw(place)
        reject(new NoSlot())
      }
      const limit = setTimeout(leave, Math.max(0, until - performance.now()))
      if (turns.enter(place)) return
      clearTimeout(limit)
      reject(new NoSlot())
    })
  }

  const mature = async <A>(organizationId: string, query: () => Promise<A>): Promise<A> => {
    let isYoung = true
    const grow = (): void => {
      if (isYoung) young.give(organizationId)
      isYoung = false
    }
    const growing = setTimeout(grow, YOUNG_MILLIS)
    try {
      return await query()
    } finally {
      clearTimeout(growing)
      grow()
    }
  }

  return async <A>(organizationId: string, query: () => Promise<A>): Promise<A> => {
    const until = performance.now() + waitMillis
    const waiting = take(all, organizationId, until)
    if (waiting !== undefined) await waiting
    try {
      const maturing = take(young, organizationId, until)
      if (maturing !== undefined) await maturing
      return await mature(organizationId, query)
    } finally {
      all.give(organizationId)
    }
  }
}

interface Kept {
  readonly answer: Promise<ReadonlyArray<LookupAddress>>
  /** Infinity while the query is under way. */
  until: number
}

const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) })

const loopback = ["127.0.0.1", "::1"].map(toAddress)

/** Makes what resolves names, and keeps their addresses. */
export const make = ({ hostsFile, servers, timeoutMillis = 5 * SECOND }: Options = {}): Resolve => {
  const inHostsFile = hostsIn(hostsFile)
  const inSlot = inSlots(timeoutMillis)
  const known = new Map<string, Kept>()

  const query = (name: string, organizationId: string): Promise<ReadonlyArray<LookupAddress>> => {
    const answer = inSlot(organizationId, () => ask(name, servers, timeoutMillis))
    const kept: Kept = { answer: answer.then(({ addresses }) => addresses), until: Number.POSITIVE_INFINITY }
    answer.then(
      ({ ttlSeconds }) => {
        kept.until = performance.now() + Math.min(Math.max(ttlSeconds * SECOND, SHORTEST), LONGEST)
      },
      () => {
        kept.until = performance.now() + FAILED
      }
    )
    const [oldest] = known.keys()
    if (known.size >= KEPT && oldest !== undefined) known.delete(oldest)
    known.set(name, kept)
    return kept.answer
  }

  return async (hostname, organizationId) => {
    const name = hostname.toLowerCase().replace(/\.$/, "")
    if (isIP(name) !== 0) return [toAddress(name)]
    if (isLocalhost(name)) return loopback
    const listed = inHostsFile(name)
    if (listed.length > 0) return listed.map(toAddress)
    if (name === "invalid" || name.endsWith(".invalid")) throw new NotResolved(hostname, "ENOTFOUND")
    const kept = known.get(name)
    if (kept !== undefined && performance.now() < kept.until) return kept.answer
    known.delete(name)
    return query(name, organizationId)
  }
}
