/**
 * Implements simplan's `WebhookSender` port (rules W6 and W7) over HTTP on Node.
 *
 * Each call is signed with the time of the attempt, ends within the time limit, follows no redirect, and uses only the
 * ports and addresses that are allowed (see `Destinations`). Organizations share no connection. The core decides what a
 * status means. No message contains a signing key or the password of a proxy.
 */
import type { LookupFunction } from "node:net"
import { Duration, Effect, Layer, Metric, Result } from "effect"
import { WebhookSender } from "simplan/ports"
import * as Addresses from "./Addresses.ts"
import * as Connections from "./Connections.ts"
import * as Destinations from "./Destinations.ts"
import * as Names from "./Names.ts"
import * as Post from "./Post.ts"
import type * as Proxy from "./Proxy.ts"
import * as Signature from "./Signature.ts"

/** How webhooks are sent, and where they may go. */
export interface Options extends Destinations.Options {
  /** The time limit of a call, from the DNS query to the head of the response; 15 s by default. */
  readonly timeout?: Duration.Input
  /** Sends all calls through this proxy, which then resolves the names; see `Proxy`. */
  readonly proxy?: Proxy.Proxy | null
  /** How names are resolved; by the machine's name servers and hosts file by default. */
  readonly names?: Names.Options
}

/** How many parsed URLs are cached. */
const CACHED = 10_000

/** What became of a name that was needed for a connection. */
type Outcome = "resolved" | "failed" | "refused"

const lookups = (outcome: Outcome) =>
  Metric.counter("simplan_webhook_lookups_total", {
    description: "Names of webhooks that were resolved for a connection, by outcome",
    attributes: { outcome },
    incremental: true
  })

/** Resolves the names of an organization's connections. Fails if one of a name's addresses is not allowed. */
const lookupOf =
  (resolve: Names.Resolve, isAllowed: (address: string) => boolean, count: (outcome: Outcome) => void) =>
  (organizationId: string): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, organizationId).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
          count("refused")
          return callback(new Error(`${hostname} resolves to a loopback, private or reserved address`), [])
        }
        count("resolved")
        if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: Error) => {
        count("failed")
        callback(error, [])
      }
    )
  }

const make = ({ names, proxy = null, timeout = "15 seconds", ...options }: Options) =>
  Effect.gen(function* () {
    const limit = Duration.fromInputUnsafe(timeout)
    const timeoutMillis = Duration.toMillis(limit)
    const context = yield* Effect.context<never>()
    const isOpen = options.allowPrivateAddresses === true || proxy !== null
    const connections = yield* Connections.make({
      lookupOf: lookupOf(
        Names.make(names),
        (address) => isOpen || Addresses.isPublic(address),
        (outcome) => lookups(outcome).updateUnsafe(1, context)
      ),
      proxy,
      timeoutMillis
    })
    const post = Post.make({ connections, timeoutMillis, tooLate: `No response within ${Duration.format(limit)}` })

    const targets = new Map<string, Result.Result<Post.Target, string>>()
    const targetOf = (url: string): Result.Result<Post.Target, string> => {
      const known = targets.get(url)
      if (known !== undefined) return known
      const target = Result.map(Destinations.checkUrl(url, options), (parsed) => Post.target(parsed, proxy))
      if (targets.size >= CACHED) targets.clear()
      targets.set(url, target)
      return target
    }

    return WebhookSender.WebhookSender.of({
      send: ({ at, body, eventId, organizationId, signingKeys, url }) =>
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
          return post({ organizationId, target: target.success, headers, body })
        })
    })
  })

/** The sender, with its own connections. */
export const layer = (options: Options = {}): Layer.Layer<WebhookSender.WebhookSender> =>
  Layer.effect(WebhookSender.WebhookSender, make(options))
