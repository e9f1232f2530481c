/**
 * How the texts of settings are read: times, addresses, ports, limits. Each reader returns
 * undefined for a text that is not allowed.
 */
import { Resolver } from "node:dns"
import { Duration, Redacted, Result } from "effect"
import { Time } from "simplan/ports"
import { TimeSpan } from "../../fields/index.ts"
import * as Postgres from "../../postgres/index.ts"

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

/** An address with TLS, or one of the same machine. */
export const secureUrl = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.includes(url.hostname)) ? url : undefined
}

export const trueOrFalse = (text: string): boolean | undefined =>
  text === "true" ? true : text === "false" ? false : undefined

export const host = (text: string): string | undefined => (/^[A-Za-z0-9._:%-]+$/.test(text) ? text : undefined)

export const port = (text: string): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

/** Null for none, undefined for a text that is no key. */
export const secretKeys = (text: string): Redacted.Redacted | null | undefined => {
  if (text === "") return null
  const keys = Redacted.make(text)
  return Result.isSuccess(Postgres.SecretKeys.parse(keys)) ? keys : undefined
}

/** `system`, or `virtual[:<ISO instant>]` for a clock that moves only when advanced. */
export type ClockSetting =
  | { readonly _tag: "System" }
  /**
   * `from` null: the clock continues at its stored time; on the first start, at the machine's time.
   */
  | { readonly _tag: "Virtual"; readonly from: Time.Instant | null }

export const clock = (text: string): ClockSetting | undefined => {
  if (text === "system") return { _tag: "System" }
  if (text === "virtual") return { _tag: "Virtual", from: null }
  if (!text.startsWith("virtual:")) return undefined
  const from = Time.fromIso(text.slice("virtual:".length))
  return from === undefined ? undefined : { _tag: "Virtual", from }
}

/** A comma list of ports; undefined for any other text. */
export const ports = (text: string): ReadonlyArray<number> | undefined => {
  const ports = text.split(",").map((port) => (/^ *[1-9]\d{0,4} *$/.test(port) ? Number(port) : Number.NaN))
  return ports.every((port) => port <= 65_535) ? ports : undefined
}

/** A comma list of name servers; null for none, undefined for any other text. */
export const servers = (text: string): ReadonlyArray<string> | null | undefined => {
  if (text === "") return null
  const servers = text.split(",").map((server) => server.trim())
  try {
    new Resolver().setServers(servers)
    return servers
  } catch {
    return undefined
  }
}

export interface RateLimit {
  readonly requests: number
  readonly window: Duration.Duration
}

/**
 * The limit of a rate: `<requests>/<window>`, such as `100/1s` or `100/s`, or `off`; undefined for
 * any other text.
 */
export const rate = (text: string): RateLimit | "off" | undefined => {
  if (text === "off") return "off"
  const [, requests, span = ""] = /^([1-9]\d{0,8})\/(\d{0,6}(?:ms|s|m|h))$/.exec(text) ?? []
  const window = TimeSpan.millis(span.replace(/^(?=\D)/, "1"))
  return requests === undefined || !window ? undefined : { requests: Number(requests), window: Duration.millis(window) }
}
