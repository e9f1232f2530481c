/**
 * Processes that receive what the others publish at once, in place of those that share a
 * PostgreSQL.
 */
import { Effect } from "effect"
import type { RateLimitUsage } from "simplan/ports"

export interface JoinedProcesses {
  /** How often anything was published. */
  readonly publications: () => number
  /** A process of this name. Where `isLost` says so, the others do not receive it. */
  readonly join: (name: string, isLost?: () => boolean) => RateLimitUsage.RateLimitUsage
}

const joining = <Listener>(watchers: Map<Listener, string>, name: string, listener: Listener) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.set(listener, name)),
      () => Effect.sync(() => watchers.delete(listener))
    )
  )

export const make = (): JoinedProcesses => {
  const ofUsage = new Map<(usage: RateLimitUsage.Usage) => void, string>()
  const ofInFlight = new Map<(underWay: RateLimitUsage.UnderWay, from: string) => void, string>()
  let publications = 0
  return {
    publications: () => publications,
    join: (name, isLost = () => false) => ({
      publish: (usage) => {
        publications += 1
        if (!isLost()) for (const [listener, of] of ofUsage) if (of !== name) listener(usage)
      },
      watch: (listener) => joining(ofUsage, name, listener),
      publishInFlight: (underWay) => {
        publications += 1
        if (!isLost()) for (const [listener, of] of ofInFlight) if (of !== name) listener(underWay, name)
      },
      watchInFlight: (listener) => joining(ofInFlight, name, listener)
    })
  }
}
