/**
 * Fairness: no organization's jobs and no endpoint's deliveries keep another's waiting, however
 * many are due.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Changes, type Job, Jobs, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import { describe, expect, it } from "vitest"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as DeliveryDispatcher from "../../../src/app/engine/DeliveryDispatcher.ts"
import * as FairClaims from "../../../src/app/engine/FairClaims.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const NOW = 1_000_000
const BATCH = 32

const job = (organizationId: string, number: number, dueAt: number): Job.Job =>
  Values.job({
    jobId: `${organizationId}-${String(number).padStart(6, "0")}`,
    organizationId,
    work: { _tag: "Provision", iccid: "1", attachmentId: "1" },
    dueAt
  })

/** A worker on an empty store: each of its claims takes 10 ms, and what it gets is done at once. */
const worker = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(Memory.layer))
  const storage = Context.get(context, Storage.Storage)
  const jobs = Context.get(context, Jobs.Jobs)
  let machineNow = 0
  let pause = 0
  const clock = SteppedClock.at(yield* Clock.Clock, () => machineNow)
  const claims = FairClaims.make({
    claim: (of) =>
      Effect.suspend(() => {
        machineNow += pause
        pause = 0
        return jobs.claim(of)
      }),
    partitions: jobs.partitions,
    placeOf: ({ dueAt, jobId, organizationId }: Job.Job) => ({ dueAt, id: jobId, partitionId: organizationId }),
    ...FairClaims.makeJobSlots(BATCH),
    batchSize: BATCH,
    isStrict: false
  })
  const put = (some: ReadonlyArray<Job.Job>) =>
    storage.commit({ jobs: { put: some.map((one) => ({ job: one, lease: null })) } })
  const claim = Effect.gen(function* () {
    machineNow += 10
    const taking = { now: NOW, machineNow, until: machineNow + 60_000, token: `token-${machineNow}` }
    const claimed = yield* claims.next(taking, BATCH)
    yield* storage.commit({
      jobs: { finished: claimed.map(({ jobId, organizationId }) => ({ organizationId, jobId, token: taking.token })) }
    })
    return claimed
  }).pipe(Effect.provideService(Clock.Clock, clock))
  /** The next claim takes so many milliseconds. */
  const standStill = (millis: number) => {
    pause = millis
  }
  return { put, claim, claims, standStill }
})

type Worker = Effect.Success<typeof worker>

/** How many claims it takes until this many jobs of the organization are done. */
const claimsUntil = ({ claim }: Worker, organizationId: string, count: number) =>
  Effect.gen(function* () {
    let done = 0
    for (let claims = 1; claims <= 2_000; claims++) {
      done += (yield* claim).filter((one) => one.organizationId === organizationId).length
      if (done >= count) return claims
    }
    return Number.POSITIVE_INFINITY
  })

const jobsOf = (organizationId: string, count: number, dueAt: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => job(organizationId, index, dueAt(index)))

describe("an organization with many thousands of due jobs", () => {
  Tests.scoped("does not keep waiting another whose jobs are due later", function* () {
    const of = yield* worker
    yield* of.put(jobsOf("many", 20_000, (index) => index))
    yield* of.put(jobsOf("few", 10, () => NOW))
    expect(yield* claimsUntil(of, "few", 10)).toBeLessThan(5)
    // In all that time the many have theirs as well.
    expect(yield* claimsUntil(of, "many", 280)).toBeLessThan(12)
  })

  Tests.scoped(
    "does not keep waiting another whose jobs come while they are done, nor hundreds of others",
    function* () {
      const of = yield* worker
      yield* of.put(jobsOf("many", 20_000, (index) => index))
      // One alone has all slots but an eighth.
      expect(yield* claimsUntil(of, "many", 1_000)).toBe(Math.ceil(1_000 / 28))
      yield* of.put(jobsOf("few", 10, () => NOW))
      of.claims.notify(NOW)
      // It is noticed within a second.
      expect(yield* claimsUntil(of, "few", 10)).toBeLessThan(105)
      for (let number = 0; number < 300; number++) yield* of.put(jobsOf(`other-${number}`, 2, () => NOW))
      const done = new Set<string>()
      for (let claims = 0; claims < 150; claims++) {
        for (const { organizationId } of yield* of.claim) done.add(organizationId)
      }
      expect(done.size).toBe(301)
    }
  )

  Tests.scoped("are all done, each once, when no other organization has any", function* () {
    const of = yield* worker
    yield* of.put(jobsOf("many", 3_000, (index) => index))
    yield* of.put(jobsOf("few", 100, () => 5))
    const done: Array<string> = []
    for (let claims = 0; claims < 120; claims++) done.push(...(yield* of.claim).map(({ jobId }) => jobId))
    expect(done).toHaveLength(3_100)
    expect(new Set(done).size).toBe(3_100)
  })
})

