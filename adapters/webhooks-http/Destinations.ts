/**
 * Which URLs webhooks may use (rule W7): scheme, port, and the address if the URL has one.
 *
 * Names are not resolved here. The sender checks the addresses that a name resolves to when it connects, and connects to
 * the addresses that it has checked, so that DNS rebinding has no effect.
 */
import { isIP } from "node:net"
import { Result } from "effect"
import * as Addresses from "./Addresses.ts"

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
  if (isLocalhost(host) || (isIP(host) !== 0 && !Addresses.isPublic(host))) {
    return Result.fail("must not point to a loopback, private or reserved address")
  }
  if (!ports.includes(portOf(url))) return Result.fail(`must use one of the ports ${ports.join(", ")}`)
  return Result.succeed(url)
}
