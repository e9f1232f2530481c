/**
 * Implements simplan's `WebhookSender` port (rules W6 and W7) over HTTP on Node.
 *
 * Each call is signed with the time of the attempt, ends within the time limit, follows no redirect, and uses no private
 * address unless that is allowed (see `Addresses`). The core decides what a status means. No message contains a signing
 * key.
 */
import { Duration, Effect, Layer, Result } from "effect"
import { WebhookSender } from "simplan/ports"
import * as Addresses from "./Addresses.ts"
import * as Post from "./Post.ts"
import * as Signature from "./Signature.ts"

export interface Options extends Addresses.Options {
  /** The time limit of a call, from the DNS query to the head of the response; 15 s by default. */
  readonly timeout?: Duration.Input
}

/** How many parsed URLs are cached. */
const CACHED = 10_000

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
      if (targets.size >= CACHED) targets.clear()
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
          const signature = Signature.sign({ timestamp, body, signingKeys })
          const headers = ["content-type", "application/json", "user-agent", "simplan", Signature.HEADER, signature]
          for (const name of Object.keys(standard)) headers.push(name, standard[name] ?? "")
          return post({ target: target.success, headers, body })
        })
    })
  })

/** The sender, with its own connections. */
export const layer = (options: Options = {}): Layer.Layer<WebhookSender.WebhookSender> =>
  Layer.effect(WebhookSender.WebhookSender, make(options))
