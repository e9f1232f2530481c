/**
 * What those who watch the storage are told. It may always be told that anything has changed, so that no case expects
 * that something is not told.
 */
import { Effect } from "effect"
import * as Changes from "../../ports/Changes.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

/** What is told of a commit by the time that it returns. */
const told = (world: World.World, commit: Commit) =>
  Effect.scoped(
    Effect.gen(function* () {
      let heard = Changes.nothing
      yield* world.storage.watch((changes) => {
        heard = Changes.and(heard, changes)
      })
      yield* world.storage.commit(commit)
      return heard
    })
  )

const isBy = (instant: number | null, dueAt: number): boolean => instant !== null && instant <= dueAt

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("who watches is told of changed keys and of a new catalogue", (world) =>
    Effect.gen(function* () {
      const key = Rows.apiKey(world)
      yield* Suite.equals("a new key", (yield* told(world, { apiKeys: [key] })).apiKeys, true)
      const revoked = { ...key, revokedAt: world.now, version: 1 }
      yield* Suite.equals("a revoked key", (yield* told(world, { apiKeys: [revoked] })).apiKeys, true)
      const catalogue = { countries: [], operators: [], profiles: [] }
      yield* Suite.equals("the catalogue", (yield* told(world, { catalogue })).catalogue, true)
    })
  ),

  scenario("who watches is told when the work that a commit leaves is due", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const [early, late] = [Rows.job(world, { dueAt: now + HOUR }), Rows.job(world, { dueAt: now + 2 * HOUR })]
      const put = { jobs: { put: [late, early].map((job) => ({ job, lease: null })) } }
      yield* Suite.equals("the earlier job", isBy((yield* told(world, put)).jobsDueAt, early.dueAt), true)
      const claim = World.claim(world, { now: now + 2 * HOUR })
      yield* world.jobs.claim(claim)
      const retried = [{ jobId: early.jobId, token: claim.token, dueAt: now + MINUTE, attempts: 1 }]
      const givenBack = yield* told(world, { jobs: { retried } })
      yield* Suite.equals("a job given back", isBy(givenBack.jobsDueAt, now + MINUTE), true)
      yield* storage.commit({ webhookEndpoints: [Rows.endpoint(world)] })
      const event = Rows.event(world)
      const { deliveriesDueAt } = yield* told(world, { events: [event] })
      yield* Suite.equals("an event", isBy(deliveriesDueAt, event.createdAt), true)
      yield* World.finishAll(world)
    })
  ),

  scenario("who watches is told which command was settled", (world) =>
    Effect.gen(function* () {
      const [command, other] = [Rows.command(world), Rows.command(world)]
      yield* world.storage.commit({ commands: { put: [command, other] } })
      const outcome = { _tag: "Succeeded" as const, answer: { kind: "Done" as const, value: null } }
      const { commands } = yield* told(world, {
        commands: { settled: [{ ...command, outcome, settledAt: world.now }] }
      })
      yield* Suite.equals("told", commands === "any" || commands.includes(command.commandId), true)
    })
  ),

  scenario("who no longer watches is told nothing", (world) =>
    Effect.gen(function* () {
      let times = 0
      yield* Effect.scoped(world.storage.watch(() => void times++))
      const before = times
      yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
      yield* Suite.equals("what was told", times, before)
    })
  )
]
