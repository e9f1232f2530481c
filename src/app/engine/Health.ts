/**
 * What is watched from outside: whether the storage serves, and gauges of the work.
 *
 * - The storage serves while it answers, its migrations are done, and it takes writes. Writes are
 *   tried at most once a second, by one try at a time for all. A try waits for a connection
 *   behind the commits, so one that is not over yet says nothing: until it has lasted five seconds,
 *   the last one counts. It serves too while servers of a distributed database do not answer, which
 *   are named.
 * - Gauges of the queues of jobs and deliveries, of what is due to handlers, of endpoints that
 *   fail, and of the stock of eSIMs are measured on demand, at most every few seconds, by one
 *   measurement at a time. Nobody waits longer than `WaitLimit` for it, whatever the storage does.
 *   Their labels are kinds, and so few. Only the stock is reported by organization, and what is
 *   pending by endpoints that fail, in a bounded number of series.
 */
import { Clock as MachineClock, Context, Effect, type Exit, Fiber, Layer, Metric } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import { type FailingEndpoint, ofAnyTelco, type WaitingGroup } from "../../domain/Overview.ts"
import type { Process } from "../../domain/Process.ts"
import type * as Sim from "../../domain/Sim.ts"
import * as Purchase from "../../domain/Purchase.ts"
import * as Stock from "../../domain/Stock.ts"
import { type Instant, SECOND } from "../../domain/Time.ts"
import type { Failing } from "../../domain/WebhookEndpoint.ts"
import { type Backlog, Jobs } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { type CreatedCursor, Storage, StorageError } from "../../ports/Storage.ts"
import { Processes } from "./Processes.ts"

/**
 * How long a measurement is waited for, in milliseconds; the try of a write is waited for half as
 * long.
 */
export const WaitLimit = Context.Reference<number>("simplan/Health/WaitLimit", { defaultValue: () => SECOND })

/** A storage that serves. */
export interface Serving {
  /** The servers that do not answer, of a database that is distributed over several. */
  readonly deadServers: ReadonlyArray<string>
}

/** Tries the storage. */
export class StorageProbe extends Context.Service<
  StorageProbe,
  {
    /**
     * Succeeds while the storage serves. Waits for a try of a write for half of `WaitLimit` at
     * most.
     */
    readonly check: Effect.Effect<Serving, StorageError>
  }
>()("simplan/StorageProbe") {}

/** How long the outcome of a try counts, and how long it may last, in milliseconds. */
const PROBE_FRESH = SECOND
const PROBE_LONGEST = 5 * SECOND

/** It tries nothing until it is asked to. */
export const probeLayer: Layer.Layer<StorageProbe, never, Storage | Clocks.BusinessClock> = Layer.effect(
  StorageProbe,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* Clocks.BusinessClock
    const waitLimit = yield* WaitLimit
    let last: { readonly exit: Exit.Exit<void, StorageError>; readonly at: number } | null = null
    let underWay: { readonly fiber: Fiber.Fiber<void, StorageError>; readonly since: number } | null = null

    // The fiber goes on when its caller is gone.
    const begin = Effect.gen(function* () {
      const since = yield* Clocks.monotonicNow
      const machineClock = yield* MachineClock.Clock
      const fiber = yield* Effect.forkDetach(Effect.flatMap(clock.now, storage.probe))
      const begun = { fiber, since }
      underWay = begun
      fiber.addObserver((exit) => {
        underWay = null
        last = { exit, at: Clocks.monotonicNowUnsafe(machineClock) }
      })
      return begun
    })

    const write = Effect.gen(function* () {
      const now = yield* Clocks.monotonicNow
      if (last !== null && now - last.at < PROBE_FRESH) return yield* last.exit
      const { fiber, since } = underWay ?? (yield* begin)
      const exit = yield* Effect.timeoutOption(Fiber.await(fiber), waitLimit / 2)
      if (exit._tag === "Some") return yield* exit.value
      if (last === null || (yield* Clocks.monotonicNow) - since >= PROBE_LONGEST) {
        return yield* new StorageError({ message: "A write to the storage is not answered" })
      }
      return yield* last.exit
    })

    let known: Serving = { deadServers: [] }
    let asked: Fiber.Fiber<void> | null = null

    // Failure: what was found last counts, and the next check asks again.
    const ask = Effect.ignore(
      Effect.map(storage.deadServers, (deadServers) => {
        known = { deadServers }
      })
    )

    const beginAsking = Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(ask)
      asked = fiber
      fiber.addObserver(() => {
        asked = null
      })
      return fiber
    })

    /** What is known of the servers, after a short wait: one that just died is found late. */
    const servers = Effect.gen(function* () {
      const fiber = asked ?? (yield* beginAsking)
      yield* Effect.timeoutOption(Fiber.await(fiber), waitLimit / 4)
      return known
    })

    return StorageProbe.of({ check: storage.ready.pipe(Effect.andThen(write), Effect.andThen(servers)) })
  })
)

