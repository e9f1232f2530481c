/**
 * The network address of a client. `X-Forwarded-For` counts only as far as proxies are trusted: anybody can send it.
 */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isIP } from "node:net"

// A socket that listens on IPv6 shows IPv4 addresses in their mapped form.
const plain = (address: string): string =>
  address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address

/**
 * The address of the client; null where it is unknown. Each of the trusted proxies adds to the header the address that
 * called it, so the client's is that many places from its end. If that is no address, it is the connection's.
 */
export const of = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): string | null =>
  named(Option.getOrNull(request.remoteAddress), request.headers["x-forwarded-for"], trustedProxies)

/** Likewise, from the connection's address and the header. */
export const named = (connected: string | null, header: string | undefined, trustedProxies: number): string | null => {
  const forwarded = trustedProxies === 0 ? undefined : header
  const last = forwarded?.split(",").at(-trustedProxies)?.trim() ?? ""
  const address = isIP(last) === 0 ? connected : last
  return address === null ? null : plain(address)
}

const GROUPS = 8

/** What limits go by: an IPv4 address, or the /64 network of an IPv6 address, all of which one client may have. */
export const network = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => "0")
  const prefix = [...head, ...zeros, ...tail].slice(0, GROUPS / 2)
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}
