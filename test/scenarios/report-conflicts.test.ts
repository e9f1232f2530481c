/**
 * Batches of telco reports that come at once and are about the same SIMs: a batch that met a
 * conflict waits for its turn, unless it runs inside a transaction of the host.
 */
import { Context, Effect, Fiber, Latch, Layer } from "effect"
import { Reports, Services } from "simplan"
import { Clocks, HostTransaction, Storage, type TelcoReport } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Ports from "./Ports.ts"
import { expect, it } from "vitest"
import * as Shop from "../setup/Shop.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const ICCIDS = ["8933010000000000001", "8933010000000000002", "8933010000000000003"]

const batch = (name: string): ReadonlyArray<TelcoReport.Report> =>
  ICCIDS.map((iccid) => ({
    reportId: `${name} of ${iccid}`,
    iccid,
    occurredAt: NOW,
    fact: { _tag: "Location", countryAlpha2: "FR", operator: "Orange", rat: "4G", imei: "1" }
  }))

type Commit = Storage.Storage["Service"]["commit"]

/** The service on a storage in memory, whose commits `around` may hold up, refuse or count. */
const run = <A, E>(
  around: (commit: Commit) => Commit,
  use: Effect.Effect<A, E, Services.Services>,
  isInside: Effect.Effect<boolean> = Effect.succeed(false)
) => {
  const storage = Layer.effectContext(
    Effect.map(Layer.build(Memory.layer), (context) => {
      const plain = Context.get(context, Storage.Storage)
      const { simAggregates } = plain
      return Context.add(context, Storage.Storage, {
        ...plain,
        commit: around(plain.commit),
        // Whoever reads at the same moment reads the same.
        simAggregates: {
          ...simAggregates,
          forReports: (of) => Effect.tap(simAggregates.forReports(of), () => Effect.yieldNow)
        }
      })
    })
  )
  const ports = Layer.mergeAll(
    storage,
    Ports.make(Clocks.virtual(NOW)),
    Layer.succeed(HostTransaction.HostTransaction, isInside)
  )
  return Effect.andThen(Shop.open(ICCIDS), use).pipe(
    Effect.provide(Layer.provide(Services.layer, ports)),
    Effect.runPromise
  )
}

/**
 * Refuses the first commit of each batch as a conflict, and reports it to `refused`. `again` makes
 * each further one. A batch is named by a letter.
 */
const refusedAtFirst =
  (
    again: (name: string, commit: ReturnType<Commit>) => ReturnType<Commit>,
    refused: Effect.Effect<unknown> = Effect.void
  ) =>
  (commit: Commit): Commit => {
    const tried = new Set<string>()
    return (of) =>
      Effect.suspend(() => {
        const name = of.reports?.seen?.[0]?.reportId.charAt(0)
        if (name === undefined) return commit(of)
        if (tried.has(name)) return again(name, commit(of))
        tried.add(name)
        return Effect.andThen(refused, Effect.fail(new Storage.Conflict({ on: "version" })))
      })
  }

const take = (name: string) => Reports.Reports.use((of) => of.take({ reports: batch(name) }))
const accepted = ICCIDS.map(() => ({ _tag: "Accepted" }))

it("batches that come at once are decided at most twice each", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
  let commits = 0
  const counted =
    (commit: Commit): Commit =>
    (of) =>
      Effect.suspend(() => {
        if (of.reports !== undefined) commits += 1
        return commit(of)
      })
  const verdicts = await run(counted, Effect.forEach(names, take, { concurrency: "unbounded" }))
  expect(verdicts).toEqual(names.map(() => accepted))
  // One succeeds at first; each of the others has a conflict and, in its turn, none.
  expect(commits).toBe(2 * names.length - 1)
})

it("a batch inside a transaction of the host waits for no turn", async () => {
  const inside = Context.Reference("test/Inside", { defaultValue: () => false })
  const [hasTurn, lock] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
  const locked = refusedAtFirst((name, commit) =>
    name === "w" ? Effect.andThen(hasTurn.open, Effect.andThen(lock.await, commit)) : commit
  )
  const verdicts = await run(
    locked,
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(take("w"))
      yield* hasTurn.await
      const within = yield* Effect.timeout(Effect.provideService(take("t"), inside, true), "5 seconds")
      yield* lock.open
      return [within, yield* Fiber.join(waiting)]
    }),
    Effect.service(inside)
  )
  expect(verdicts).toEqual([accepted, accepted])
})

it("a batch that is interrupted in its turn gives the turn back", async () => {
  const [hasTurn, refused] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
  const stuck = refusedAtFirst(
    (name, commit) => (name === "s" ? Effect.andThen(hasTurn.open, Effect.never) : commit),
    refused.open
  )
  const verdicts = await run(
    stuck,
    Effect.gen(function* () {
      const holder = yield* Effect.forkChild(take("s"))
      yield* hasTurn.await
      yield* refused.close
      const waiting = yield* Effect.forkChild(take("w"))
      yield* refused.await
      yield* Fiber.interrupt(holder)
      return yield* Effect.timeout(Fiber.join(waiting), "5 seconds")
    })
  )
  expect(verdicts).toEqual(accepted)
})
