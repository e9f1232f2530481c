/**
 * What operators see first: is it the service, a telco, or one customer? It is measured for each
 * caller, at a cost that has a bound, and says nothing of other organizations to whoever is bound
 * to one (rule W14).
 */
import { Clock as MachineClock, Context, Effect, Layer } from "effect"
import * as Rules from "../../domain/Overview.ts"
import type { Process } from "../../domain/Process.ts"
import * as Purchase from "../../domain/Purchase.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Backlog, Jobs } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Organizations } from "../organizations/Organizations.ts"
import * as Rates from "../Rates.ts"
import { makeCounts, type Serving, StorageProbe } from "./Health.ts"
import { Processes } from "./Processes.ts"

/** What belongs to no organization. */
export interface Whole {
  /** Jobs that ended in refusals (rule S6), counted up to 10,000. */
  readonly problems: number
  /** Whose the most work is that waits. */
  readonly loads: ReadonlyArray<Rules.Load>
  /** What is due now. */
  readonly backlog: Backlog
  /** Null if the storage took no write just now. */
  readonly serving: Serving | null
  /** Null if the storage has no server. */
  readonly database: Rules.DatabaseFigures | null
  /** Machine time at which the services of this process began. */
  readonly startedAt: Instant
  /** What happened lately in these processes together. */
  readonly rates: Rates.Rates
  /** Those that share the storage, by when they started. */
  readonly processes: ReadonlyArray<Process>
  /** Which of them this one is. */
  readonly processId: string
}

/** What is seen first. */
export interface Overview {
  /** Business time, of which all other instants are. */
  readonly now: Instant
  /** By kind, reason and telco, those that wait longest first. */
  readonly waiting: ReadonlyArray<Rules.WaitingGroup>
  /** Those that fail, longest first. */
  readonly endpoints: ReadonlyArray<Rules.FailingEndpoint>
  /** Those that run out first (`Overview.scarcest`). */
  readonly stocks: ReadonlyArray<Rules.WatchedStock>
  /** Null for whoever is bound to an organization. */
  readonly whole: Whole | null
  /** The names of the organizations above, by their ids. */
  readonly names: ReadonlyMap<string, string>
}

/** Measures what is seen first. */
export class Overviews extends Context.Service<
  Overviews,
  {
    /** Of one organization, or of the whole service. */
    readonly read: (of: Rules.Watching) => Effect.Effect<Overview, StorageError>
  }
>()("simplan/Overviews") {}

type Needs = Storage | Organizations | Jobs | Clocks.BusinessClock | Processes | StorageProbe

/** The implementation that `Services.layer` provides. */
export const layer: Layer.Layer<Overviews, never, Needs> = Layer.effect(
  Overviews,
  Effect.gen(function* () {
    const storage = yield* Storage
    const organizations = yield* Organizations
    const counts = yield* makeCounts
    const clock = yield* Clocks.BusinessClock
    const probe = yield* StorageProbe
    const processes = yield* Processes
    const startedAt = yield* MachineClock.currentTimeMillis

    /** What belongs to no organization, beside what is counted for the gauges too. */
    const whole = Effect.fnUntraced(function* (now: Instant) {
      const { processId } = processes
      const { endpoints, waiting, ...counted } = yield* counts(now)
      const others = counted.processes.filter((one) => one.processId !== processId).map(({ rates }) => rates)
      const found = yield* Effect.all({
        loads: storage.overview.loads,
        serving: Effect.match(probe.check, { onFailure: () => null, onSuccess: (serving) => serving }),
        database: storage.overview.database
      })
      const rates = Rates.together(yield* Rates.read, others)
      return { endpoints, waiting, whole: { ...counted, ...found, startedAt, processId, rates } }
    })

    return Overviews.of({
      read: Effect.fn("Overviews.read")(function* ({ organizationId }) {
        const now = yield* clock.now
        const seen =
          organizationId === null
            ? yield* whole(now)
            : yield* Effect.all({
                waiting: storage.overview.waitingJobs({ organizationId }),
                endpoints: storage.overview.failingEndpoints({ organizationId }),
                whole: Effect.succeed(null)
              })
        const stocks = Rules.scarcest(
          yield* storage.overview.stocks({
            ...{ organizationId, since: now - Rules.RATE_SPAN },
            sellAfter: Purchase.sellAfter(now)
          }),
          now
        )
        const names = yield* organizations.names([...seen.endpoints, ...stocks, ...(seen.whole?.loads ?? [])])
        return { ...seen, now, stocks, names }
      })
    })
  })
)
