/**
 * Sends webhooks over HTTP: implements simplan's `WebhookSender` port (rules W6 and W7) on Node.
 *
 * Each call is signed with the time of the attempt. It ends within the time-out, follows no redirect, and goes
 * to no private address unless told to (see `Addresses`). Any response is a response: what its status means is for the
 * core to say. Signing keys appear in no message.
 */
import { Duration, Effect, Layer, Result } from "effect"
import { WebhookSender } from "simplan"
import * as Addresses from "./Addresses.ts"
import * as Post from "./Post.ts"
import * as Signature from "./Signature.ts"

export interface Options extends Addresses.Options {
  /** For a whole call, from the look-up of the name to the response's head; 15 s where absent. */
  readonly timeout?: Duration.Input
}

const make = ({ timeout = "15 seconds", ...options }: Options) =>
  Effect.gen(function* () {
    const post = yield* Post.make(options.allowPrivateAddresses === true ? {} : { lookup: Addresses.publicLookup })
    const limit = Duration.fromInputUnsafe(timeout)

    return WebhookSender.WebhookSender.of({
      send: ({ at, body, eventId, signingKeys, url }) =>
        Effect.gen(function* () {
          const target = Addresses.checkUrl(url, options)
          if (Result.isFailure(target)) {
            return yield* new WebhookSender.SendFailed({ message: `The URL ${target.failure}` })
          }
          const timestamp = Math.floor(at / 1000)
          const headers = {
            "content-type": "application/json",
            "user-agent": "simplan",
            [Signature.HEADER]: Signature.sign({ timestamp, body, signingKeys }),
            ...Signature.standardHeaders({ eventId, timestamp, body, signingKeys })
          }
          return yield* Effect.timeoutOrElse(post({ url: target.success, headers, body }), {
            duration: limit,
            orElse: () =>
              Effect.fail(new WebhookSender.SendFailed({ message: `No response within ${Duration.format(limit)}` }))
          })
        })
    })
  })

/** The sender, with connections of its own. */
export const layer = (options: Options = {}): Layer.Layer<WebhookSender.WebhookSender> =>
  Layer.effect(WebhookSender.WebhookSender, make(options))
