/**
 * Where webhooks may go (rule W7): which schemes, ports and IP addresses their URLs may have.
 *
 * Addresses are those that the package `ipaddr.js` calls unicast, which excludes loopback, private,
 * link-local, shared, multicast and reserved ones. An IPv6 address has to lie in `2000::/3`, and
 * not in `3ffe::/16`. One with an IPv4 address in it (mapped, NAT64, 6to4) is judged by that one.
 * Other forms of IPv4 in IPv6 (compatible, SIIT, ISATAP, Teredo) are refused, because they lead
 * only to private networks or nowhere.
 *
 * Names are not resolved here. The sender checks the addresses that a name resolves to when it
 * connects, and connects to the addresses that it has checked, so that DNS rebinding has no effect.
 */
import { isIP } from "node:net"
import { Result } from "effect"
import ipaddr from "ipaddr.js"

/** The address at which Azure's hosts answer to their guests. It lies in a public range. */
const AZURE_HOST = "168.63.129.16"

const isPublic4 = (address: ipaddr.IPv4): boolean => address.range() === "unicast" && address.toString() !== AZURE_HOST

const ipv4Of = (high = 0, low = 0): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

const isCompatible = ({ parts }: ipaddr.IPv6): boolean => parts.slice(0, 6).every((part) => part === 0)

/**
 * The interface identifier `0:5efe:a.b.c.d`, or `200:5efe:a.b.c.d`, under any prefix (RFC 5214).
 */
const isIsatap = ({ parts: [, , , , flags, mark] }: ipaddr.IPv6): boolean =>
  mark === 0x5efe && (flags === 0 || flags === 0x200)

const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/**
 * All that IANA hands out as global unicast addresses; the rest is unassigned (RFC 4291,
 * section 2.4).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** The 6bone's, which is returned and not assigned again (RFC 3701). */
const sixBone = ipaddr.IPv6.parseCIDR("3ffe::/16")

const isPublic6 = (address: ipaddr.IPv6): boolean => {
  const { parts } = address
  if (isCompatible(address) || isIsatap(address)) return false
  if (address.isIPv4MappedAddress() || address.match(nat64)) return isPublic4(ipv4Of(parts[6], parts[7]))
  const range = address.range()
  if (range === "6to4") return isPublic4(ipv4Of(parts[1], parts[2]))
  return range === "unicast" && address.match(globalUnicast) && !address.match(sixBone)
}

/** Whether webhooks may use this IP address. False for text that is not an address. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv4 ? isPublic4(parsed) : isPublic6(parsed)
}

/** The ports that webhooks may use unless others are set. */
export const PORTS: ReadonlyArray<number> = [80, 443, 8080, 8443]

/** Where webhooks may go (rule W7). */
export interface Options {
  /** Allows loopback and private addresses, and all ports, for development. */
  readonly allowPrivateAddresses?: boolean
  /** Refuses `http://`; false by default. */
  readonly httpsOnly?: boolean
  /** `PORTS` by default. */
  readonly ports?: ReadonlyArray<number>
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

/** Whether this name leads to the machine itself (RFC 6761). */
export const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost")

/** Checks a URL for webhooks. The failure is the end of the sentence "The URL …". */
export const checkUrl = (text: string, options: Options = {}): Result.Result<URL, string> => {
  const { allowPrivateAddresses = false, httpsOnly = false, ports = PORTS } = options
  if (!URL.canParse(text)) return Result.fail("must be an absolute URL")
  const url = new URL(text)
  if (httpsOnly && url.protocol !== "https:") return Result.fail("must start with https://")
  if (url.protocol !== "https:" && url.protocol !== "http:") return Result.fail("must start with https:// or http://")
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  if (host.split(".").includes("")) return Result.fail("must have a host name without empty parts")
  if (allowPrivateAddresses) return Result.succeed(url)
  if (isLocalhost(host) || (isIP(host) !== 0 && !isPublicAddress(host))) {
    return Result.fail("must not point to a loopback, private or reserved address")
  }
  if (!ports.includes(portOf(url))) return Result.fail(`must use one of the ports ${ports.join(", ")}`)
  return Result.succeed(url)
}
