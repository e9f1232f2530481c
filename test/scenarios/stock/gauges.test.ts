/**
 * The gauges of free eSIMs, of many organizations those that have the fewest, counted a part at a
 * time, and each of them for good; and those of endpoints that fail.
 */
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Health, Services } from "simplan"
import * as Memory from "simplan/memory"
import { Clocks, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as Values from "../../domain/Values.ts"
import * as Ports from "../Ports.ts"

const ORGANIZATIONS = 130

const idOf = (index: number) => `organization-${String(index).padStart(3, "0")}`

/** The first has one free eSIM, the next two, and so on. */
const stocked = (index: number) =>
  Array.from({ length: index + 1 }, (_, place) => {
    const iccid = `89${String(index).padStart(8, "0")}${String(place).padStart(9, "0")}`
    return Values.newSim({ organizationId: idOf(index), simId: iccid, iccid, createdAt: 0 })
  })

const gauges = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all.flatMap(({ attributes, id, state }) =>
      id === "simplan_sims_free" && "value" in state ? [[attributes?.["organization_id"], Number(state.value)]] : []
    )
  )
)

const services = Services.layer.pipe(
  Layer.provideMerge(Ports.make(Clocks.virtual(0))),
  Layer.provideMerge(Memory.layer),
  Layer.provideMerge(TestClock.layer())
)

/** Runs it on the services over a memory, with a registry of metrics of its own. */
const inService = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof services>>): Promise<A> =>
  effect.pipe(
    Effect.provide(services),
    Effect.provideServiceEffect(
      Metric.MetricRegistry,
      Effect.sync(() => new Map())
    ),
    Effect.scoped,
    Effect.runPromise
  )

it("are of the organizations with the fewest, and stay with them", () =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const { measure } = yield* Health.QueueDepth
    const indexes = Array.from({ length: ORGANIZATIONS }, (_, index) => index)
    const organizations = indexes.map((index) => ({ organizationId: idOf(index), name: "", createdAt: index }))
    yield* storage.commit({ organizations })
    for (const index of indexes) yield* storage.sims.import(stocked(index))
    const part = Effect.andThen(measure, TestClock.adjust("5 seconds"))
    yield* part
    yield* part
    expect(yield* gauges).toEqual({})
    yield* part
    const emptiest = Object.fromEntries(indexes.slice(0, 100).map((index) => [idOf(index), index + 1]))
    expect(yield* gauges).toEqual(emptiest)

    const sell = (index: number, count: number) =>
      Effect.forEach(stocked(index).slice(0, count), ({ iccid, organizationId }) =>
        Effect.gen(function* () {
          const loaded = yield* Effect.flatMap(
            storage.simAggregates.get({ organizationId, iccid }),
            Effect.fromNullishOr
          )
          const allocation = { _tag: "InService", subscriptionId: iccid } as const
          yield* storage.commit({ sims: [{ loaded, next: { ...loaded, sim: { ...loaded.sim, allocation } } }] })
        })
      )
    yield* sell(0, 1)
    yield* sell(120, 116)
    for (const _ of ["first", "second", "third"]) yield* part
    expect(yield* gauges).toEqual({ ...emptiest, [idOf(0)]: 0, [idOf(120)]: 5 })
  }).pipe(inService))

it("of what is pending to endpoints that fail are 200 at most, and go on", () =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const { measure } = yield* Health.QueueDepth
    const pending = Effect.map(Metric.snapshot, (all) =>
      all.filter(({ id }) => id === "simplan_webhook_endpoint_deliveries_pending").map(({ attributes }) => attributes)
    )
    const organizationId = idOf(0)
    yield* storage.commit({ organizations: [{ organizationId, name: "", createdAt: 0 }] })
    const ids = Array.from({ length: 251 }, (_, index) => `endpoint-${index}`)
    const failing = ids.map((endpointId, index) => Values.endpoint({ organizationId, endpointId, failingSince: index }))
    yield* storage.commit({ webhookEndpoints: failing })
    const counts: Array<number> = []
    for (let first = 0; first < ids.length; first += 50) {
      yield* Effect.andThen(measure, TestClock.adjust("5 seconds"))
      counts.push((yield* pending).length)
      const over = failing.slice(first, first + 50).map((one) => ({ ...one, version: 1, failingSince: null }))
      yield* storage.commit({ webhookEndpoints: over })
    }
    expect(counts).toEqual([50, 100, 150, 200, 200, 200])
    expect(yield* pending).toContainEqual({ organization_id: organizationId, webhook_endpoint_id: "endpoint-0" })
  }).pipe(inService))
