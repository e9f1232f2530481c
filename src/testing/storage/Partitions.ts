/**
 * Claiming from a place on, and by partitions: an organization's jobs, an endpoint's deliveries.
 */
import { Effect } from "effect"
import type { DueDelivery } from "../../domain/Delivery.ts"
import type { Job } from "../../domain/Job.ts"
import { MINUTE } from "../../domain/Time.ts"
import type { Partition, Partitions, PartitionQuery } from "../../ports/Jobs.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const deliveryIds = (due: ReadonlyArray<DueDelivery>): ReadonlyArray<string> =>
  due.map(({ delivery }) => delivery.deliveryId)

/** All partitions, page by page. */
const all = (
  world: World.World,
  read: (at: PartitionQuery) => Effect.Effect<Partitions, unknown>,
  limit: number,
  after = ""
): Effect.Effect<ReadonlyArray<Partition>, unknown> =>
  Effect.flatMap(read({ now: world.now, machineNow: world.machineNow, after, limit }), ({ partitions, next }) =>
    next === null
      ? Effect.succeed(partitions)
      : Effect.map(all(world, read, limit, next), (following) => [...partitions, ...following])
  )

const byPartition = (partitions: ReadonlyArray<Partition>): ReadonlyArray<Partition> =>
  partitions.toSorted((left, right) => (left.partitionId < right.partitionId ? -1 : 1))

