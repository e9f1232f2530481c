/**
 * Which URLs and addresses webhooks may use.
 *
 * Unless private addresses are allowed, a webhook is not sent to a loopback, private, link-local, shared, multicast or
 * reserved address. This holds for addresses in the URL in any spelling, for addresses that a name resolves to, and for
 * IPv4 addresses in IPv6 ones (mapped, NAT64, 6to4). Names are checked with the addresses of the connection itself, so
 * that DNS rebinding has no effect. A name with one private address is refused. Ports are not restricted.
 */
import { lookup as resolve } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { Result } from "effect"

const privateNetworks4: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
]

const privateNetworks6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8]
]

/** The IPv4 network as two groups of an IPv6 address. */
const groups = (network: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = network.split(".").map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

const blocked = new BlockList()
for (const [network, prefix] of privateNetworks6) blocked.addSubnet(network, prefix, "ipv6")
for (const [network, prefix] of privateNetworks4) {
  blocked.addSubnet(network, prefix, "ipv4")
  blocked.addSubnet(`::ffff:${groups(network)}`, 96 + prefix, "ipv6")
  blocked.addSubnet(`64:ff9b::${groups(network)}`, 96 + prefix, "ipv6")
  blocked.addSubnet(`2002:${groups(network)}::`, 16 + prefix, "ipv6")
}

/** Whether webhooks must not use this IP address. True for text that is not an address. */
export const isPrivate = (address: string): boolean => {
  const family = isIP(address)
  return family === 0 || blocked.check(address, family === 6 ? "ipv6" : "ipv4")
}

export interface Options {
  /** Allows loopback and private addresses, for development. */
  readonly allowPrivateAddresses?: boolean
}

/** Checks a URL for webhooks without resolving its name. The failure is the end of the sentence "The URL …". */
export const checkUrl = (text: string, { allowPrivateAddresses = false }: Options = {}): Result.Result<URL, string> => {
  if (!URL.canParse(text)) return Result.fail("must be an absolute URL")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Result.fail("must start with https:// or http://")
  if (allowPrivateAddresses) return Result.succeed(url)
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  if (host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && isPrivate(host))) {
    return Result.fail("must not point to a loopback, private or reserved address")
  }
  return Result.succeed(url)
}

/** Resolves a name as Node does. Fails if one of its addresses is private. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error !== null) return callback(error, [])
    if (first === undefined || addresses.some(({ address }) => isPrivate(address))) {
      return callback(new Error(`${hostname} resolves to a loopback, private or reserved address`), [])
    }
    if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
