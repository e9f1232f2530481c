/**
 * Listens with the HTTP API of a server, and says in a sentence why it cannot.
 */
import { Context, Effect, Layer } from "effect"
import { Server } from "../../http/index.ts"
import { checkUrl } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible, systemCode } from "../output/CommandFailed.ts"
import type { Settings } from "../settings/Settings.ts"
import * as WebhookSettings from "../settings/WebhookSettings.ts"
import * as Tokens from "../settings/Tokens.ts"

/** How long a stop waits for requests; after that, jobs and the storage need time. */
const DRAIN = "5 seconds"

const unable = ({ cause, host, message, port }: Server.CannotListen): CommandFailed => {
  switch (systemCode(cause)) {
    case "EADDRINUSE":
      return impossible(
        `Port ${port} on ${host} is in use: stop what listens there, or set SIMPLAN_PORT to another port (0 takes any that is free).`
      )
    case "EACCES":
      return impossible(`Port ${port} is not yours to listen on: set SIMPLAN_PORT to one above 1023.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return impossible(`${host} is no address of this machine: set SIMPLAN_HOST to one that is.`)
    default:
      return impossible(`${message}.`)
  }
}

// The wildcard address is for listening; a client needs a real one.
const callable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** Listens until the scope closes. Returns the address for clients. `ready`: whether the process takes requests. */
export const listen = (settings: Settings, tokens: Tokens.Tokens, ready: Effect.Effect<boolean>) =>
  Layer.build(
    Server.layer(
      { host: settings.host, port: settings.port, drainTimeout: DRAIN },
      {
        adminToken: Tokens.value(tokens.admin),
        telcoToken: Tokens.value(tokens.telco),
        rateLimit: settings.rateLimit,
        ready,
        checkUrl: (url) => checkUrl(url, WebhookSettings.destinations(settings))
      }
    )
  ).pipe(
    Effect.map((context) => callable(Context.get(context, Server.Server).url)),
    Effect.catchTag("CannotListen", (error) => unable(error))
  )
