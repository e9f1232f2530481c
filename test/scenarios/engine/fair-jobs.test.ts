/**
 * Rule W13 at the jobs of a process: jobs of one organization that hang keep no other's waiting,
 * also where the telco has no slots of its own. On a virtual machine clock.
 */
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Services, Settings, Worker } from "simplan"
import { Clocks, type Job, Jobs, Storage, Telco } from "simplan/ports"
import * as Memory from "simplan/memory"
import { describe, expect, it } from "vitest"
import * as FairClaims from "../../../src/app/engine/FairClaims.ts"
import * as Ports from "../Ports.ts"
import { settled } from "./VirtualTime.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const CONCURRENCY = 32
/** How long a call may take, in milliseconds. */
const LIMIT = 10_000

const cancellation = (organizationId: string, number: number, dueAt: number): Job.Job =>
  Values.job({
    jobId: `${organizationId}-${String(number).padStart(4, "0")}`,
    organizationId,
    work: { _tag: "CancelPackages", iccid: "1", packageIds: [`${organizationId}-${number}`], release: null },
    dueAt
  })

/** What a telco of the host was asked to cancel, and how long after the start of virtual time. */
interface Called {
  readonly packageId: string
  readonly at: number
}

/** A worker whose telco answers nothing about the packages of the organizations that hang. */
const world = (hanging: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const called: Array<Called> = []
    const clock = yield* Effect.clockWith(Effect.succeed)
    const organizationOf = (packageId: string) => packageId.split("-")[0] ?? ""
    const cancelPackage = ({ packageId }: { readonly packageId: string }) =>
      Effect.suspend(() => {
        called.push({ packageId, at: clock.currentTimeMillisUnsafe() })
        return hanging.includes(organizationOf(packageId)) ? Effect.never : Effect.sleep(20)
      })
    const telco = Layer.effect(
      Telco.Telco,
      Effect.map(Telco.Telco, (simulator) => ({ ...simulator, cancelPackage }))
    )
    const ports = Layer.provideMerge(Ports.make(Clocks.system), Memory.layer)
    const services = Layer.provideMerge(Services.layer, Layer.provideMerge(telco, ports))
    const limits = Effect.map(Settings.Settings, (preset) => ({
      ...preset,
      concurrency: CONCURRENCY,
      telcoTimeoutMillis: LIMIT,
      drainMillis: 0
    }))
    const context = yield* settled(Effect.provideServiceEffect(Layer.build(services), Settings.Settings, limits))
    const running = Worker.Worker.use((of) => of.runForever)
    yield* Effect.forkScoped(Effect.provideContext(running, context))
    const put = (organizationId: string, from: number, count: number) => {
      const dueAt = clock.currentTimeMillisUnsafe()
      const jobs = Array.from({ length: count }, (_, index) => cancellation(organizationId, from + index, dueAt))
      return Context.get(context, Storage.Storage).commit({ jobs: { put: jobs.map((job) => ({ job, lease: null })) } })
    }
    const backlog = Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      return Context.get(context, Jobs.Jobs).backlog({ now, machineNow: now })
    })
    const of = (organizationId: string) =>
      called.filter(({ packageId }) => organizationOf(packageId) === organizationId)
    return { backlog, clock, of, pass: (millis: number) => settled(Effect.sleep(millis)), put }
  })

const run = Tests.by<Effect.Services<ReturnType<typeof world>>>((test) =>
  test.pipe(Effect.scoped, Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))), Effect.runPromise)
)

describe("W13: an organization with hundreds of due jobs that hang", () => {
  run("keeps no job of another waiting that falls due meanwhile", function* () {
    const { clock, of, pass, put } = yield* world(["loud"])
    yield* put("loud", 0, 400)
    yield* pass(1_500)
    for (let number = 0; number < 10; number++) {
      const dueAt = clock.currentTimeMillisUnsafe()
      yield* put("quiet", number, 1)
      yield* pass(1_000)
      const [job] = of("quiet").slice(number)
      expect((job?.at ?? Number.POSITIVE_INFINITY) - dueAt).toBeLessThan(500)
    }
  })

  run("has all slots but an eighth, and holds under a lease only what it has begun", function* () {
    const { backlog, of, pass, put } = yield* world(["loud"])
    yield* put("loud", 0, 400)
    yield* pass(3_000)
    expect(of("loud")).toHaveLength(28)
    expect(yield* backlog).toMatchObject({ held: 28, due: 372 })
    yield* pass(LIMIT)
    expect(of("loud")).toHaveLength(56)
    expect((yield* backlog).held).toBe(28)
  })

  run("gets no more slots while others have due jobs and hold fewer", function* () {
    const { of, pass, put } = yield* world(["loud", "louder"])
    yield* put("loud", 0, 400)
    yield* pass(5_000)
    yield* put("louder", 0, 400)
    yield* pass(1_000)
    expect([of("loud").length, of("louder").length]).toEqual([28, 4])
    // What ends of the first goes to the second, up to an even share.
    yield* pass(5_000)
    expect([of("loud").length, of("louder").length]).toEqual([28 + 16, 4 + 12])
  })

  run("is done in full when it is alone", function* () {
    const { backlog, of, pass, put } = yield* world([])
    yield* put("many", 0, 2_000)
    yield* put("few", 0, 20)
    yield* pass(5_000)
    expect(new Set([...of("many"), ...of("few")].map(({ packageId }) => packageId)).size).toBe(2_020)
    expect(yield* backlog).toMatchObject({ due: 0, held: 0 })
  })
})

describe("W13: job slots", () => {
  const partition = (organizationId: string) => ({
    organizationId,
    partitionId: organizationId,
    first: { dueAt: 0, id: "" }
  })

  it("are given to those that hold fewest, and nothing is taken by asking", () => {
    const slots = FairClaims.makeJobSlots(16)
    for (let count = 0; count < 9; count++) slots.begin(partition("a"))
    const counts = () =>
      slots.shares(["a", "b", "c"].map(partition), 16, 0).map((share) => [share.partition.partitionId, share.count])
    expect(counts()).toEqual([
      ["b", 4],
      ["c", 3]
    ])
    expect(counts()).toHaveLength(2)
    expect(slots.shares([partition("a")], 16, 0).map(({ count }) => count)).toEqual([5])
    expect(slots.open()).toBe(5)
    for (let count = 0; count < 5; count++) slots.begin(partition("a"))
    expect([slots.open(), slots.hasFreeSlot(partition("a")), slots.hasFreeSlot(partition("b"))]).toEqual([
      0,
      false,
      true
    ])
    for (let count = 0; count < 14; count++) slots.end(partition("a"))
    expect(slots.open()).toBe(14)
  })
})
