/**
 * The settings of where webhooks may go (rule W7), and the parsers of their values.
 */
import { Resolver } from "node:dns"
import { Redacted } from "effect"
import { Destinations, type HttpSender, Proxy } from "../../webhooks-http/index.ts"
import * as Secrets from "./Secrets.ts"

export interface WebhookSettings {
  /** Lifts the limits on ports and addresses. */
  readonly allowPrivateWebhooks: boolean
  readonly webhookPorts: ReadonlyArray<number>
  readonly webhookHttpsOnly: boolean
  /** Null: webhooks are sent directly. */
  readonly webhookProxy: Proxy.Proxy | null
  /** Null: those of the machine. */
  readonly dnsServers: ReadonlyArray<string> | null
}

export const defaultPorts: string = Destinations.PORTS.join(",")

/** A comma list of ports; undefined for any other text. */
export const toPorts = (text: string): ReadonlyArray<number> | undefined => {
  const ports = text.split(",").map((port) => (/^ *[1-9]\d{0,4} *$/.test(port) ? Number(port) : Number.NaN))
  return ports.every((port) => port <= 65_535) ? ports : undefined
}

/** The URL of a proxy; null for none, undefined for any other text. */
export const toProxy = (text: string): Proxy.Proxy | null | undefined => (text === "" ? null : Proxy.parse(text))

/** A comma list of name servers; null for none, undefined for any other text. */
export const toServers = (text: string): ReadonlyArray<string> | null | undefined => {
  if (text === "") return null
  const servers = text.split(",").map((server) => server.trim())
  try {
    new Resolver().setServers(servers)
    return servers
  } catch {
    return undefined
  }
}

/** Which URLs the settings allow, when an endpoint is made and when a webhook is sent. */
export const destinations = ({
  allowPrivateWebhooks,
  webhookHttpsOnly,
  webhookPorts
}: WebhookSettings): Destinations.Options => ({
  allowPrivateAddresses: allowPrivateWebhooks,
  httpsOnly: webhookHttpsOnly,
  ports: webhookPorts
})

/** The options of the sender. */
export const sender = (settings: WebhookSettings): HttpSender.Options => ({
  ...destinations(settings),
  proxy: settings.webhookProxy,
  names: settings.dnsServers === null ? {} : { servers: settings.dnsServers }
})

/** Registers the password of the proxy, in each form in which it may be written. */
export const registerSecrets = ({ webhookProxy }: WebhookSettings): void => {
  if (webhookProxy === null || webhookProxy.credentials === null) return
  const credentials = Redacted.value(webhookProxy.credentials)
  Secrets.register(credentials.slice(credentials.indexOf(":") + 1))
  Secrets.register(Buffer.from(credentials).toString("base64"))
}
