import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Job, Jobs, type Storage } from "simplan/ports"
import { describe, expect, vi } from "vitest"
import * as Ids from "../../../src/app/commit/Ids.ts"
import * as SimReservations from "../../../src/app/sims/SimReservations.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, connect, inService, newSims, on } from "./PostgresWorld.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const org = "org"

/** Runs on a machine whose clock is ahead. */
const ahead = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const now = Date.now
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + millis)
    return Effect.ensuring(
      Effect.clockWith((own) => Effect.provideService(effect, Clock.Clock, SteppedClock.of(own).clock)),
      Effect.sync(() => clock.mockRestore())
    )
  })

/** What claims for the requests of a process. */
const claiming = (adapter: Adapter) =>
  SimReservations.layer.pipe(
    Layer.provide(Ids.layer.pipe(Layer.provide(NodeCrypto.layer))),
    Layer.provide(Layer.succeedContext(adapter)),
    Layer.fresh,
    Layer.build,
    Effect.map((context) => Context.get(context, SimReservations.SimReservations))
  )

const claim = (adapter: Adapter, token: string, machineNow = 0, count = 1) =>
  on(adapter, (storage) =>
    storage.sims.reserve({
      organizationId: org,
      label: "Green",
      purpose: "subscription",
      load: null,
      token,
      count,
      machineNow,
      until: machineNow + 1_000
    })
  )

const job = (number: number): Job.Job =>
  Values.job({
    jobId: `job-${String(number).padStart(3, "0")}`,
    organizationId: org,
    work: { _tag: "Provision", iccid: "1", attachmentId: String(number) },
    dueAt: number
  })

