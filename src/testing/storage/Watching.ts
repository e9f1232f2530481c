/**
 * What those who watch the storage are notified of. That may always be that anything has changed, so that no case expects
 * that something is not notified.
 */
import { Effect } from "effect"
import * as Changes from "../../ports/Changes.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

/** What is notified of a commit by the time that it returns. */
const published = (world: World.World, commit: Commit) =>
  Effect.scoped(
    Effect.gen(function* () {
      let received = Changes.nothing
      yield* world.storage.watch((changes) => {
        received = Changes.and(received, changes)
      })
      yield* world.storage.commit(commit)
      return received
    })
  )

const isBy = (instant: number | null, dueAt: number): boolean => instant !== null && instant <= dueAt

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("who watches is notified of changed keys and of a new catalogue", (world) =>
    Effect.gen(function* () {
      const key = Rows.apiKey(world)
      yield* Suite.equals("a new key", (yield* published(world, { apiKeys: [key] })).apiKeys, true)
      const revoked = { ...key, revokedAt: world.now, version: 1 }
      yield* Suite.equals("a revoked key", (yield* published(world, { apiKeys: [revoked] })).apiKeys, true)
      const catalogue = { countries: [], operators: [], profiles: [] }
      yield* Suite.equals("the catalogue", (yield* published(world, { catalogue })).catalogue, true)
    })
  ),

  scenario("who watches is notified when the work that a commit leaves is due", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const [early, late] = [Rows.job(world, { dueAt: now + HOUR }), Rows.job(world, { dueAt: now + 2 * HOUR })]
      const put = { jobs: { put: [late, early].map((job) => ({ job, lease: null })) } }
      yield* Suite.equals("the earlier job", isBy((yield* published(world, put)).jobsDueAt, early.dueAt), true)
      const claim = World.claim(world, { now: now + 2 * HOUR })
      yield* world.jobs.claim(claim)
      const retried = [{ jobId: early.jobId, token: claim.token, dueAt: now + MINUTE, attempts: 1 }]
      const givenBack = yield* published(world, { jobs: { retried } })
      yield* Suite.equals("a job given back", isBy(givenBack.jobsDueAt, now + MINUTE), true)
      yield* storage.commit({ webhookEndpoints: [Rows.endpoint(world)] })
      const event = Rows.event(world)
      const { deliveriesDueAt } = yield* published(world, { events: [event] })
      yield* Suite.equals("an event", isBy(deliveriesDueAt, event.createdAt), true)
      yield* World.finishAll(world)
    })
  ),

  scenario("who watches is notified which command was settled", (world) =>
    Effect.gen(function* () {
      const [command, other] = [Rows.command(world), Rows.command(world)]
      yield* world.storage.commit({ commands: { put: [command, other] } })
      const outcome = { _tag: "Succeeded" as const, answer: { kind: "Done" as const, value: null } }
      const { commands } = yield* published(world, {
        commands: { settled: [{ ...command, outcome, settledAt: world.now }] }
      })
      yield* Suite.equals("notified", commands === "any" || commands.includes(command.commandId), true)
    })
  ),

  scenario("who no longer watches is notified of nothing", (world) =>
    Effect.gen(function* () {
      let times = 0
      yield* Effect.scoped(world.storage.watch(() => void times++))
      const before = times
      yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
      yield* Suite.equals("what was notified", times, before)
    })
  )
]