/** What the gauges and the overview have of the whole service, at an instant of business time. */
export const makeCounts = Effect.gen(function* () {
  const storage = yield* Storage
  const jobs = yield* Jobs
  const processes = yield* Processes
  return (now: Instant) =>
    Effect.all({
      backlog: Effect.flatMap(Clocks.monotonicNow, (machineNow) => jobs.backlog({ now, machineNow })),
      waiting: storage.overview.waitingJobs({ organizationId: null }),
      endpoints: storage.overview.failingEndpoints({ organizationId: null }),
      problems: storage.problems.count,
      processes: processes.list
    })
})

/** Measures how much work is due. */
export class QueueDepth extends Context.Service<
  QueueDepth,
  {
    /**
     * Updates the gauges. If the storage does not answer within `WaitLimit`, they stay as they are.
     * Then, and if it takes no write, `simplan_storage_up` is 0.
     */
    readonly measure: Effect.Effect<void>
  }
>()("simplan/QueueDepth") {}

/** How long a measurement stays valid, in milliseconds. */
const FRESH = 5 * SECOND

const up = Metric.gauge("simplan_storage_up", {
  description: "Whether the storage answered and took a write when the queues were last measured: 1 or 0"
})

const problems = Metric.gauge("simplan_problems", {
  description: "Jobs that ended in refusals and wait for an operator, counted up to 10,000"
})

const gaugesOf = (queue: "jobs" | "deliveries") => {
  const gauge = (name: string, description: string) => Metric.gauge(name, { description, attributes: { queue } })
  const due = gauge("simplan_queue_due", "Jobs or deliveries that are due and that nobody holds, counted up to 10,000")
  const held = gauge("simplan_queue_held", "Jobs or deliveries that a process holds, counted up to 10,000")
  const age = gauge(
    "simplan_queue_oldest_due_age_seconds",
    "Time since the oldest job or delivery fell due that nobody holds; 0 if none is due"
  )
  return (backlog: Backlog, now: number) =>
    Effect.all(
      [
        Metric.update(due, backlog.due),
        Metric.update(held, backlog.held),
        Metric.update(age, backlog.oldestDueAt === null ? 0 : Math.max(0, now - backlog.oldestDueAt) / SECOND)
      ],
      { discard: true }
    )
}

/**
 * Gauges by a few labels. If a measurement has nothing for labels that an earlier one had,
 * theirs is 0.
 */
const makeGauges = (name: string, description: string) => {
  const gauges = new Map<string, Metric.Gauge<number>>()
  return (measured: ReadonlyArray<readonly [attributes: Readonly<Record<string, string>>, value: number]>) => {
    const values = new Map<string, number>()
    for (const [attributes, value] of measured) {
      const key = JSON.stringify(attributes)
      if (!gauges.has(key)) gauges.set(key, Metric.gauge(name, { description, attributes }))
      values.set(key, value)
    }
    return Effect.forEach(gauges, ([key, gauge]) => Metric.update(gauge, values.get(key) ?? 0), { discard: true })
  }
}

/** Sets the gauges of jobs between two tries, by kind and reason: both are few. */
const makeWaitingGauges = () => {
  const count = makeGauges(
    "simplan_jobs_waiting",
    "Jobs that were tried and wait for their next try, by kind and reason, 10,000 together at most"
  )
  const age = makeGauges(
    "simplan_jobs_waiting_oldest_age_seconds",
    "Time since the job that waits longest was first given back, by kind and reason"
  )
  const next = makeGauges(
    "simplan_jobs_waiting_next_try_seconds",
    "Time until the first of the waiting jobs is tried again, by kind and reason; 0 if one is due"
  )
  return (groups: ReadonlyArray<WaitingGroup>, now: number) => {
    const found = ofAnyTelco(groups)
    const by = (value: (of: WaitingGroup) => number) =>
      found.map((of) => [{ kind: of.kind, reason: of.reason }, value(of)] as const)
    return Effect.all(
      [
        count(by((of) => of.count)),
        age(by(({ since }) => Math.max(0, now - since) / SECOND)),
        next(by(({ nextAt }) => Math.max(0, nextAt - now) / SECOND))
      ],
      { discard: true }
    )
  }
}