describe("Claims of several processes on one PostgreSQL", () => {
  const url = Databases.forEachTest()

  Tests.scoped(
    "each SIM goes to one of many requests at once, and none is refused for want of one while one is left",
    function* () {
      const adapters = yield* Effect.all([connect(url(), 8), connect(url(), 8)])
      yield* on(adapters[0], (storage) => storage.sims.import(newSims(org, 0, 60)))

      // As a use case does it: claim, then commit; Busy means to try again.
      const subscribe = (adapter: Adapter, id: string): Effect.Effect<string | null, unknown> =>
        Effect.gen(function* () {
          while (true) {
            const { shortage, sims }: Storage.ReservedSims = yield* claim(adapter, id)
            const [sim] = sims
            if (sim !== undefined) {
              yield* on(adapter, (storage) => storage.commit({ sims: [inService(sim, id, 1)] }))
              return sim.iccid
            }
            if (shortage === "None") return null
            yield* Effect.sleep(2)
          }
        })
      const given = yield* Effect.all(
        Array.from({ length: 75 }, (_, index) => subscribe(adapters[index % 2] ?? adapters[0], `id-${index}`)),
        { concurrency: "unbounded" }
      )
      const iccids = given.filter((iccid) => iccid !== null)
      expect(iccids).toHaveLength(60)
      expect(new Set(iccids).size).toBe(60)
    }
  )

  Tests.scoped(
    "each SIM goes to one of many requests of processes that claim ahead, and none stays with them",
    function* () {
      const adapters = yield* Effect.all([connect(url(), 8), connect(url(), 8)])
      yield* on(adapters[0], (storage) => storage.sims.import(newSims(org, 0, 300)))
      const processes = yield* Effect.forEach(adapters, claiming)
      const kind = { organizationId: org, label: "Green", purpose: "subscription", load: null } as const
      const subscribe = (number: number): Effect.Effect<string | null, Storage.StorageError | Storage.Conflict> =>
        (processes[number % 2] ?? processes[0]).during((claim) =>
          claim(kind).pipe(
            Effect.tap((sim) =>
              on(adapters[0], (storage) => storage.commit({ sims: [inService(sim, `id-${number}`, 1)] }))
            ),
            Effect.map(({ iccid }) => iccid),
            Effect.catchTag(["NoFreeSim", "SimsReleasing"], () => Effect.succeed(null))
          )
        )
      const requests = Array.from({ length: 330 }, (_, number) => subscribe(number))
      const first = yield* Effect.all(requests.slice(0, 200), { concurrency: 20 })
      // They hand back what they have claimed ahead, soon.
      for (let open = 0; open < 100; ) {
        const { sims } = yield* claim(adapters[0], "all", Date.now(), 100)
        const held = sims.map(({ iccid }) => ({ iccid, token: "all" }))
        yield* on(adapters[0], (storage) => storage.sims.release({ organizationId: org, reservations: held }))
        open = held.length
      }
      const rest = yield* Effect.all(requests.slice(200), { concurrency: 20 })
      const iccids = [...first, ...rest].filter((iccid) => iccid !== null)
      expect(iccids).toHaveLength(300)
      expect(new Set(iccids).size).toBe(300)
    }
  )

  Tests.scoped("a claim in a transaction is undone with it, and asks for no other connection", function* () {
    const adapter = yield* connect(url(), 1)
    yield* on(adapter, (storage) => storage.sims.import(newSims(org, 0, 1)))
    const { during } = yield* claiming(adapter)
    const client = yield* Effect.provide(SqlClient.SqlClient, adapter)
    const one = during((of) => of({ organizationId: org, label: "Green", purpose: "subscription", load: null }))
    yield* Effect.flip(client.withTransaction(Effect.andThen(one, Effect.fail("undone"))))
    expect((yield* claim(adapter, "a", Date.now())).sims).toMatchObject([{ version: 2 }])
  })

  Tests.scoped(
    "a claim, which does not wait for the disk, leaves it to the session and to a transaction to wait for it",
    function* () {
      const one = yield* connect(url(), 1)
      yield* on(one, (storage) => storage.sims.import(newSims(org, 0, 2)))
      const client = yield* Effect.provide(SqlClient.SqlClient, one)
      const setting = Effect.map(
        client<{ readonly setting: string }>`select current_setting('synchronous_commit') as setting`,
        ([row]) => row?.setting
      )
      yield* client`set synchronous_commit = 'on'`
      expect((yield* claim(one, "first")).sims).toHaveLength(1)
      expect(yield* setting).toBe("on")
      const within = Effect.andThen(claim(one, "second"), (second) => Effect.zip(Effect.succeed(second), setting))
      const [second, then] = yield* client.withTransaction(within)
      expect(second.sims).toHaveLength(1)
      expect(then).toBe("on")
    }
  )

  Tests.scoped("a SIM whose row is locked is busy, never absent", function* () {
    const [one, other] = yield* Effect.all([connect(url()), connect(url())])
    yield* on(one, (storage) => storage.sims.import(newSims(org, 0, 1)))
    const client = yield* Effect.provide(SqlClient.SqlClient, one)
    yield* client.withTransaction(
      Effect.gen(function* () {
        yield* client`select 1 from simplan.sim for update`
        expect((yield* claim(other, "a")).shortage).toBe("Busy")
      })
    )
    expect((yield* claim(other, "a")).sims).toHaveLength(1)
    expect((yield* claim(one, "b")).shortage).toBe("Busy")
    // A claim lasts a second; well after it, as the two measure the database's clock each for
    // itself.
    expect((yield* claim(one, "b", 10_000)).sims).toHaveLength(1)
  })

  Tests.scoped("a lease lasts as long for a process whose clock is an hour ahead", function* () {
    const HOUR = 3_600_000
    const punctual = yield* connect(url())
    const fast = yield* ahead(HOUR, connect(url()))
    const now = Date.now()
    yield* on(punctual, (storage) => storage.sims.import(newSims(org, 0, 1)))
    // Each goes by its own clock; a claim lasts a second.
    expect((yield* ahead(HOUR, claim(fast, "a", now + HOUR))).sims).toHaveLength(1)
    expect((yield* claim(punctual, "b", now + 500)).shortage).toBe("Busy")
    expect((yield* claim(punctual, "b", now + 10_000)).sims).toHaveLength(1)
    expect((yield* ahead(HOUR, claim(fast, "a", now + HOUR + 10_500))).shortage).toBe("Busy")
  })

  Tests.scoped("so does a lease that goes on with a job", function* () {
    const HOUR = 3_600_000
    const punctual = yield* connect(url())
    const fast = yield* ahead(HOUR, connect(url()))
    const now = Date.now()
    const take = (adapter: Adapter, token: string, machineNow: number) =>
      Effect.provide(
        Jobs.Jobs.use((jobs) => jobs.claim({ now: 1_000, machineNow, until: machineNow + 60_000, token, limit: 1 })),
        adapter
      )
    yield* on(punctual, (storage) => storage.commit({ jobs: { put: [{ job: job(1), lease: null }] } }))
    expect(yield* ahead(HOUR, take(fast, "a", now + HOUR))).toHaveLength(1)
    const lease = { token: "b", until: now + HOUR + 1_000 }
    const retried = [
      { organizationId: job(1).organizationId, jobId: job(1).jobId, token: "a", attempts: 0, dueAt: 1, lease }
    ]
    yield* ahead(
      HOUR,
      on(fast, (storage) => storage.commit({ jobs: { retried } }))
    )
    expect(yield* take(punctual, "c", now)).toHaveLength(0)
    expect(yield* take(punctual, "c", now + 10_000)).toHaveLength(1)
  })

  Tests.scoped("a machine's clock that is set while the process runs changes nothing", function* () {
    const adapter = yield* connect(url())
    const time = on(adapter, (storage) => Effect.map(storage.clockOffset, (by) => Date.now() + by))
    const before = yield* time
    const set = yield* ahead(-7_200_000, time)
    const after = yield* time
    // To within what a slow database takes to say its time.
    expect(set).toBeGreaterThanOrEqual(before - 1_000)
    expect(set).toBeLessThanOrEqual(after + 1_000)
  })

  Tests.scoped(
    "each job goes to one worker, in due order, past those that another worker's transaction has",
    function* () {
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
    }
  )
})
