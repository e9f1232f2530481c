/**
 * One DNS query for the addresses of a name, A and AAAA at once, under a time limit.
 *
 * It goes through c-ares and not through `dns.lookup`, which occupies one of libuv's four threads for as long as a name
 * server is silent, and so holds up files, cryptography and every other look-up of the process.
 */
import { type LookupAddress, NODATA, NOTFOUND, type RecordWithTtl, Resolver, TIMEOUT } from "node:dns"

/** How long one try of a name server may take; c-ares tries three times, each time with twice as long. */
const TRY_MILLIS = 1_000
const TRIES = 3

/** How long the addresses of one family wait for those of the other, in milliseconds (RFC 8305). */
const GRACE = 50

export interface Options {
  /** Name servers such as `127.0.0.1:53`; those of the machine by default. */
  readonly servers?: ReadonlyArray<string>
  /** The time limit in milliseconds. */
  readonly timeoutMillis: number
}

export interface Answer {
  /** At least one; IPv4 first. */
  readonly addresses: ReadonlyArray<LookupAddress>
  /** The smallest time to live of the addresses. */
  readonly ttlSeconds: number
}

/** A name has no addresses, or no name server gave them. `code` is one of `node:dns`, such as `ENOTFOUND`. */
export class NotResolved extends Error {
  readonly code: string
  constructor(name: string, code: string) {
    super(`${name} does not resolve (${code})`)
    this.code = code
  }
}

/** Rejects with `NotResolved`. */
export const ask = (name: string, { servers, timeoutMillis }: Options): Promise<Answer> =>
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
