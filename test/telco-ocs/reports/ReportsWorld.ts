/**
 * A service whose telco is a model of the OCS in memory, under a virtual clock, with the reports of
 * `adapters/telco-ocs` on top of it.
 */
import { Context, Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Problems, Reports, Settings, Time, Worker } from "simplan"
import { type Job, Telco, type TelcoReport } from "simplan/ports"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { Api } from "../../../adapters/telco-ocs/api/Api.ts"
import * as FullComparison from "../../../adapters/telco-ocs/drift/FullComparison.ts"
import * as Ocs from "../../../adapters/telco-ocs/Ocs.ts"
import * as Orders from "../../../adapters/telco-ocs/orders/Orders.ts"
import * as Notifications from "../../../adapters/telco-ocs/reports/Notifications.ts"
import * as Polling from "../../../adapters/telco-ocs/Polling.ts"
import * as Reporting from "../../../adapters/telco-ocs/Reporting.ts"
import { apiOf, Model } from "./OcsModel.ts"
import * as Service from "../Service.ts"
import * as Tests from "../../setup/Tests.ts"

export const START = Date.UTC(2026, 5, 1, 12)
export const TELCO = "ocs"
/** The lease that is set, in milliseconds. */
export const LEASE = 20 * Time.SECOND
export const GIGABYTE = 1024 ** 3
export const ICCID = "8991000000000000012"

export interface World extends Service.Service {
  readonly model: Model
  /** Whether claims are renewed: those of a process that was killed are not. */
  readonly renewals: { areMade: boolean }
  /** Which calls of the journal fail, for entries of which kind. */
  readonly journalFails: Partial<Record<"get" | "replace", string>>
  readonly journal: Journal.Journal["Service"]
  readonly polling: Polling.Polling
  readonly take: Notifications.Notifications["take"]
  /** The batches of reports that were taken, and their verdicts. */
  readonly reported: Array<TelcoReport.Report>
  readonly telco: Telco.Telco["Service"]
  /** The end of the time in which orders are watched. */
  readonly settle: Effect.Effect<void>
  /** Does the jobs that are due. */
  readonly work: Effect.Effect<void>
  readonly problems: Effect.Effect<ReadonlyArray<Job.Job>>
  /** Polls, settles and compares until the scope closes. */
  readonly background: Effect.Effect<void, never, Scope.Scope>
  /**
   * The comparison of all SIMs: asks for it, says how far it is, and goes on with it until the
   * scope closes.
   */
  readonly all: {
    readonly request: Effect.Effect<unknown>
    readonly progress: Effect.Effect<Reporting.Progress | null>
    readonly background: Effect.Effect<void, never, Scope.Scope>
  }
  /** Does a share of that. */
  readonly drainOf: (options: Pick<Reporting.Options, "isSupplied">) => Effect.Effect<void>
}

/** With a meter of its own: the load of one test is not that of the next one. */
const makeLimits = (): Polling.Options => ({
  telco: TELCO,
  fastest: 10 * Time.SECOND,
  slowest: 6 * Time.HOUR,
  notified: [50, 80],
  meter: Reporting.makeMeter(20)
})

const make = Effect.gen(function* () {
  yield* TestClock.setTime(START)
  const limits = makeLimits()
  const model = new Model()
  const memory = yield* Journal.makeMemory
  const renewals = { areMade: true }
  const journalFails: World["journalFails"] = {}
  const unlessItFails = <A>(
    name: "get" | "replace",
    { kind }: Pick<Journal.Place, "kind">,
    call: Effect.Effect<A, Journal.JournalError>
  ) =>
    Effect.suspend(() =>
      journalFails[name] === kind
        ? Effect.fail(new Journal.JournalError({ message: "The journal is out of reach" }))
        : call
    )
  const journal: Journal.Journal["Service"] = {
    ...memory,
    get: (place) => unlessItFails("get", place, memory.get(place)),
    replace: (entry, also) => unlessItFails("replace", entry, memory.replace(entry, also)),
    renew: (of) => Effect.suspend(() => (renewals.areMade ? memory.renew(of) : Effect.never))
  }
  const api = Layer.succeed(Api, apiOf(model))
  const ocs = Ocs.layer({
    telco: TELCO,
    resellerId: 1,
    zones: { Green: { EUROPE: 28 } },
    mobilePlanId: 10,
    listLag: 0
  })
  const orders = yield* Layer.build(ocs.pipe(Layer.provide([api, Layer.succeed(Journal.Journal, journal)])))
  const service = yield* Service.make(orders, ICCID)
  const { services } = service
  const reported: Array<TelcoReport.Report> = []
  const taking = Context.get(services, Reports.Reports)
  const reports = Layer.succeed(Reports.Reports, {
    take: ({ reports: batch }) => {
      reported.push(...batch)
      return taking.take({ reports: batch })
    }
  })
  const journals = Layer.succeed(Journal.Journal, journal)
  const limited = Layer.succeed(Settings.Settings, { ...(yield* Settings.Settings), leaseMillis: LEASE })
  const needs = Layer.mergeAll(api, journals, Layer.succeedContext(services), Layer.succeedContext(orders), limited)
  const provided = Effect.provide(Layer.mergeAll(needs, reports))
  const polling = yield* provided(Polling.make(limits))
  const { take } = yield* provided(Notifications.make({ telco: TELCO, poll: polling.pollBeside }))
  const problems = Context.get(services, Problems.Problems)

  const world: World = {
    ...service,
    model,
    renewals,
    journalFails,
    journal,
    polling,
    take,
    reported,
    telco: Context.get(orders, Telco.Telco),
    settle: Effect.gen(function* () {
      yield* TestClock.adjust("16 minutes")
      yield* Context.get(orders, Orders.Orders).settle({ limit: 100, report: () => Effect.void })
    }).pipe(Effect.orDie),
    work: Effect.orDie(Effect.asVoid(Context.get(services, Worker.Worker).drain)),
    problems: Effect.map(Effect.orDie(problems.page({ after: null, limit: 100 })), ({ items }) => items),
    all: {
      request: Effect.orDie(provided(FullComparison.request(TELCO))),
      progress: Effect.orDie(provided(FullComparison.progress(TELCO))),
      background: provided(FullComparison.make(limits)).pipe(
        Effect.flatMap((turn) => Effect.forever(Effect.flatMap(provided(turn), (millis) => Effect.sleep(millis)))),
        Effect.orDie,
        Effect.forkScoped,
        Effect.asVoid
      )
    },
    drainOf: (options) => provided(Reporting.drain({ ...limits, ...options })),
    background: provided(Effect.asVoid(Layer.build(Reporting.background(limits))))
  }
  return world
})

/** A test in a world of its own. */
export const inWorld = Tests.given(make, (test) =>
  test.pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)
)
