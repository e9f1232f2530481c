import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql"
import { type Job, Jobs, type Storage } from "simplan"
import { describe, expect, it, vi } from "vitest"
import * as Databases from "../setup/Databases.ts"
import { type Adapter, connect, inService, newSims, on } from "./PostgresWorld.ts"

const org = "org"

/** Runs on a machine whose clock is ahead. */
const ahead = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const now = Date.now
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + millis)
    return Effect.ensuring(
      effect,
      Effect.sync(() => clock.mockRestore())
    )
  })

const claim = (adapter: Adapter, token: string, machineNow = 0) =>
  on(adapter, (storage) =>
    storage.claimSim({
      organizationId: org,
      label: "Green",
      purpose: "subscription",
      token,
      machineNow,
      until: machineNow + 1_000
    })
  )

const job = (number: number): Job.Job => ({
  jobId: `job-${String(number).padStart(3, "0")}`,
  organizationId: org,
  work: { _tag: "Provision", iccid: "1", attachmentId: String(number) },
  dueAt: number,
  attempts: 0,
  createdAt: 0,
  idempotencyKey: null
})

describe("Claims of several processes on one PostgreSQL", () => {
  const url = Databases.forEachTest()

  it("each SIM goes to one of many requests at once, and none is told that none is left while one is", () =>
    Effect.gen(function* () {
      const adapters = yield* Effect.all([connect(url(), 8), connect(url(), 8)])
      yield* on(adapters[0], (storage) => storage.importSims(newSims(org, 0, 60)))

      // As a use case does it: claim, then commit; Busy means to try again.
      const subscribe = (adapter: Adapter, id: string): Effect.Effect<string | null, unknown> =>
        Effect.gen(function* () {
          while (true) {
            const outcome: Storage.ClaimOutcome = yield* claim(adapter, id)
            if (outcome._tag === "None") return null
            if (outcome._tag === "Busy") {
              yield* Effect.sleep(2)
              continue
            }
            yield* on(adapter, (storage) => storage.commit(inService(outcome.sim, id, 1)))
            return outcome.sim.iccid
          }
        })
      const given = yield* Effect.all(
        Array.from({ length: 75 }, (_, index) => subscribe(adapters[index % 2] ?? adapters[0], `id-${index}`)),
        { concurrency: "unbounded" }
      )
      const iccids = given.filter((iccid) => iccid !== null)
      expect(iccids).toHaveLength(60)
      expect(new Set(iccids).size).toBe(60)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a claim, which does not wait for the disk, leaves it to the session and to a transaction to wait for it", () =>
    Effect.gen(function* () {
      const one = yield* connect(url(), 1)
      yield* on(one, (storage) => storage.importSims(newSims(org, 0, 2)))
      const client = yield* Effect.provide(SqlClient.SqlClient, one)
      const setting = Effect.map(
        client<{ readonly setting: string }>`select current_setting('synchronous_commit') as setting`,
        ([row]) => row?.setting
      )
      yield* client`set synchronous_commit = 'on'`
      expect((yield* claim(one, "first"))._tag).toBe("Claimed")
      expect(yield* setting).toBe("on")
      const within = Effect.andThen(claim(one, "second"), (second) => Effect.zip(Effect.succeed(second), setting))
      const [second, then] = yield* client.withTransaction(within)
      expect(second._tag).toBe("Claimed")
      expect(then).toBe("on")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a SIM whose row is locked is busy, never absent", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([connect(url()), connect(url())])
      yield* on(one, (storage) => storage.importSims(newSims(org, 0, 1)))
      const client = yield* Effect.provide(SqlClient.SqlClient, one)
      yield* client.withTransaction(
        Effect.gen(function* () {
          yield* client`select 1 from simplan.sim for update`
          expect((yield* claim(other, "a"))._tag).toBe("Busy")
        })
      )
      expect((yield* claim(other, "a"))._tag).toBe("Claimed")
      expect((yield* claim(one, "b"))._tag).toBe("Busy")
      // A claim lasts a second; well after it, as the two measure the database's clock each for itself.
      expect((yield* claim(one, "b", 10_000))._tag).toBe("Claimed")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a lease lasts as long for a process whose clock is an hour ahead", () =>
    Effect.gen(function* () {
      const HOUR = 3_600_000
      const punctual = yield* connect(url())
      const fast = yield* ahead(HOUR, connect(url()))
      const now = Date.now()
      yield* on(punctual, (storage) => storage.importSims(newSims(org, 0, 1)))
      // Each says what its own clock tells; a claim lasts a second.
      expect((yield* ahead(HOUR, claim(fast, "a", now + HOUR)))._tag).toBe("Claimed")
      expect((yield* claim(punctual, "b", now + 500))._tag).toBe("Busy")
      expect((yield* claim(punctual, "b", now + 10_000))._tag).toBe("Claimed")
      expect((yield* ahead(HOUR, claim(fast, "a", now + HOUR + 10_500)))._tag).toBe("Busy")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("a machine's clock that is set while the process runs changes nothing", () =>
    Effect.gen(function* () {
      const adapter = yield* connect(url())
      const time = on(adapter, (storage) => Effect.map(storage.ahead, (by) => Date.now() + by))
      const before = yield* time
      const set = yield* ahead(-7_200_000, time)
      const after = yield* time
      expect(set).toBeGreaterThanOrEqual(before - 2)
      expect(set).toBeLessThanOrEqual(after + 2)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("each job goes to one worker, in due order, past those that another worker's transaction has", () =>
    Effect.gen(function* () {
      const adapters = yield* Effect.all([connect(url(), 8), connect(url(), 8)])
      yield* on(adapters[0], (storage) =>
        storage.commit({ jobs: { put: Array.from({ length: 200 }, (_, n) => ({ job: job(n), lease: null })) } })
      )
      const claimed = yield* Effect.all(
        Array.from({ length: 30 }, (_, index) =>
          Effect.provide(
            Jobs.Jobs.use((jobs) =>
              jobs.claim({ now: 1_000, machineNow: 0, until: 60_000, token: `worker-${index}`, limit: 8 })
            ),
            adapters[index % 2] ?? adapters[0]
          )
        ),
        { concurrency: "unbounded" }
      )
      const ids = claimed.flat().map(({ jobId }) => jobId)
      expect(ids).toHaveLength(200)
      expect(new Set(ids).size).toBe(200)
      for (const batch of claimed) {
        const due = batch.map(({ dueAt }) => dueAt)
        expect(due).toEqual([...due].sort((a, b) => a - b))
      }
    }).pipe(Effect.scoped, Effect.runPromise))
})