const partitionOf = ({ dueAt, jobId, organizationId }: Job): Partition => ({
  partitionId: organizationId,
  organizationId,
  first: { dueAt, id: jobId }
})

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("jobs are claimed from a place on", (world) =>
    Effect.gen(function* () {
      const jobs = [-3, -2, -2, -2, -1].map((offset) => Rows.job(world, { dueAt: world.now + offset }))
      yield* World.putJobs(world, jobs)
      const ordered = jobs.toSorted((left, right) => left.dueAt - right.dueAt || (left.jobId < right.jobId ? -1 : 1))
      const [first, , place] = ordered
      const { dueAt, jobId } = yield* World.given("third job", place)
      const from = { dueAt, id: jobId }
      const { machineNow } = world
      yield* Suite.equals("pending there", yield* world.jobs.pending({ now: world.now, machineNow, from }), {
        dueAt,
        held: 0
      })
      const there = yield* world.jobs.claim(World.claim(world, { from, limit: 2 }))
      yield* Suite.equals("from there", World.jobIds(there), World.jobIds(ordered.slice(2, 4)))
      yield* Suite.equals(
        "pending later",
        (yield* world.jobs.pending({ now: world.now, machineNow, from })).dueAt,
        world.now - 1
      )
      const dueAtFirst = (yield* world.jobs.pending({ now: world.now, machineNow })).dueAt
      yield* Suite.equals("pending anywhere", dueAtFirst, (yield* World.given("first job", first)).dueAt)
      const rest = [...ordered.slice(0, 2), ...ordered.slice(4)]
      yield* Suite.equals("the others", World.jobIds(yield* world.jobs.claim(World.claim(world))), World.jobIds(rest))
      yield* World.finishAll(world)
    })
  ),

  scenario("the organizations with due jobs that nobody holds are listed, each with its first such job", (world) =>
    Effect.gen(function* () {
      const { jobs, now } = world
      const [other, held, later] = [
        yield* World.neighbour(world),
        yield* World.neighbour(world),
        yield* World.neighbour(world)
      ]
      const mine = [-1, -2].map((offset) => Rows.job(world, { dueAt: now + offset }))
      const theirs = [0, 0].map(() => Rows.job(other, { dueAt: now }))
      yield* World.putJobs(held, [Rows.job(held, { dueAt: now - 9 })])
      yield* jobs.claim(World.claim(world, { limit: 1 }))
      yield* World.putJobs(world, [...mine, ...theirs, Rows.job(later, { dueAt: now + 1 })])
      const firsts = [mine[1], theirs.toSorted((left, right) => (left.jobId < right.jobId ? -1 : 1))[0]]
      const expected = byPartition(firsts.flatMap((job) => (job === undefined ? [] : [partitionOf(job)])))
      for (const limit of [1, 2, 100]) {
        yield* Suite.equals(`partitions by ${limit}`, yield* all(world, jobs.partitions, limit), expected)
      }
      yield* World.finishAll(world)
    })
  ),

  scenario("jobs are claimed by partitions, of each from its place and up to its share", (world) =>
    Effect.gen(function* () {
      const { jobs, now } = world
      const other = yield* World.neighbour(world)
      const third = yield* World.neighbour(world)
      const mine = [-9, -8, -7, -6].map((offset) => Rows.job(world, { dueAt: now + offset }))
      const theirs = [-3, 0, 1].map((offset) => Rows.job(other, { dueAt: now + offset }))
      yield* World.putJobs(world, [...mine, ...theirs, Rows.job(third)])
      const first = { dueAt: now - 9, id: "" }
      const shares = [
        { partitionId: other.organizationId, from: first, limit: 5 },
        { partitionId: world.organizationId, from: { dueAt: now - 8, id: "" }, limit: 2 },
        { partitionId: world.id(), from: first, limit: 5 }
      ]
      const claimed = yield* jobs.claim(World.claim(world, { shares }))
      yield* Suite.equals("jobs", World.jobIds(claimed), World.jobIds([...mine.slice(1, 3), ...theirs.slice(0, 2)]))
      const again = World.claim(world, { shares, machineNow: world.machineNow + MINUTE - 1 })
      yield* Suite.equals("what is left of them", World.jobIds(yield* jobs.claim(again)), World.jobIds(mine.slice(3)))
      yield* World.finishAll(world)
    })
  ),

  scenario("workers at once never get the same job of a partition, and together get all", (world) =>
    Effect.gen(function* () {
      const other = yield* World.neighbour(world)
      const jobs = Array.from({ length: 60 }, (_, index) => Rows.job(index % 3 === 0 ? other : world))
      yield* World.putJobs(world, jobs)
      const from = { dueAt: world.now, id: "" }
      const shares = [world, other].map(({ organizationId }) => ({ partitionId: organizationId, from, limit: 2 }))
      const claims = Effect.suspend(() => world.jobs.claim(World.claim(world, { shares })))
      const workers = Array.from({ length: 6 }, () => World.takeAll(jobs.length, claims))
      const claimed = (yield* Effect.all(workers, { concurrency: "unbounded" })).flat()
      yield* Suite.equals("claimed jobs", World.jobIds(claimed).toSorted(), World.jobIds(jobs).toSorted())
      yield* World.finishAll(world)
    })
  ),

  scenario("deliveries are claimed from a place on, and by partitions, which are endpoints", (world) =>
    Effect.gen(function* () {
      const { now, outbox, storage } = world
      const other = yield* World.neighbour(world)
      const endpoints = [Rows.endpoint(world), Rows.endpoint(world), Rows.endpoint(other)]
      yield* storage.commit({ webhookEndpoints: endpoints })
      const mine = [-3, -2, 1].map((offset) => Rows.event(world, { createdAt: now + offset }))
      const theirs = Rows.event(other, { createdAt: now - 1 })
      yield* storage.commit({ events: [...mine, theirs] })
      const partitions = endpoints.map(({ endpointId, organizationId }, index): Partition => {
        const event = index === 2 ? theirs : mine[0]
        const first = { dueAt: event?.createdAt ?? 0, id: `${event?.eventId}:${endpointId}` }
        return { partitionId: endpointId, organizationId, first }
      })
      for (const limit of [1, 100]) {
        yield* Suite.equals(
          `partitions by ${limit}`,
          yield* all(world, outbox.partitions, limit),
          byPartition(partitions)
        )
      }
      const [one, , foreign] = partitions
      const shares = [one, foreign].flatMap((partition) =>
        partition === undefined ? [] : [{ partitionId: partition.partitionId, from: partition.first, limit: 1 }]
      )
      const claimed = yield* outbox.claim(World.claim(world, { shares }))
      yield* Suite.equals("by partitions", deliveryIds(claimed), [one?.first.id ?? "", foreign?.first.id ?? ""])
      const from = { dueAt: now - 2, id: "" }
      const { machineNow } = world
      yield* Suite.equals("pending there", (yield* outbox.pending({ now: world.now, machineNow, from })).dueAt, now - 2)
      const there = yield* outbox.claim(World.claim(world, { from }))
      yield* Suite.equals(
        "from a place on",
        there.map(({ event }) => event.eventId),
        [mine[1]?.eventId, mine[1]?.eventId]
      )
      yield* World.finishAll(world)
    })
  )
]