describe("where claims go on from", () => {
  Tests.scoped(
    "work that is put before the place that was reached is found at once where it is notified, else in a second",
    function* () {
      const of = yield* worker
      yield* of.put(jobsOf("one", 10, () => 500))
      expect(yield* of.claim).toHaveLength(10)
      yield* of.put([job("notified", 1, 100)])
      of.claims.notify(100)
      expect(yield* of.claim).toHaveLength(1)
      yield* of.put([job("unnotified", 1, 100)])
      expect(yield* claimsUntil(of, "unnotified", 1)).toBeLessThan(105)
    }
  )

  Tests.scoped("also by a process that was frozen during a claim", function* () {
    const of = yield* worker
    yield* of.put(jobsOf("one", 10, () => 500))
    of.standStill(60_000)
    expect(yield* of.claim).toHaveLength(10)
    yield* of.put([job("unnotified", 1, 100)])
    expect(yield* claimsUntil(of, "unnotified", 1)).toBeLessThan(105)
  })
})

describe("slots for deliveries", () => {
  const partition = (organizationId: string, number: number) => ({
    organizationId,
    partitionId: `${organizationId}-${number}`
  })

  it("one endpoint never takes all slots, nor one organization", () => {
    const slots = DeliveryDispatcher.makeSlots(64)
    const begun = { one: 0, many: 0 }
    while (slots.free(partition("one", 1)) > 0) {
      slots.begin(partition("one", 1), 0)
      begun.one += 1
    }
    for (let number = 0; number < 1_000; number++) {
      while (slots.free(partition("many", number)) > 0) {
        slots.begin(partition("many", number), 0)
        begun.many += 1
      }
    }
    expect(begun).toEqual({ one: 32, many: 32 })
    slots.end(partition("one", 1), 1, 1)
    expect(slots.free(partition("one", 1))).toBe(1)
  })

  it("dead endpoints take a quarter of an organization's slots, whatever their number, and get them back when they answer", () => {
    const slots = DeliveryDispatcher.makeSlots(64)
    const dead = Array.from({ length: 200 }, (_, number) => partition("one", number))
    for (const one of dead) {
      slots.begin(one, 0)
      slots.end(one, 15_000, 15_000)
    }
    let begun = 0
    for (const one of dead) {
      if (slots.free(one) === 0) continue
      slots.begin(one, 15_000)
      begun += 1
    }
    expect(begun).toBe(8)
    expect(slots.free(partition("one", 1_000))).toBeGreaterThan(0)
    for (const one of dead.slice(0, 8)) slots.end(one, 5, 15_005)
    expect(slots.free(partition("one", 0))).toBe(32)
  })

  it("are given to many together as they may be begun one after the other, and nothing is taken by asking", () => {
    const slots = DeliveryDispatcher.makeSlots(64)
    const dead = [partition("one", 1), partition("one", 2)]
    for (const one of dead) {
      slots.begin(one, 0)
      slots.end(one, 15_000, 15_000)
    }
    slots.begin(partition("one", 0), 15_000)
    const partitions = [...dead, ...Array.from({ length: 48 }, (_, number) => partition("one", 3 + number))]
    const counts = () =>
      slots.shares(partitions, 1_000, 15_000).map(({ count, partition: { partitionId } }) => [partitionId, count])
    const given = counts()
    expect(given).toHaveLength(31)
    expect(new Set(given.map(([, count]) => count))).toEqual(new Set([1]))
    expect(counts()).toEqual(given)
    expect(slots.shares(partitions, 7, 15_000)).toHaveLength(7)
    // Of few partitions each has several, and the dead ones a quarter of all at most.
    const few = slots.shares([...dead, partition("one", 3)], 1_000, 15_000)
    expect(few.map(({ count }) => count)).toEqual([4, 4, 8])
    for (const { count, partition: of } of few) for (let one = 0; one < count; one++) slots.begin(of, 15_000)
    expect(slots.shares(dead, 1_000, 15_000)).toEqual([])
  })

  it("a dead endpoint is known before its first attempt has ended, and takes no more than the others leave", () => {
    const slots = DeliveryDispatcher.makeSlots(64)
    const dead = Array.from({ length: 5 }, (_, number) => partition("one", number))
    for (const one of dead) slots.begin(one, 0)
    slots.markSlow(999)
    expect(slots.free(partition("one", 0))).toBe(5)
    slots.begin(partition("one", 100), 500)
    slots.markSlow(1_000)
    const taken = dead.filter((one) => {
      if (slots.free(one) === 0) return false
      slots.begin(one, 1_000)
      return true
    })
    expect(taken).toHaveLength(8 - dead.length)
    expect(slots.free(partition("one", 100))).toBe(4)
    for (const one of dead) slots.end(one, 1_500, 1_500)
    for (const one of taken) slots.end(one, 5, 1_501)
    slots.end(partition("one", 100), 5, 1_501)
    expect(slots.free(partition("one", 0))).toBe(32)
  })
})

