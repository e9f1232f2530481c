/**
 * The conformance suite of the storage, jobs and outbox ports, which one adapter gives together.
 *
 *     StorageSuite.run("my storage", layer, { describe, it, afterAll }, { reference: memory.layer })
 *
 * The layer is built once, so the cases share a storage. Each works in an organization of its own
 * and at a time of its own, and leaves nothing behind that is due. They are to run one after
 * another, on a storage that nothing else uses. Ids come from a seed: a storage that lasts needs
 * another `seed` for each run.
 */
import { Effect, type Layer } from "effect"
import type { Jobs } from "../ports/Jobs.ts"
import type { Outbox } from "../ports/Outbox.ts"
import type { Storage } from "../ports/Storage.ts"
import * as ApiKeys from "./storage/ApiKeys.ts"
import * as AllOrNothing from "./storage/AllOrNothing.ts"
import * as Requests from "./storage/Requests.ts"
import * as Deliveries from "./storage/deliveries/Deliveries.ts"
import * as DeliveryLog from "./storage/deliveries/DeliveryLog.ts"
import * as DeliveryQueue from "./storage/deliveries/DeliveryQueue.ts"
import * as EventHandlers from "./storage/deliveries/EventHandlers.ts"
import * as Equivalence from "./storage/random/Equivalence.ts"
import * as JobsCases from "./storage/JobsCases.ts"
import * as JobQueue from "./storage/JobQueue.ts"
import * as SimAggregates from "./storage/sims/SimAggregates.ts"
import * as LedgerCases from "./storage/LedgerCases.ts"
import * as OverviewCases from "./storage/OverviewCases.ts"
import * as Pages from "./storage/Pages.ts"
import * as PlanFilters from "./storage/PlanFilters.ts"
import * as Service from "./storage/Service.ts"
import * as ReportsCases from "./storage/sims/ReportsCases.ts"
import * as UsageBooks from "./storage/sims/UsageBooks.ts"
import * as SimClaims from "./storage/sims/SimClaims.ts"
import * as Histories from "./storage/sims/Histories.ts"
import * as SimSearches from "./storage/sims/SimSearches.ts"
import * as StockCases from "./storage/sims/StockCases.ts"
import * as SimImports from "./storage/sims/SimImports.ts"
import * as Conflicts from "./storage/Conflicts.ts"
import * as Values from "./storage/Values.ts"
import * as World from "./storage/world/World.ts"
import * as Suite from "./Suite.ts"

/** What the suite is about. */
export type Services = Storage | Jobs | Outbox

/** What the storage is compared with, and how long. */
export interface Options extends Suite.Options {
  /**
   * A storage known to be right, with which random commits and reads are compared; without it, none
   * are.
   */
  readonly reference?: Layer.Layer<Services>
  /**
   * Decides the ids and the random runs; 1 unless given. A storage that lasts needs another one for
   * each run.
   */
  readonly seed?: number
  /** How many random runs are compared with the reference for each of four seeds. */
  readonly runs?: number
  /** How many milliseconds are spent on making a run that failed shorter. */
  readonly shrinkFor?: number
}

const scenarios: ReadonlyArray<World.Scenario> = [
  ...AllOrNothing.cases,
  ...ApiKeys.cases,
  ...Conflicts.cases,
  ...ApiKeys.operatorCases,
  ...OverviewCases.processCases,
  ...Requests.cases,
  ...JobsCases.cases,
  ...JobQueue.cases,
  ...Deliveries.cases,
  ...DeliveryQueue.cases,
  ...DeliveryLog.cases,
  ...OverviewCases.cases,
  ...EventHandlers.cases,
  ...SimImports.cases,
  ...SimSearches.cases,
  ...SimClaims.cases,
  ...StockCases.cases,
  ...SimAggregates.cases,
  ...ReportsCases.cases,
  ...UsageBooks.cases,
  ...LedgerCases.cases,
  ...Histories.cases,
  ...Pages.cases,
  ...PlanFilters.cases,
  ...Values.cases,
  ...Service.cases
]

/** The suite's cases, for a runner of one's own. */
export const cases = ({
  reference,
  runs = 12,
  seed = 1,
  shrinkFor = 5_000
}: Options = {}): ReadonlyArray<Suite.Case<Services>> => {
  const seeds = [seed, seed + 1, seed + 2, seed + 3]
  const compared = reference === undefined ? [] : Equivalence.cases(reference, seeds, { runs, shrinkFor })
  return [...scenarios, ...compared].map(({ body, name }, place) => ({
    name,
    effect: Effect.flatMap(World.make(place, name, seed), body)
  }))
}

/** Defines the suite's cases with the runner. */
export const run = <R, E>(
  name: string,
  layer: Layer.Layer<Services | R, E>,
  runner: Suite.Runner,
  options: Options = {}
): void => Suite.run(`${name} is a storage`, layer, cases(options), runner, options)
