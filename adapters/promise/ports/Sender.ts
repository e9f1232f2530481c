/**
 * How webhooks are sent, and to which URLs: over HTTP, by a function of the host's own, or not at all.
 */
import { Effect, Layer, Result } from "effect"
import { WebhookSender } from "simplan/ports"
import * as AdapterFailures from "../errors/AdapterFailures.ts"
import * as Arguments from "../Arguments.ts"
import type * as Logs from "../Logs.ts"
import type { Sender, WebhookOptions } from "../Options.ts"

/** The time limit of a call to the host's function, in milliseconds. */
const TIMEOUT = 15_000

type WebhookLayer = Layer.Layer<WebhookSender.WebhookSender, unknown>

/** How webhooks are sent. */
export interface Webhooks {
  readonly layer: () => Promise<WebhookLayer>
  /** Why webhooks may not go to a URL; undefined where they may. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
}

const loaded = () => import("../../webhooks-http/index.ts")

/** Over HTTP. */
export const http = ({ allowPrivateAddresses, httpsOnly, ports }: WebhookOptions): Webhooks => {
  const options = {
    ...(allowPrivateAddresses !== undefined && { allowPrivateAddresses }),
    ...(httpsOnly !== undefined && { httpsOnly }),
    ...(ports !== undefined && { ports })
  }
  return {
    layer: async () => (await loaded()).HttpSender.layer(options),
    checkUrl: async (url) => {
      const checked = (await loaded()).checkUrl(url, options)
      return Result.isFailure(checked) ? checked.failure : undefined
    }
  }
}

const anyUrl = async (url: string): Promise<string | undefined> =>
  URL.canParse(url) && /^https?:/i.test(url)
    ? undefined
    : "must be an absolute URL that starts with https:// or http://"

/** By a layer. */
export const by = (layer: WebhookLayer): Webhooks => ({ layer: async () => layer, checkUrl: anyUrl })

/** Not at all. */
export const off: Webhooks = {
  layer: async () =>
    Layer.succeed(WebhookSender.WebhookSender, {
      send: () => Effect.fail(new WebhookSender.SendFailed({ message: "createSimplan has the option webhooks: false" }))
    }),
  checkUrl: async () => "cannot be used, because createSimplan has the option webhooks: false"
}

/** By a function of the host's own. What it throws unexpectedly is logged with its stack. */
export const plain = (sender: Sender, log: Logs.Write): Webhooks => ({
  checkUrl: anyUrl,
  layer: async () => {
    const { Signature } = await loaded()
    const headersOf = ({ at, body, eventId, signingKeys }: WebhookSender.WebhookCall) => {
      const timestamp = Math.floor(at / 1000)
      return {
        "content-type": "application/json",
        "user-agent": "simplan",
        [Signature.HEADER]: Signature.sign({ timestamp, body, signingKeys }),
        ...Signature.standardHeaders({ eventId, timestamp, body, signingKeys })
      }
    }
    const failed = (error: unknown) => {
      const level = AdapterFailures.isConnection(error) ? "warn" : "error"
      log(level, "webhooks.send threw an error; the webhook is sent again", { err: error })
      const message = error instanceof Error && error.message !== "" ? error.message : Arguments.shown(error)
      return new WebhookSender.SendFailed({ message })
    }
    const late = new WebhookSender.SendFailed({ message: `No response within ${TIMEOUT / 1000} s` })
    return Layer.succeed(WebhookSender.WebhookSender, {
      send: (webhook) => {
        const { body, eventId, organizationId, url } = webhook
        return Effect.tryPromise({
          try: async (signal) => {
            const call = { organizationId, url, eventId, body, headers: headersOf(webhook) }
            const answer = await sender.send(call, { signal })
            if (!Number.isInteger(answer?.status)) {
              throw new TypeError(`send must resolve with { status: number }, not with ${Arguments.shown(answer)}`)
            }
            const excerpt = answer.body?.slice(0, WebhookSender.BODY_BYTES)
            return { status: answer.status, ...(excerpt !== undefined && { body: excerpt }) }
          },
          catch: failed
        }).pipe(Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.fail(late) }))
      }
    })
  }
})