describe("W13: partitions of several organizations", () => {
  const partition = (organizationId: string, number: number) => ({
    organizationId,
    partitionId: `${organizationId}-${number}`
  })
  const many = Array.from({ length: 500 }, (_, number) => partition("many", number))

  it("are served by organization first", () => {
    const all = [...many, partition("few", 0), partition("other", 0), partition("few", 1)]
    expect(FairClaims.byOrganization(all, 5).map(({ partitionId }) => partitionId)).toEqual([
      "many-0",
      "few-0",
      "other-0",
      "many-1",
      "few-1"
    ])
    const shares = DeliveryDispatcher.makeSlots(1_536).shares(FairClaims.byOrganization(all, 128), 128, 0)
    const counts = new Map<string, number>()
    for (const { count, partition: of } of shares) {
      counts.set(of.organizationId, (counts.get(of.organizationId) ?? 0) + count)
    }
    expect([...counts]).toEqual([
      ["many", 43],
      ["few", 43],
      ["other", 42]
    ])
  })

  it("have a place left where 500 endpoints of one hang, and hung ones come last", () => {
    const slots = DeliveryDispatcher.makeSlots(1_536)
    for (const one of many) slots.begin(one, 0)
    slots.markSlow(1_000)
    // Those that hang take a quarter of a share, and their organization's others come before them.
    expect(slots.free(partition("many", 0))).toBe(0)
    expect(slots.free(partition("quiet", 0))).toBe(768)
    for (const one of many) slots.end(one, 15_000, 15_000)
    const shares = slots.shares([...many, partition("many", 1_000)], 128, 15_000)
    expect(shares.find(({ partition: { partitionId } }) => partitionId === "many-1000")?.count).toBeGreaterThan(0)
    expect(slots.shares(many, 1_000, 15_000).reduce((sum, { count }) => sum + count, 0)).toBe(192)
  })

  Tests.scoped(
    "are found soon, one that comes while thousands of another wait too, and no listing is long",
    function* () {
      const listed: Array<number> = []
      let machineNow = 0
      const ofLoud = Array.from({ length: 5_000 }, (_, number) => `a-${String(number).padStart(5, "0")}`)
      const ids = [...ofLoud]
      const claims = FairClaims.make({
        claim: ({ limit, shares }) =>
          Effect.sync(() =>
            (shares ?? [{ partitionId: ofLoud[0] ?? "", limit }]).flatMap((share) =>
              Array.from({ length: share.limit }, () => share.partitionId)
            )
          ),
        partitions: ({ after, limit }) =>
          Effect.sync(() => {
            const page = ids.filter((id) => id > after).slice(0, limit)
            listed.push(page.length)
            // As slow as a busy database.
            machineNow += page.length / 10
            const partitions = page.map((partitionId) => ({
              partitionId,
              organizationId: partitionId.slice(0, 1),
              first: { dueAt: 0, id: "" }
            }))
            return { partitions, next: page.length === limit ? (page.at(-1) ?? null) : null }
          }),
        placeOf: (partitionId: string) => ({ dueAt: 0, id: "", partitionId }),
        ...FairClaims.makeJobSlots(BATCH),
        batchSize: BATCH,
        isStrict: false
      })
      const clock = SteppedClock.at(yield* Clock.Clock, () => machineNow)
      const claim = Effect.suspend(() => {
        machineNow += 10
        return claims.next({ now: NOW, machineNow, until: machineNow + 60_000, token: "t" }, BATCH)
      }).pipe(Effect.provideService(Clock.Clock, clock))
      for (let count = 0; count < 1_000; count++) yield* claim
      ids.push("z-quiet")
      const since = machineNow
      while (!(yield* claim).includes("z-quiet")) expect(machineNow - since).toBeLessThan(5_000)
      expect(Math.max(...listed)).toBeLessThanOrEqual(256)
    }
  )
})

describe("a worker that was out of reach of its database's news", () => {
  Tests.scoped("searches from the beginning, since it may have missed any", function* () {
    const { claim, put, claims } = yield* worker
    yield* put(jobsOf("first", 3, () => NOW - 10))
    expect(yield* claim).toHaveLength(3)
    expect(claims.searchFrom({ now: NOW, machineNow: 0 })).toHaveProperty("from")
    claims.notify(Changes.anything.jobsDueAt ?? NOW)
    expect(claims.searchFrom({ now: NOW, machineNow: 0 })).not.toHaveProperty("from")
    yield* put(jobsOf("missed", 2, () => NOW - 1_000))
    expect(yield* claim).toHaveLength(2)
  })
})
