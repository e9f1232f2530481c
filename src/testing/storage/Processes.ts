/**
 * The processes that share the storage: what each says of itself is kept until it takes its leave or has been silent for long.
 */
import { Effect } from "effect"
import { BEAT, type Process, SHOWN, SILENCE } from "../../domain/Process.ts"
import { type Counts, type Rates, SPANS } from "../../domain/Rates.ts"
import * as Suite from "../Suite.ts"
import type * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const countsOf = (first: number): Counts => ({
  all: Array.from({ length: SPANS }, (_, span) => first + span),
  failed: Array.from({ length: SPANS }, (_, span) => span % 2)
})

const ratesOf = (first: number): Rates => ({
  from: Date.UTC(2026, 0, 1),
  counts: {
    requests: countsOf(first),
    telcoCalls: countsOf(0),
    deliveries: countsOf(Number.MAX_SAFE_INTEGER - SPANS),
    jobs: countsOf(first + 1)
  }
})

const processOf = (world: World.World, changes: Partial<Process> = {}): Process => ({
  processId: world.id(),
  version: "1.2.3+0123456789ab",
  host: 'host "<b>" Æ 👩‍🚀',
  runs: ["admin", "v3", "worker"],
  startedAt: world.now,
  beatAt: world.now,
  heldJobs: 0,
  heldDeliveries: 0,
  rates: ratesOf(world.random(1_000)),
  ...changes
})

/** What is said of these by now. */
const listed = ({ storage }: World.World, of: ReadonlyArray<Process>, since: number) =>
  Effect.map(storage.processes.list({ since }), (all) =>
    all.filter(({ processId }) => of.some((one) => one.processId === processId))
  )

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("processes are listed by when they started, as they last said", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const silentSince = now - SILENCE
      const later = processOf(world, { startedAt: now + 1, version: null, host: null, runs: [] })
      const sooner = processOf(world, { heldJobs: 3, heldDeliveries: 2 ** 31 - 1 })
      const both = [later, sooner]
      for (const process of both) yield* storage.keepProcess({ process, silentSince })
      yield* Suite.equals("both", yield* listed(world, both, now), [sooner, later])
      const busy = { ...later, beatAt: now + BEAT, runs: ["worker"], heldJobs: 7 }
      yield* storage.keepProcess({ process: busy, silentSince })
      yield* Suite.equals("what was said last", yield* listed(world, both, now), [sooner, busy])
      yield* Suite.equals("since then", yield* listed(world, both, now + BEAT), [busy])
      yield* storage.forgetProcess(sooner.processId)
      yield* storage.forgetProcess(world.id())
      yield* Suite.equals("who has not taken leave", yield* listed(world, both, now), [busy])
      yield* storage.forgetProcess(busy.processId)
    })
  ),

  scenario("a process that has been silent for long is forgotten by what another says", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const silent = [1, 2].map((millis) => processOf(world, { startedAt: now - millis, beatAt: now - millis }))
      const other = processOf(world, { beatAt: now })
      const all = [...silent, other]
      for (const process of silent) yield* storage.keepProcess({ process, silentSince: now - SILENCE })
      yield* storage.keepProcess({ process: other, silentSince: now - 1 })
      yield* Suite.equals("who is left", yield* listed(world, all, 0), [
        ...silent.filter(({ beatAt }) => beatAt === now - 1),
        other
      ])
      // It was frozen, and goes on.
      const again = processOf(world, { startedAt: now + 1, beatAt: now - 2 * SILENCE })
      yield* storage.keepProcess({ process: again, silentSince: now })
      yield* Suite.equals("who speaks stays", yield* listed(world, [...all, again], 0), [other, again])
      for (const { processId } of [other, again]) yield* storage.forgetProcess(processId)
    })
  ),

  scenario("many processes say what they are at once", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const all = Array.from({ length: SHOWN + 5 }, (_, index) =>
        processOf(world, { startedAt: now + index, beatAt: now })
      )
      yield* Effect.forEach(all, (process) => storage.keepProcess({ process, silentSince: now - SILENCE }), {
        concurrency: 20,
        discard: true
      })
      const found = yield* storage.processes.list({ since: now })
      yield* Suite.equals("those that are shown", found, all.slice(0, SHOWN))
      yield* Effect.forEach(all, ({ processId }) => storage.forgetProcess(processId), {
        concurrency: 20,
        discard: true
      })
      yield* Suite.equals("none", yield* storage.processes.list({ since: now }), [])
    })
  )
]
