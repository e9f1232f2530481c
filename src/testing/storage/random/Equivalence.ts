/**
 * The strongest case: random steps are taken on the storage under test and on a reference, and each
 * step must have the same outcome on both, conflicts included; in the end all that can be read is
 * the same.
 */
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import * as Cost from "../../../domain/Cost.ts"
import { DAY, MINUTE, SECOND } from "../../../domain/Time.ts"
import { Jobs } from "../../../ports/Jobs.ts"
import { Outbox } from "../../../ports/Outbox.ts"
import { type Commit, Storage } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import * as Asks from "./RandomAsks.ts"
import { withoutImportSequences } from "./RandomAsks.ts"
import { compatible, type NamedPart, part, piece, type Side } from "./RandomCommits.ts"
import * as RandomReads from "./RandomReads.ts"
import { type Ask, idOf, type Run } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

type Services = Storage | Jobs | Outbox

type Service = Pick<World.World, "storage" | "jobs" | "outbox">

type Step =
  | { readonly do: "commit"; readonly parts: ReadonlyArray<NamedPart> }
  | {
      readonly do: Asks.Name
      readonly row: number
      readonly choice: number
      /** The machine's time, which may be a little behind that of the step before. */
      readonly jitter: number
    }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("commit" as const), parts: fc.array(part, { minLength: 1, maxLength: 5 }) })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: Asks.name,
      row: fc.nat({ max: 5 }),
      choice: fc.nat({ max: 23 }),
      jitter: fc.integer({ min: -70_000, max: 10_000 })
    })
  }
)

const merge = (left: Commit, right: Commit): Commit => ({
  ...left,
  ...right,
  operators: [...(left.operators ?? []), ...(right.operators ?? [])],
  sessions: [...(left.sessions ?? []), ...(right.sessions ?? [])],
  apiKeys: [...(left.apiKeys ?? []), ...(right.apiKeys ?? [])],
  webhookEndpoints: [...(left.webhookEndpoints ?? []), ...(right.webhookEndpoints ?? [])],
  plans: [...(left.plans ?? []), ...(right.plans ?? [])],
  regions: [...(left.regions ?? []), ...(right.regions ?? [])],
  sims: [...(left.sims ?? []), ...(right.sims ?? [])],
  stockLevels: [...(left.stockLevels ?? []), ...(right.stockLevels ?? [])],
  unchangedPlans: [...(left.unchangedPlans ?? []), ...(right.unchangedPlans ?? [])],
  reports: {
    smdpEntries: [...(left.reports?.smdpEntries ?? []), ...(right.reports?.smdpEntries ?? [])],
    seen: [...(left.reports?.seen ?? []), ...(right.reports?.seen ?? [])],
    usage: [...(left.reports?.usage ?? []), ...(right.reports?.usage ?? [])]
  },
  ledger: Cost.and(left.ledger ?? {}, right.ledger ?? {}),
  events: [...(left.events ?? []), ...(right.events ?? [])],
  idempotency: {
    put: [...(left.idempotency?.put ?? []), ...(right.idempotency?.put ?? [])],
    settled: [...(left.idempotency?.settled ?? []), ...(right.idempotency?.settled ?? [])],
    forgotten: [...(left.idempotency?.forgotten ?? []), ...(right.idempotency?.forgotten ?? [])]
  },
  jobs: {
    put: [...(left.jobs?.put ?? []), ...(right.jobs?.put ?? [])],
    finished: [...(left.jobs?.finished ?? []), ...(right.jobs?.finished ?? [])],
    retried: [...(left.jobs?.retried ?? []), ...(right.jobs?.retried ?? [])],
    hastened: [...(left.jobs?.hastened ?? []), ...(right.jobs?.hastened ?? [])],
    reopened: [...(left.jobs?.reopened ?? []), ...(right.jobs?.reopened ?? [])],
    resolved: [...(left.jobs?.resolved ?? []), ...(right.jobs?.resolved ?? [])],
    cancelled: [...(left.jobs?.cancelled ?? []), ...(right.jobs?.cancelled ?? [])]
  },
  deliveries: {
    settled: [...(left.deliveries?.settled ?? []), ...(right.deliveries?.settled ?? [])],
    replayed: [...(left.deliveries?.replayed ?? []), ...(right.deliveries?.replayed ?? [])]
  }
})

const prepare = (world: World.World, place: number): Run => {
  const own = World.seeded({ ...world, now: world.now - place * DAY }, `run ${place}`)
  const worlds = [
    { ...own, organizationId: own.id() },
    { ...own, organizationId: own.id() }
  ] as const
  const six = (make: () => string) => Array.from({ length: 6 }, make)
  return {
    worlds,
    now: own.now,
    machineNow: world.machineNow + place * 15 * MINUTE,
    iccids: six(own.iccid),
    tokens: [own.id(), own.id()],
    ids: new Map(worlds.map(({ organizationId }) => [organizationId, six(own.id)])),
    hashes: [0, 1, 2].map((index) => own.id().replaceAll("-", "").padEnd(64, `${index}`))
  }
}

