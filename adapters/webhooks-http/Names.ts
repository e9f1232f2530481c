/**
 * The addresses of host names, for the sender (rule W7). A slow or silent name server holds up only its own names.
 *
 * - `localhost` and the names under it are loopback, a name under `invalid` does not exist (RFC 6761), and names in the
 *   hosts file have its addresses. All others are asked for by DNS, as they are: no search domain is added.
 * - An answer is kept for its time to live, from 1 s to 5 min, and a failure for 5 s. Equal names share a query.
 * - At most 32 queries are young, which is to say under way for less than 0.5 s, and 256 are under way in all; the rest
 *   wait for the turn of their organization. Waiting and the query each have a time limit of 5 s.
 */
import type { LookupAddress } from "node:dns"
import { isIP } from "node:net"
import { isLocalhost } from "./Destinations.ts"
import * as DnsQuery from "./DnsQuery.ts"
import * as HostsFile from "./HostsFile.ts"
import * as QuerySlots from "./QuerySlots.ts"

const SECOND = 1_000
/** Bounds of how long an answer is kept, in milliseconds. */
const SHORTEST = SECOND
const LONGEST = 300 * SECOND
/** How long a failure is kept, in milliseconds. */
const FAILED = 5 * SECOND
/** How many names are kept. */
const KEPT = 10_000

export interface Options {
  /** Name servers such as `10.0.0.2` or `127.0.0.1:5353`; those of the machine by default. */
  readonly servers?: ReadonlyArray<string>
  /** The machine's by default. */
  readonly hostsFile?: string
  /** The time limit of a query, and of waiting for one; 5,000 by default. */
  readonly timeoutMillis?: number
}

/** Rejects with `DnsQuery.NotResolved`. The name is asked for in the turn of the organization (rule W13). */
export type Resolve = (name: string, organizationId: string) => Promise<ReadonlyArray<LookupAddress>>

interface Kept {
  readonly answer: Promise<ReadonlyArray<LookupAddress>>
  /** Infinity while the query is under way. */
  until: number
}

const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) })

const loopback = ["127.0.0.1", "::1"].map(toAddress)

export const make = ({ hostsFile, servers, timeoutMillis = 5 * SECOND }: Options = {}): Resolve => {
  const inHostsFile = HostsFile.open(hostsFile)
  const slots = QuerySlots.make(timeoutMillis)
  const known = new Map<string, Kept>()

  const query = (name: string, organizationId: string): Promise<ReadonlyArray<LookupAddress>> => {
    const answer = slots.run(organizationId, () =>
      DnsQuery.ask(name, { ...(servers === undefined ? {} : { servers }), timeoutMillis })
    )
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
    if (name === "invalid" || name.endsWith(".invalid")) throw new DnsQuery.NotResolved(hostname, "ENOTFOUND")
    const kept = known.get(name)
    if (kept !== undefined && performance.now() < kept.until) return kept.answer
    known.delete(name)
    return query(name, organizationId)
  }
}
