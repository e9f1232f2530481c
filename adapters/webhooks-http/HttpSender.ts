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

/** How many URLs are remembered with what is known of them: an endpoint is called again and again. */
const REMEMBERED = 10_000

const make = ({ timeout = "15 seconds", ...options }: Options) =>
  Effect.gen(function* () {
    const limit = Duration.fromInputUnsafe(timeout)
    const post = yield* Post.make({
      ...(options.allowPrivateAddresses === true ? {} : { lookup: Addresses.publicLookup }),
      timeoutMillis: Duration.toMillis(limit),
      tooLate: `No response within ${Duration.format(limit)}`
    })

    const targets = new Map<string, Result.Result<Post.Target, string>>()
    const targetOf = (url: string): Result.Result<Post.Target, string> => {
      const known = targets.get(url)
      if (known !== undefined) return known
      const target = Result.map(Addresses.checkUrl(url, options), Post.target)
      if (targets.size >= REMEMBERED) targets.clear()
      targets.set(url, target)
      return target
    }

    return WebhookSender.WebhookSender.of({
      send: ({ at, body, eventId, signingKeys, url }) =>
        Effect.suspend(() => {
          const target = targetOf(url)
          if (Result.isFailure(target)) {
            return Effect.fail(new WebhookSender.SendFailed({ message: `The URL ${target.failure}` }))
          }
          const timestamp = Math.floor(at / 1000)
          const standard = Signature.standardHeaders({ eventId, timestamp, body, signingKeys })
          const headers = [
            "content-type",
            "application/json",
            "user-agent",
            "simplan",
            Signature.HEADER,
            Signature.sign({ timestamp, body, signingKeys })
          ]
          for (const name of Object.keys(standard)) headers.push(name, standard[name] ?? "")
          return post({ target: target.success, headers, body })
        })
    })
  })

/** The sender, with connections of its own. */
export const layer = (options: Options = {}): Layer.Layer<WebhookSender.WebhookSender> =>
  Layer.effect(WebhookSender.WebhookSender, make(options))