/** Sets the gauges of pending deliveries, by what their last attempts met. */
const makeDeliveryGauges = () => {
  const count = makeGauges(
    "simplan_deliveries_waiting",
    "Webhook deliveries that are to be made, by what their last attempt met, 10,000 together at most"
  )
  const age = makeGauges(
    "simplan_deliveries_waiting_oldest_due_age_seconds",
    "Time since the first of the waiting deliveries fell due, by what its last attempt met; 0 if none is due"
  )
  return (found: ReadonlyArray<Delivery.WaitingCount>, now: number) => {
    const by = (value: (of: Delivery.WaitingCount) => number) =>
      Delivery.answers.map((answer) => {
        const group = found.find((one) => one.answer === answer)
        return [{ answer }, group === undefined ? 0 : value(group)] as const
      })
    return Effect.andThen(count(by((of) => of.count)), age(by(({ nextAt }) => Math.max(0, now - nextAt) / SECOND)))
  }
}

const failing = Metric.gauge("simplan_webhook_endpoints_failing", {
  description: "Enabled webhook endpoints that have failed since their last success, counted up to 10,000"
})

const failingAge = Metric.gauge("simplan_webhook_endpoints_failing_longest_seconds", {
  description: "Time since the endpoint began to fail that has failed longest; 0 if none fails"
})

const updateFailing = ({ count, since }: Failing, now: number) =>
  Effect.andThen(
    Metric.update(failing, count),
    Metric.update(failingAge, since === null ? 0 : Math.max(0, now - since) / SECOND)
  )

/** Of how many endpoints there are series at most. */
const PENDING = 200

/**
 * Sets the gauges of deliveries to endpoints that fail, those first that have failed longest. One
 * that fails no more reports 0.
 */
const makePendingGauges = () => {
  const known = new Set<string>()
  const update = makeGauges(
    "simplan_webhook_endpoint_deliveries_pending",
    "Webhook deliveries that are to be made to an endpoint that fails, counted up to 1,000"
  )
  return (found: ReadonlyArray<FailingEndpoint>) => {
    for (const { endpointId } of found) if (known.size < PENDING) known.add(endpointId)
    const shown = found.filter(({ endpointId }) => known.has(endpointId))
    return update(
      shown.map(
        ({ endpointId, organizationId, pending }) =>
          [{ organization_id: organizationId, webhook_endpoint_id: endpointId }, pending] as const
      )
    )
  }
}

/**
 * Of how many organizations one measurement counts the stock. The next one goes on with the others.
 */
const COUNTED_ORGANIZATIONS = 50

/**
 * Of how many of the smallest stocks of a round of all organizations there are series, and how many
 * there are at most.
 */
const SMALLEST = 100
const STOCKS = 1_000

/**
 * Sets the gauges of free eSIMs by organization and label: of those with a level (rule I12), of the
 * smallest stocks, and of those that were among them in an earlier round of all organizations.
 */
const makeStockGauges = () => {
  const gauges = new Map<string, Metric.Gauge<number>>()
  let smallest: ReadonlyArray<Sim.Stock> = []
  const update = ({ free, label, organizationId }: Sim.Stock, isShown: boolean) => {
    const key = `${organizationId} ${label}`
    let gauge = gauges.get(key)
    if (gauge === undefined && isShown && gauges.size < STOCKS) {
      gauge = Metric.gauge("simplan_sims_free", {
        description: "Free eSIMs of an organization, by label, counted up to 1,000",
        attributes: { organization_id: organizationId, label }
      })
      gauges.set(key, gauge)
    }
    return gauge === undefined ? Effect.void : Metric.update(gauge, free)
  }
  return (found: ReadonlyArray<Sim.Stock>, levels: ReadonlyArray<Stock.Level>, isLast: boolean) => {
    const watched = new Set(levels.map(({ label, organizationId }) => `${organizationId} ${label}`))
    smallest = [...smallest, ...found].toSorted((left, right) => left.free - right.free).slice(0, SMALLEST)
    const shown = new Set(isLast ? smallest : [])
    for (const of of found) if (watched.has(`${of.organizationId} ${of.label}`)) shown.add(of)
    if (isLast) smallest = []
    return Effect.forEach(new Set([...shown, ...found]), (stock) => update(stock, shown.has(stock)), { discard: true })
  }
}

type Needs = Storage | Jobs | Outbox | Clocks.BusinessClock | Processes

