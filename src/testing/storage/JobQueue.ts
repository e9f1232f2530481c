/**
 * Jobs, claimed by due time, from a place on and by partitions, which are organizations, and held
 * under leases.
 */
import { Effect } from "effect"
import type { Job } from "../../domain/Job.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"
import type { Partition } from "../../ports/Jobs.ts"

const partitionOf = ({ dueAt, jobId, organizationId }: Job): Partition => ({
  partitionId: organizationId,
  organizationId,
  first: { dueAt, id: jobId }
})

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "a job is given to who goes on with it, due at another time, and nobody else gets it meanwhile",
    function* (world) {
      const { now, storage } = world
      const job = Rows.job(world)
      const { jobId } = job
      yield* World.putJobs(world, [job])
      const claim = World.claim(world)
      yield* world.jobs.claim(claim)
      const lease = { token: world.id(), until: world.machineNow + MINUTE }
      const retried = [{ ...World.of(world), jobId, token: claim.token, dueAt: now - 1, attempts: 1, lease }]
      yield* storage.commit({ jobs: { retried } })
      yield* Suite.equals("to others", World.jobIds(yield* world.jobs.claim(World.claim(world))), [])
      yield* World.conflicts(world, "the lease before", { jobs: { retried } }, "lease")
      const over = World.claim(world, { machineNow: lease.until, until: lease.until + MINUTE })
      yield* Suite.equals("once it is over", World.jobIds(yield* world.jobs.claim(over)), [jobId])
      yield* World.finishAll(world)
    }
  ),

  scenario("a job put with a lease is held from the start", function* (world) {
    const { machineNow, storage } = world
    const [mine, lapsing] = [Rows.job(world), Rows.job(world)]
    const token = world.id()
    yield* storage.commit({
      jobs: {
        put: [
          { job: mine, lease: { token, until: machineNow + HOUR } },
          { job: lapsing, lease: { token, until: machineNow + MINUTE } }
        ]
      }
    })
    yield* Suite.equals("what another gets", yield* world.jobs.claim(World.claim(world)), [])
    yield* Suite.equals("held jobs", (yield* world.jobs.pending(world)).held, 2)
    yield* storage.commit({ jobs: { finished: [{ ...World.of(world), jobId: mine.jobId, token }] } })
    const later = World.claim(world, { machineNow: machineNow + MINUTE })
    yield* Suite.equals("what another gets once a lease is over", yield* world.jobs.claim(later), [lapsing])
    yield* World.finishAll(world)
  }),

  scenario("jobs are claimed by due time and id, up to the limit, and not before they are due", function* (world) {
    const { now } = world
    const jobs = [-5, -5, -5, -2, 0, 0].map((offset) => Rows.job(world, { dueAt: now + offset }))
    const later = Rows.job(world, { dueAt: now + 1 })
    const other = yield* World.neighbour(world)
    const theirs = Rows.job(other, { dueAt: now - 3 })
    yield* World.putJobs(world, [later, ...jobs.toReversed(), theirs])
    const inOrder = [...jobs, theirs].sort((a, b) => a.dueAt - b.dueAt || (a.jobId < b.jobId ? -1 : 1))
    const [first, second, third] = [
      yield* world.jobs.claim(World.claim(world, { limit: 2 })),
      yield* world.jobs.claim(World.claim(world, { limit: 3 })),
      yield* world.jobs.claim(World.claim(world))
    ]
    yield* Suite.equals("the first two", World.jobIds(first), World.jobIds(inOrder.slice(0, 2)))
    yield* Suite.equals("the next three", World.jobIds(second), World.jobIds(inOrder.slice(2, 5)))
    yield* Suite.equals("the rest", World.jobIds(third), World.jobIds(inOrder.slice(5)))
    yield* Suite.equals("pending", yield* world.jobs.pending(world), { dueAt: now + 1, held: 7 })
    yield* World.finishAll(world)
  }),

  scenario("workers at once never get the same job, and together get all", function* (world) {
    const jobs = Array.from({ length: 60 }, (_, index) => Rows.job(world, { dueAt: world.now - (index % 7) }))
    yield* World.putJobs(world, jobs)
    const claims = Effect.suspend(() => world.jobs.claim(World.claim(world, { limit: 4 })))
    const workers = Array.from({ length: 8 }, () => World.takeAll(jobs.length, claims))
    const claimed = (yield* Effect.all(workers, { concurrency: "unbounded" })).flat()
    yield* Suite.equals("claimed jobs", World.jobIds(claimed).toSorted(), World.jobIds(jobs).toSorted())
    yield* World.finishAll(world)
  }),

  scenario("a lease that is over hands the job over, and the old token changes nothing any more", function* (world) {
    const { machineNow, storage } = world
    const job = Rows.job(world)
    const { jobId } = job
    yield* World.putJobs(world, [job])
    const slow = World.claim(world)
    const early = World.claim(world, { machineNow: machineNow + MINUTE - 1 })
    const quick = World.claim(world, { machineNow: machineNow + MINUTE })
    yield* Suite.equals("the slow worker's", yield* world.jobs.claim(slow), [job])
    yield* Suite.equals("before the lease is over", yield* world.jobs.claim(early), [])
    yield* Suite.equals("from its end on", yield* world.jobs.claim(quick), [job])
    const { token } = slow
    const plan = Rows.plan(world)
    const finished = { finished: [{ ...World.of(world), jobId, token }] }
    const retried = { retried: [{ ...World.of(world), jobId, token, dueAt: world.now, attempts: 1 }] }
    yield* World.conflicts(world, "finishing late", { plans: [plan], jobs: finished }, "lease")
    yield* World.conflicts(world, "giving back late", { plans: [plan], jobs: retried }, "lease")
    yield* Suite.equals("the plan", yield* storage.plans.get(plan), null)
    yield* storage.commit({ plans: [plan], jobs: { finished: [{ ...World.of(world), jobId, token: quick.token }] } })
    const again = { finished: [{ ...World.of(world), jobId, token: quick.token }] }
    yield* World.conflicts(world, "finishing twice", { jobs: again }, "lease")
  }),

  scenario("a lease that is over is good until someone else has taken the job", function* (world) {
    const job = Rows.job(world)
    yield* World.putJobs(world, [job])
    const { token } = World.claim(world)
    yield* world.jobs.claim(World.claim(world, { token }))
    const machineNow = world.machineNow + HOUR
    yield* Suite.equals("pending", yield* world.jobs.pending({ now: world.now, machineNow }), {
      dueAt: world.now,
      held: 0
    })
    yield* world.storage.commit({ jobs: { finished: [{ ...World.of(world), jobId: job.jobId, token }] } })
    yield* Suite.equals("jobs", yield* world.jobs.claim(World.claim(world, { machineNow })), [])
  }),

  scenario("a renewed lease ends when it says, and one that was lost is not to be had again", function* (world) {
    const { jobs, machineNow } = world
    const [held, other] = [Rows.job(world, { dueAt: world.now - 1 }), Rows.job(world)]
    yield* World.putJobs(world, [held, other])
    const slow = World.claim(world)
    yield* jobs.claim(slow)
    const until = machineNow + 3 * MINUTE
    const { token } = slow
    yield* jobs.renew({
      leases: [
        { ...World.of(world), jobId: held.jobId, token },
        { ...World.of(world), jobId: other.jobId, token: world.id() },
        { ...World.of(world), jobId: world.id(), token }
      ],
      until
    })
    const quick = World.claim(world, { machineNow: until - 1, until: until + MINUTE })
    yield* Suite.equals("what was not renewed", World.jobIds(yield* jobs.claim(quick)), [other.jobId])
    yield* jobs.renew({ leases: [{ ...World.of(world), jobId: other.jobId, token }], until: until + HOUR })
    yield* Suite.equals("held", (yield* jobs.pending({ now: world.now, machineNow: until })).held, 1)
    const last = World.claim(world, { machineNow: until + MINUTE })
    yield* Suite.equals("once both are over", World.jobIds(yield* jobs.claim(last)), [held.jobId, other.jobId])
    yield* World.finishAll(world)
  }),

  scenario("a job given back is free at once and due when it says", function* (world) {
    const { now, storage } = world
    const job = Rows.job(world)
    const { jobId } = job
    yield* World.putJobs(world, [job])
    const { token } = World.claim(world)
    yield* world.jobs.claim(World.claim(world, { token }))
    const retried = [{ ...World.of(world), jobId, token, dueAt: now + HOUR, attempts: 1 }]
    yield* storage.commit({ jobs: { retried } })
    yield* World.conflicts(world, "giving back twice", { jobs: { retried } }, "lease")
    yield* Suite.equals("pending", yield* world.jobs.pending(world), { dueAt: now + HOUR, held: 0 })
    yield* Suite.equals("too early", yield* world.jobs.claim(World.claim(world, { now: now + HOUR - 1 })), [])
    const due = yield* world.jobs.claim(World.claim(world, { now: now + HOUR }))
    yield* Suite.equals("in time", due, [{ ...job, dueAt: now + HOUR, attempts: 1 }])
    yield* World.finishAll(world)
  }),

  scenario("what is pending has the next due time and how many jobs are held", function* (world) {
    const { machineNow, now } = world
    const jobs = [-2, -1, 5].map((offset) => Rows.job(world, { dueAt: now + offset * HOUR }))
    yield* World.putJobs(world, jobs)
    const pending = (at: number) => world.jobs.pending({ now, machineNow: machineNow + at })
    yield* Suite.equals("before", yield* pending(0), { dueAt: now - 2 * HOUR, held: 0 })
    yield* world.jobs.claim(World.claim(world, { limit: 1 }))
    yield* Suite.equals("one is held", yield* pending(0), { dueAt: now - HOUR, held: 1 })
    yield* world.jobs.claim(World.claim(world, { machineNow: machineNow + 1 }))
    yield* Suite.equals("two are held", yield* pending(1), { dueAt: now + 5 * HOUR, held: 2 })
    yield* Suite.equals("one is over", yield* pending(MINUTE), { dueAt: now - 2 * HOUR, held: 1 })
    yield* Suite.equals("both are over", yield* pending(MINUTE + 1), { dueAt: now - 2 * HOUR, held: 0 })
    yield* Suite.equals("asked at an earlier time again", yield* pending(0), { dueAt: now + 5 * HOUR, held: 2 })
    yield* World.finishAll(world)
  }),

  scenario("the backlog of jobs counts what is due and what is held, and since when", function* (world) {
    const { machineNow, now } = world
    const backlog = (at: { readonly now?: number; readonly machineNow?: number } = {}) =>
      world.jobs.backlog({ now, machineNow, ...at })
    yield* Suite.equals("of nothing", yield* backlog(), { due: 0, held: 0, oldestDueAt: null })
    yield* World.putJobs(
      world,
      [-2, -1, 0, 1].map((offset) => Rows.job(world, { dueAt: now + offset }))
    )
    yield* Suite.equals("before", yield* backlog(), { due: 3, held: 0, oldestDueAt: now - 2 })
    yield* Suite.equals("earlier", yield* backlog({ now: now - 1 }), { due: 2, held: 0, oldestDueAt: now - 2 })
    yield* world.jobs.claim(World.claim(world, { limit: 2 }))
    yield* Suite.equals("two are held", yield* backlog(), { due: 1, held: 2, oldestDueAt: now })
    const over = { machineNow: machineNow + MINUTE }
    yield* Suite.equals("once that is over", yield* backlog(over), { due: 3, held: 0, oldestDueAt: now - 2 })
    yield* World.finishAll(world)
  }),

  scenario("releasing ends every lease on jobs", function* (world) {
    const jobs = [Rows.job(world, { dueAt: world.now - 1 }), Rows.job(world)]
    yield* World.putJobs(world, jobs)
    const { token } = World.claim(world)
    yield* world.jobs.claim(World.claim(world, { token }))
    yield* world.jobs.release(world)
    yield* Suite.equals("pending", yield* world.jobs.pending(world), { dueAt: world.now - 1, held: 0 })
    const finished = World.jobIds(jobs).map((jobId) => ({ ...World.of(world), jobId, token }))
    yield* World.conflicts(world, "finishing under a released lease", { jobs: { finished } }, "lease")
    yield* Suite.equals("jobs", yield* world.jobs.claim(World.claim(world)), jobs)
    yield* World.finishAll(world)
  }),

  scenario("handing jobs back ends their leases where they are held with the token, and no others", function* (world) {
    const jobs = [-3, -2, -1].map((offset) => Rows.job(world, { dueAt: world.now + offset }))
    yield* World.putJobs(world, jobs)
    const tokens = jobs.map(() => world.id())
    for (const token of tokens) yield* world.jobs.claim(World.claim(world, { token, limit: 1 }))
    const held = jobs.map(({ jobId }, index) => ({ ...World.of(world), jobId, token: tokens[index] ?? "" }))
    yield* world.jobs.handBack(held.map(({ jobId }) => ({ ...World.of(world), jobId, token: world.id() })))
    yield* Suite.equals("of none", yield* world.jobs.pending(world), { dueAt: null, held: 3 })
    yield* world.jobs.handBack([...held.slice(0, 2), { ...World.of(world), jobId: world.id(), token: world.id() }])
    yield* Suite.equals("pending", yield* world.jobs.pending(world), { dueAt: world.now - 3, held: 1 })
    const finishing = held.map((one) => ({ jobs: { finished: [one] } }))
    for (const commit of finishing.slice(0, 2)) {
      yield* World.conflicts(world, "finishing what was handed back", commit, "lease")
    }
    yield* world.storage.commit(finishing[2] ?? {})
    yield* Suite.equals("jobs", yield* world.jobs.claim(World.claim(world)), jobs.slice(0, 2))
    yield* World.finishAll(world)
  }),

  scenario("jobs are claimed from a place on", function* (world) {
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
  }),

  scenario(
    "the organizations with due jobs that nobody holds are listed, each with its first such job",
    function* (world) {
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
      const expected = firsts
        .flatMap((job) => (job === undefined ? [] : [partitionOf(job)]))
        .toSorted((left, right) => (left.partitionId < right.partitionId ? -1 : 1))
      for (const limit of [1, 2, 100]) {
        yield* Suite.equals(`partitions by ${limit}`, yield* World.partitions(world, jobs.partitions, limit), expected)
      }
      yield* World.finishAll(world)
    }
  ),

  scenario("jobs are claimed by partitions, of each from its place and up to its share", function* (world) {
    const { jobs, now } = world
    const other = yield* World.neighbour(world)
    const third = yield* World.neighbour(world)
    const mine = [-9, -8, -7, -6].map((offset) => Rows.job(world, { dueAt: now + offset }))
    const theirs = [-3, 0, 1].map((offset) => Rows.job(other, { dueAt: now + offset }))
    yield* World.putJobs(world, [...mine, ...theirs, Rows.job(third)])
    const first = { dueAt: now - 9, id: "" }
    const strange = world.id()
    const shares = [
      { partitionId: other.organizationId, ...World.of(other), from: first, limit: 5 },
      { partitionId: world.organizationId, ...World.of(world), from: { dueAt: now - 8, id: "" }, limit: 2 },
      { partitionId: strange, organizationId: strange, from: first, limit: 5 }
    ]
    const claimed = yield* jobs.claim(World.claim(world, { shares }))
    yield* Suite.equals("jobs", World.jobIds(claimed), World.jobIds([...mine.slice(1, 3), ...theirs.slice(0, 2)]))
    const again = World.claim(world, { shares, machineNow: world.machineNow + MINUTE - 1 })
    yield* Suite.equals("what is left of them", World.jobIds(yield* jobs.claim(again)), World.jobIds(mine.slice(3)))
    yield* World.finishAll(world)
  }),

  scenario("workers at once never get the same job of a partition, and together get all", function* (world) {
    const other = yield* World.neighbour(world)
    const jobs = Array.from({ length: 60 }, (_, index) => Rows.job(index % 3 === 0 ? other : world))
    yield* World.putJobs(world, jobs)
    const from = { dueAt: world.now, id: "" }
    const shares = [world, other].map(({ organizationId }) => ({
      ...{ partitionId: organizationId, organizationId },
      ...{ from, limit: 2 }
    }))
    const claims = Effect.suspend(() => world.jobs.claim(World.claim(world, { shares })))
    const workers = Array.from({ length: 6 }, () => World.takeAll(jobs.length, claims))
    const claimed = (yield* Effect.all(workers, { concurrency: "unbounded" })).flat()
    yield* Suite.equals("claimed jobs", World.jobIds(claimed).toSorted(), World.jobIds(jobs).toSorted())
    yield* World.finishAll(world)
  })
]
