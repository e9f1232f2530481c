/**
 * Usage of rate limits and what is under way, which a storage publishes among processes (rule W10). What another
 * process receives is the adapter's own test: a suite has one process.
 */
import { Effect } from "effect"
import { RateLimitUsage } from "../../ports/RateLimitUsage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import type * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("a process does not receive the usage that it publishes itself", (world) =>
    Effect.scoped(
      Effect.gen(function* () {
        const usage = yield* RateLimitUsage
        let received = 0
        yield* usage.watch(({ caller }) => {
          if (caller === world.organizationId) received += 1
        })
        for (const limit of ["requests", "other"]) usage.publish({ limit, caller: world.organizationId, cost: 0.5 })
        yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
        yield* Suite.equals("what is received", received, 0)
      })
    )
  ),
  scenario("a process does not receive what callers have under way in it", (world) =>
    Effect.scoped(
      Effect.gen(function* () {
        const usage = yield* RateLimitUsage
        let received = 0
        yield* usage.watchInFlight(({ caller }) => {
          if (caller === world.organizationId) received += 1
        })
        for (const requests of [1, 0]) usage.publishInFlight({ caller: world.organizationId, requests, streams: 8 })
        yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
        yield* Suite.equals("what is received", received, 0)
      })
    )
  )
]