// A step's outcome on one side. The world is seeded by the step's place, so that both sides make
// the same ids.
const take = (run: Run, service: Service, taken: Step, place: number) =>
  Effect.gen(function* () {
    const turn = (taken.do === "commit" ? taken.parts.length : taken.choice) % 2
    const [world, other] = [run.worlds[turn === 0 ? 0 : 1], run.worlds[turn === 0 ? 1 : 0]].map((one) => ({
      ...World.seeded(one, `step ${place}`),
      ...service
    }))
    if (world === undefined || other === undefined) return yield* Effect.die("a run has two organizations")
    const side: Side = { world, other }
    const machineNow = run.machineNow + place * 10 * SECOND
    if (taken.do !== "commit")
      return yield* Asks.answer(run, side, taken.do, { ...taken, machineNow: machineNow + taken.jitter })
    const pieces = yield* Effect.forEach(compatible(taken.parts), (part) => piece(run, side, part))
    return yield* world.storage.commit(pieces.reduce(merge, {}))
  }).pipe(Effect.catchTag("Conflict", () => Effect.succeed("Conflict")))

const start = (run: Run, { storage }: Service) =>
  Effect.gen(function* () {
    const before = run.now - DAY / 2
    yield* storage.purge({ idempotencyBefore: before, commandsBefore: before, sessionsBefore: before })
    yield* storage.commit({
      organizations: run.worlds.map(World.organization),
      catalogue: { countries: [], operators: [], profiles: [] },
      clock: run.now
    })
    yield* storage.commit({
      webhookEndpoints: run.worlds.map((one) => Rows.endpoint(one, { endpointId: idOf(run, one, 0) }))
    })
  })

const same = (
  what: string,
  sides: readonly [Service, Service],
  on: (side: Service) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const [actual, expected] = [yield* on(sides[0]), yield* on(sides[1])]
    yield* Suite.equals(what, withoutImportSequences(actual), withoutImportSequences(expected))
  })

// Some SIMs, three of them in service and used, so that the random steps find something to change.
const beginning: ReadonlyArray<Step> = [
  { do: "import", row: 0, choice: 2, jitter: 0 },
  { do: "import", row: 3, choice: 5, jitter: 0 },
  ...(["open", "attach", "use"] as const).map(
    (part): Step => ({ do: "commit", parts: [0, 1, 3].map((row) => ({ part, row, choice: 2, stale: false })) })
  )
]

const lockstep = (world: World.World, sides: readonly [Service, Service], steps: ReadonlyArray<Step>, place: number) =>
  Effect.gen(function* () {
    const run = prepare(world, place)
    yield* same("the start", sides, (side) => start(run, side))
    for (const [index, one] of beginning.entries()) {
      yield* same(`first step ${index}, ${one.do}`, sides, (side) => take(run, side, one, index))
    }
    for (const [index, one] of steps.entries()) {
      yield* same(`step ${index}, ${one.do}`, sides, (side) => take(run, side, one, 10 + index))
    }
    const ask: Ask = { row: 0, choice: 0, machineNow: run.machineNow + 10 * MINUTE }
    for (const one of run.worlds) {
      for (const row of run.iccids.keys()) {
        yield* same("all that can be read", sides, (side) => {
          const mine = { ...one, ...side }
          return Effect.all(RandomReads.all(run, { world: mine, other: mine }, { ...ask, row, choice: 7 * row }))
        })
      }
    }
    for (const side of sides)
      yield* World.finishAll({ ...run.worlds[0], ...side, machineNow: run.machineNow + 14 * MINUTE })
  })

const STEPS = 60

// What is wrong, if anything is: the failing run, made shorter for at most so many milliseconds.
const failureOf = async (
  property: fc.IAsyncProperty<[Array<Step>]>,
  parameters: fc.Parameters<[Array<Step>]>,
  shrinkFor: number
): Promise<string | null> => {
  const check = (more: fc.Parameters<[Array<Step>]>) =>
    fc.check(property, { ...parameters, ...more, includeErrorInReport: true })
  const found = await check({ endOnFailure: true })
  if (!found.failed) return null
  const path = found.counterexamplePath ?? ""
  const shrunk = await check({ path, interruptAfterTimeLimit: shrinkFor, markInterruptAsFailure: true })
  return fc.defaultReportMessage(shrunk.counterexample === null ? found : shrunk) ?? "The outcomes differ"
}

/** Cases that compare with the reference, one for each seed. */
export const cases = (
  reference: Layer.Layer<Services>,
  seeds: ReadonlyArray<number>,
  { runs, shrinkFor }: { readonly runs: number; readonly shrinkFor: number }
): ReadonlyArray<World.Scenario> =>
  seeds.map((seed) =>
    scenario(`random commits and reads have the outcomes that the reference gives (seed ${seed})`, function* (world) {
      const built = yield* Layer.build(Layer.fresh(reference))
      const sides: readonly [Service, Service] = [
        { storage: world.storage, jobs: world.jobs, outbox: world.outbox },
        {
          storage: Context.get(built, Storage),
          jobs: Context.get(built, Jobs),
          outbox: Context.get(built, Outbox)
        }
      ]
      let place = 0
      const property = fc.asyncProperty(fc.array(step, { maxLength: STEPS, size: "max" }), (steps) =>
        Effect.runPromise(lockstep(world, sides, steps, place++))
      )
      const failure = yield* Effect.promise(() => failureOf(property, { seed, numRuns: runs }, shrinkFor))
      yield* Suite.holds(failure ?? "", failure === null)
    })
  )
