/**
 * Corrections of many SIMs at once (rule I9): requests take turns, so that others wait for one
 * batch however many rows are sent.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { Clock, Deferred, Effect, Result, Stream } from "effect"
import { AuditLog, IdempotencyKeys, Organizations, SimCorrections } from "simplan"
import { SimCorrection } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, type World } from "../World.ts"

const BATCH = 500

it("of all requests one batch is under way at a time", async () => {
  const world = await make()
  const other = await world.run(Organizations.Organizations.use((of) => of.create({ name: "Other Ltd" })))
  const own = await world.importSims(3 * BATCH)
  const rowsOf = (iccids: ReadonlyArray<string>) =>
    Stream.fromIterable(iccids.map((iccid) => ({ iccid, label: "Blue" })))
  const correct = (organizationId: string, iccids: ReadonlyArray<string>) =>
    SimCorrections.SimCorrections.use((of) =>
      Stream.runCollect(of.correctAll({ organizationId, rows: rowsOf(iccids), dryRun: false }))
    )
  let [underWay, most] = [0, 0]
  world.beforeCommit(async () => {
    underWay += 1
    most = Math.max(most, underWay)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    underWay -= 1
  })

  const results = await world.run(
    Effect.all(
      [correct(world.organizationId, own), correct(world.organizationId, own), correct(other.organizationId, own)],
      {
        concurrency: "unbounded"
      }
    )
  )

  expect(most).toBe(1)
  const [first = [], second = [], others = []] = results.map((rows) => rows.map(({ result }) => result))
  expect([...first, ...second].filter((result) => result === "corrected")).toHaveLength(own.length)
  expect([...first, ...second].filter((result) => result === "unchanged")).toHaveLength(own.length)
  expect(new Set(others)).toEqual(new Set(["refused"]))
})

it("a row whose ICCID is a number, which has lost digits, names no SIM (I1)", () => {
  for (const number of [Number("8988000000000002100"), 0, true, {}]) {
    const row = SimCorrections.rowOf(number, Result.succeed({ lpa: null }))
    expect(row).toMatchObject({ iccid: null, problem: { field: "iccid", message: "must be text" } })
  }
})

describe("many corrections under an idempotency key (W2)", () => {
  /**
   * Rows in three batches, of which the second to last is refused, and the last one says what the
   * first one does.
   */
  const rowsOf = (iccids: ReadonlyArray<string>): ReadonlyArray<SimCorrections.Row> => [
    ...iccids.map((iccid) => ({ iccid, label: "Blue" })),
    { iccid: "12", label: "Blue" },
    { iccid: iccids[0] ?? "", label: "Blue" }
  ]
  const COUNT = 2 * BATCH + 20
  const RESULTS = `${"c".repeat(COUNT)}ru`
  const COMMITS = 5

  const correct = (world: World, rows: ReadonlyArray<SimCorrections.Row>, fingerprint?: string) =>
    Effect.result(
      IdempotencyKeys.IdempotencyKeys.use((keys) =>
        SimCorrections.SimCorrections.use((of) =>
          keys.once("Corrections", of.correctOnce({ organizationId: world.organizationId, rows }))
        )
      ).pipe(Calls.underKey(world, "updates-1", fingerprint))
    )

  /** A minute later by the machine's clock. */
  const later = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) => {
      const shifted: Clock.Clock = Object.create(clock, {
        currentTimeMillisUnsafe: { value: () => clock.currentTimeMillisUnsafe() + 60_000 }
      })
      return Effect.provideService(effect, Clock.Clock, shifted)
    })

  const inProgress = { _tag: "Failure", failure: { _tag: "RequestInProgress" } }
  const reused = { _tag: "Failure", failure: { _tag: "IdempotencyKeyReused" } }
  const succeeded = (results: string) => ({ _tag: "Success", success: { results } })

  /** How often each SIM was given another label. */
  const changes = async (world: World) => {
    const query = { from: null, to: null, actor: null, action: "sim.set_label", resourceId: null }
    const { organizationId } = world
    const entries = await world.run(
      AuditLog.AuditLog.use((of) => of.page({ organizationId, ...query, after: null, limit: 5_000 }))
    )
    const counts = new Map<string, number>()
    for (const { resourceId } of entries.items) counts.set(resourceId, (counts.get(resourceId) ?? 0) + 1)
    return counts
  }

  const kills = Array.from({ length: COMMITS }, (_, index) => index + 1).flatMap((at) =>
    (["before", "after"] as const).map((when) => ({ at, when }))
  )

  it.each(kills)("end with the same outcome after a crash $when commit $at", async ({ at, when }) => {
    const world = await make()
    const iccids = await world.importSims(COUNT)
    const rows = rowsOf(iccids)
    await world.crashAt(at, when)(() => world.run(correct(world, rows)))
    await world.restart()
    const [isRecorded, isOver] = [at > 1 || when === "after", at === COMMITS && when === "after"]
    if (isRecorded) expect(await world.run(correct(world, rows, "another request"))).toMatchObject(reused)
    if (isRecorded && !isOver) expect(await world.run(correct(world, rows))).toMatchObject(inProgress)
    const ended = await world.run(later(correct(world, rows)))
    expect(ended).toMatchObject(succeeded(RESULTS))
    expect(await world.run(correct(world, rows))).toEqual(ended)
    expect(await world.run(correct(world, rows, "another request"))).toMatchObject(reused)
    const counts = await changes(world)
    expect([counts.size, new Set(counts.values())]).toEqual([COUNT, new Set([1])])
    expect((await Calls.sim(world, iccids.at(-1) ?? "")).label).toBe("Blue")
  })

  it("go on at once where the storage failed, behind what was done", async () => {
    const world = await make()
    const rows = rowsOf(await world.importSims(COUNT))
    let batches = 0
    const hasFailed = world.failNextCommit(({ sims = [] }) => sims.length > 0 && ++batches === 2)
    expect(await world.run(correct(world, rows))).toMatchObject({ failure: { _tag: "StorageError" } })
    expect(hasFailed()).toBe(true)
    expect(await world.run(correct(world, rows, "another request"))).toMatchObject(reused)
    expect(await world.run(correct(world, rows))).toMatchObject(succeeded(RESULTS))
    expect(new Set((await changes(world)).values())).toEqual(new Set([1]))
  })

  it("are one request where several come at once, and each has a commit that a SIM's change has made in vain", async () => {
    const world = await make()
    const iccids = await world.importSims(COUNT)
    const rows = rowsOf(iccids)
    const [first = ""] = iccids
    let isChanged = false
    world.beforeCommit(async ({ sims = [] }) => {
      if (isChanged || sims.length < BATCH) return
      isChanged = true
      const one = { organizationId: world.organizationId, iccid: first, status: "withdrawn", reason: "lost" } as const
      await world.run(SimCorrections.SimCorrections.use((of) => of.correct(one)))
    })
    const answers = await world.run(
      Effect.all([correct(world, rows), correct(world, rows)], { concurrency: "unbounded" })
    )
    Calls.expectOneToGoOn(answers)
    expect(await world.run(correct(world, rows))).toMatchObject(succeeded(RESULTS))
    expect(isChanged).toBe(true)
    expect(new Set((await changes(world)).values())).toEqual(new Set([1]))
  })

  it("write nothing more once another process has gone on with them", async () => {
    const world = await make()
    const rows = rowsOf(await world.importSims(COUNT))
    const [paused, resumed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    let batches = 0
    world.beforeCommit(async ({ sims = [] }) => {
      if (sims.length === 0 || ++batches !== 2) return
      Effect.runSync(Deferred.succeed(paused, undefined))
      await Effect.runPromise(Deferred.await(resumed))
    })
    const old = world.run(correct(world, rows))
    await Effect.runPromise(Deferred.await(paused))
    await world.restart()
    const ended = await world.run(later(correct(world, rows)))
    expect(ended).toMatchObject(succeeded(RESULTS))
    Effect.runSync(Deferred.succeed(resumed, undefined))
    expect(await old).toEqual(ended)
    expect(new Set((await changes(world)).values())).toEqual(new Set([1]))
  })

  it("keep the reasons of the first refused rows, and say of the further ones that they were cut", async () => {
    const world = await make()
    const rows = Array.from({ length: SimCorrection.KEPT_REFUSALS + 2 }, () => ({ iccid: "12", label: "Blue" }))
    const ended = await world.run(correct(world, rows))
    if (ended._tag === "Failure") throw new Error("it fails")
    expect(ended.success.refusals).toHaveLength(SimCorrection.KEPT_REFUSALS)
    const results = SimCorrection.resultsIn(ended.success)
    expect(results).toHaveLength(rows.length)
    expect(results.slice(-3).map(({ refusal }) => (typeof refusal === "object" ? refusal?._tag : refusal))).toEqual([
      "InvalidField",
      "cut",
      "cut"
    ])
  })
})
