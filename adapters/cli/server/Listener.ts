/**
 * Listens with the HTTP API of a server, and says in a sentence why it cannot.
 */
import { Context, Effect, Layer, Scope } from "effect"
import { RouteGroups, type Routes, Server } from "../../http/index.ts"
import { checkUrl } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible, systemCode } from "../output/CommandFailed.ts"
import type { Settings } from "../settings/Settings.ts"
import * as WebhookSettings from "../settings/WebhookSettings.ts"
import * as Tokens from "../settings/Tokens.ts"

/** How long a stop waits for requests; after that, jobs and the storage need time. */
const DRAIN = "5 seconds"

/** `variables` is the beginning of the names of the listener's settings. */
const unable = ({ cause, host, message, port }: Server.CannotListen, variables: string): CommandFailed => {
  switch (systemCode(cause)) {
    case "EADDRINUSE":
      return impossible(
        `Port ${port} on ${host} is in use: stop what listens there, or set ${variables}_PORT to another port (0 takes any that is free).`
      )
    case "EACCES":
      return impossible(`Port ${port} is not yours to listen on: set ${variables}_PORT to one above 1023.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return impossible(`${host} is no address of this machine: set ${variables}_HOST to one that is.`)
    default:
      return impossible(`${message}.`)
  }
}

// The wildcard address is for listening; a client needs a real one.
const callable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/**
 * Listens until the scope closes, with one listener for all, or with one for callers and one for operators. Returns the
 * addresses for clients; `adminUrl` is null where operators have no listener of their own. `ready`: whether the process
 * takes requests. `telcos`: those of the settings file, if there is one.
 */
export const listen = Effect.fnUntraced(function* (
  settings: Settings,
  tokens: Tokens.Tokens,
  ready: Effect.Effect<boolean>,
  telcos: Routes.Options["telcos"]
) {
  const { adminHost, adminPort, host, port } = settings
  // Listeners stop at the same time, so that two of them take no longer than one.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const open = (
    at: { readonly host: string; readonly port: number },
    groups: ReadonlyArray<RouteGroups.Group> | undefined,
    variables: string
  ) =>
    Layer.buildWithScope(
      Server.layer(
        {
          ...at,
          drainTimeout: DRAIN,
          connections: settings.maxConnections,
          connectionsOfAddress: settings.maxConnectionsOfAddress,
          unreadBytes: settings.maxUnreadBytes
        },
        {
          adminToken: Tokens.value(tokens.admin),
          telcoToken: Tokens.value(tokens.telco),
          rateLimit: settings.rateLimit,
          bounds: { requests: settings.maxRequestsPerKey },
          organizationShare: settings.organizationShare,
          trustedProxies: settings.trustedProxies,
          ready,
          groups,
          telcos,
          checkUrl: (url) => checkUrl(url, WebhookSettings.destinations(settings))
        }
      ),
      scope
    ).pipe(
      Effect.map((context) => callable(Context.get(context, Server.Server).url)),
      Effect.catchTag("CannotListen", (error) => unable(error, variables))
    )
  if (adminPort === null) return { url: yield* open({ host, port }, undefined, "SIMPLAN"), adminUrl: null }
  const url = yield* open({ host, port }, RouteGroups.callers, "SIMPLAN")
  return { url, adminUrl: yield* open({ host: adminHost, port: adminPort }, RouteGroups.operators, "SIMPLAN_ADMIN") }
})
