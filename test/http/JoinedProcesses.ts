/** Processes that hear what the others tell at once, in place of those that share a PostgreSQL. */
import { Effect } from "effect"
import type { RateLimitUsage } from "simplan/ports"

export interface JoinedProcesses {
  /** How often anything was told. */
  readonly tellings: () => number
  /** A process of this name. Where `isLost` says so, the others do not hear it. */
  readonly join: (name: string, isLost?: () => boolean) => RateLimitUsage.RateLimitUsage
}

const joining = <Hear>(watchers: Map<Hear, string>, name: string, hear: Hear) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.set(hear, name)),
      () => Effect.sync(() => watchers.delete(hear))
    )
  )

export const make = (): JoinedProcesses => {
  const ofUsage = new Map<(usage: RateLimitUsage.Usage) => void, string>()
  const ofUnderWay = new Map<(underWay: RateLimitUsage.UnderWay, from: string) => void, string>()
  let tellings = 0
  return {
    tellings: () => tellings,
    join: (name, isLost = () => false) => ({
      tell: (usage) => {
        tellings += 1
        if (!isLost()) for (const [hear, of] of ofUsage) if (of !== name) hear(usage)
      },
      watch: (hear) => joining(ofUsage, name, hear),
      tellUnderWay: (underWay) => {
        tellings += 1
        if (!isLost()) for (const [hear, of] of ofUnderWay) if (of !== name) hear(underWay, name)
      },
      watchUnderWay: (hear) => joining(ofUnderWay, name, hear)
    })
  }
}