/** Sets the gauges of processes by the version of their builds. */
const makeProcessGauges = () => {
  const update = makeGauges("simplan_processes", "Processes that share the storage, by the version of their builds")
  return (found: ReadonlyArray<Process>) => {
    const counts = new Map<string, number>()
    for (const { version } of found) counts.set(version ?? "", (counts.get(version ?? "") ?? 0) + 1)
    return update(Array.from(counts, ([version, count]) => [{ version }, count] as const))
  }
}

const depthLayer: Layer.Layer<QueueDepth, never, Needs | StorageProbe> = Layer.effect(
  QueueDepth,
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const storage = yield* Storage
    const clock = yield* Clocks.BusinessClock
    const probe = yield* StorageProbe
    const waitLimit = yield* WaitLimit
    const counts = yield* makeCounts
    const updateProcesses = makeProcessGauges()
    const updateJobs = gaugesOf("jobs")
    const updateDeliveries = gaugesOf("deliveries")
    // Rule E2. The gauge of a handler that was removed goes on and reports 0.
    const updateHandlers = makeGauges(
      "simplan_handler_oldest_due_age_seconds",
      "Time since the oldest event fell due to the handler that no process holds; 0 if none is due"
    )
    const updateWaiting = makeWaitingGauges()
    const updateWaitingDeliveries = makeDeliveryGauges()
    const updatePending = makePendingGauges()
    const updateStock = makeStockGauges()
    let countedTo: CreatedCursor | null = null
    let measuredAt = Number.NEGATIVE_INFINITY
    let underWay: Fiber.Fiber<void> | null = null

    const measureStock = Effect.gen(function* () {
      const organizations = yield* storage.organizations.page({ after: countedTo, limit: COUNTED_ORGANIZATIONS })
      const organizationIds = organizations.map(({ organizationId }) => organizationId)
      const [found, levels] =
        organizationIds.length === 0
          ? [[], []]
          : [
              yield* storage.sims.stock({ organizationIds, sellAfter: Purchase.sellAfter(yield* clock.now) }),
              Stock.set(yield* storage.sims.levels({ organizationIds }))
            ]
      const last = organizations.length === COUNTED_ORGANIZATIONS ? organizations.at(-1) : undefined
      countedTo = last === undefined ? null : { createdAt: last.createdAt, id: last.organizationId }
      yield* updateStock(found, levels, last === undefined)
    })

    const measurement = Effect.gen(function* () {
      const now = yield* clock.now
      const machineNow = yield* Clocks.monotonicNow
      const counted = yield* counts(now)
      yield* updateJobs(counted.backlog, now)
      yield* updateWaiting(counted.waiting, now)
      yield* updatePending(counted.endpoints.filter(({ disabledAt }) => disabledAt === null))
      yield* Metric.update(problems, counted.problems)
      yield* updateProcesses(counted.processes)
      yield* updateDeliveries(yield* outbox.backlog({ now, machineNow }), now)
      const ages = yield* Effect.forEach(yield* storage.eventHandlers.list, ({ name }) =>
        Effect.map(outbox.pendingForHandler({ now, machineNow, handler: name }), ({ dueAt }) => {
          const age = dueAt === null ? 0 : Math.max(0, now - dueAt) / SECOND
          return [{ handler: name }, age] as const
        })
      )
      yield* updateHandlers(ages)
      yield* updateWaitingDeliveries(yield* storage.deliveries.waitingCounts, now)
      yield* updateFailing(yield* storage.webhookEndpoints.failing, now)
      yield* measureStock
      yield* probe.check
      measuredAt = machineNow
    }).pipe(Effect.matchEffect({ onSuccess: () => Metric.update(up, 1), onFailure: () => Metric.update(up, 0) }))

    const begin = Effect.map(Effect.forkDetach(measurement, { startImmediately: true }), (fiber) => {
      underWay = fiber
      fiber.addObserver(() => {
        underWay = null
      })
      return fiber
    })

    return QueueDepth.of({
      measure: Effect.gen(function* () {
        if ((yield* Clocks.monotonicNow) - measuredAt < FRESH) return
        const fiber = underWay ?? (yield* begin)
        yield* Effect.timeoutOrElse(Effect.asVoid(Fiber.await(fiber)), {
          duration: waitLimit,
          orElse: () => {
            // The interruption is not waited for either: a read may not be interruptible.
            fiber.interruptUnsafe()
            return Metric.update(up, 0)
          }
        })
      })
    })
  })
)

/**
 * The implementation that `Services.layer` provides. It tries and measures nothing until it is
 * asked to.
 */
export const layer: Layer.Layer<QueueDepth | StorageProbe, never, Needs> = depthLayer.pipe(
  Layer.provideMerge(probeLayer)
)
