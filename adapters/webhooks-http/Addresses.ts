/**
 * Which IP addresses webhooks may use (rule W7): those that the package `ipaddr.js` calls unicast, which excludes
 * loopback, private, link-local, shared, multicast and reserved ones. An IPv6 address has to lie in `2000::/3`, and not in
 * `3ffe::/16`.
 *
 * An IPv6 address with an IPv4 address in it (mapped, NAT64, 6to4) is judged by that one. Other forms of IPv4 in IPv6
 * (compatible, SIIT, ISATAP, Teredo) are refused, because they lead only to private networks or nowhere.
 */
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** The address at which Azure's hosts answer to their guests. It lies in a public range. */
const AZURE_HOST = "168.63.129.16"

const isPublic4 = (address: ipaddr.IPv4): boolean => address.range() === "unicast" && address.toString() !== AZURE_HOST

const ipv4Of = (high = 0, low = 0): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

const isCompatible = ({ parts }: ipaddr.IPv6): boolean => parts.slice(0, 6).every((part) => part === 0)

/** The interface identifier `0:5efe:a.b.c.d`, or `200:5efe:a.b.c.d`, under any prefix (RFC 5214). */
const isIsatap = ({ parts: [, , , , flags, mark] }: ipaddr.IPv6): boolean =>
  mark === 0x5efe && (flags === 0 || flags === 0x200)

const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/** All that IANA hands out as global unicast addresses; the rest is unassigned (RFC 4291, section 2.4). */
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
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv4 ? isPublic4(parsed) : isPublic6(parsed)
}
