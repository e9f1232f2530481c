/**
 * The HTTP surface of a server, listening; and where it cannot listen, why not, in a sentence.
 */
import { Context, Effect, Layer } from "effect"
import { Server } from "../../http/index.ts"
import { checkUrl } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Tokens from "../settings/Tokens.ts"

/** How long stopping waits for requests; jobs and the storage need their time after that. */
const DRAIN = "5 seconds"

const code = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

const unable = ({ cause, host, message, port }: Server.CannotListen): CommandFailed => {
  switch (code(cause)) {
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

// Nobody calls an address that stands for all of them.
const callable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** Listens until the scope ends; gives the address to call. `ready` tells whether the process takes requests. */
export const listen = (
  { allowPrivateWebhooks, host, port, rateLimit }: Settings,
  tokens: Tokens.Tokens,
  ready: Effect.Effect<boolean>
) =>
  Layer.build(
    Server.layer(
      { host, port, drainTimeout: DRAIN },
      {
        adminToken: Tokens.value(tokens.admin),
        telcoToken: Tokens.value(tokens.telco),
        rateLimit,
        ready,
        checkUrl: (url) => checkUrl(url, { allowPrivateAddresses: allowPrivateWebhooks })
      }
    )
  ).pipe(
    Effect.map((context) => callable(Context.get(context, Server.Server).url)),
    Effect.catchTag("CannotListen", (error) => unable(error))
  )
