/**
 * All services over the ports, in one layer.
 */
import { Layer } from "effect"
import type * as Digest from "effect/crypto/Digest"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import type { BusinessClock } from "./ports/Clocks.ts"
import type { Jobs } from "./ports/Jobs.ts"
import type { Outbox } from "./ports/Outbox.ts"
import type { Storage } from "./ports/Storage.ts"
import type { Telco } from "./ports/Telco.ts"
import type { WebhookSender } from "./ports/WebhookSender.ts"
import * as ApiKeys from "./app/organizations/ApiKeys.ts"
import * as Attachments from "./app/subscriptions/Attachments.ts"
import * as AuditLog from "./app/organizations/AuditLog.ts"
import * as BulkActions from "./app/subscriptions/BulkActions.ts"
import * as BulkCorrections from "./app/sims/BulkCorrections.ts"
import * as CachedPlans from "./app/plans/CachedPlans.ts"
import * as Catalogues from "./app/plans/Catalogues.ts"
import * as Clock from "./app/engine/Clock.ts"
import * as Commands from "./app/commands/Commands.ts"
import * as Caused from "./app/commit/Caused.ts"
import * as Commits from "./app/commit/Commits.ts"
import * as Coverage from "./app/plans/Coverage.ts"
import * as EventHandlers from "./app/engine/EventHandlers.ts"
import * as Paging from "./app/Paging.ts"
import * as Handlers from "./app/engine/Handlers.ts"
import * as History from "./app/subscriptions/History.ts"
import * as IdempotencyKeys from "./app/commit/IdempotencyKeys.ts"
import * as Ids from "./app/commit/Ids.ts"
import * as JobRunner from "./app/jobs/JobRunner.ts"
import * as Leases from "./app/jobs/Leases.ts"
import * as Messages from "./app/subscriptions/Messages.ts"
import * as Operators from "./app/plans/Operators.ts"
import * as Overview from "./app/engine/Overview.ts"
import * as OperatorSessions from "./app/organizations/OperatorSessions.ts"
import * as Organizations from "./app/organizations/Organizations.ts"
import * as Pauses from "./app/subscriptions/Pauses.ts"
import * as Replacements from "./app/subscriptions/Replacements.ts"
import * as Plans from "./app/plans/Plans.ts"
import * as Processes from "./app/engine/Processes.ts"
import * as Problems from "./app/organizations/Problems.ts"
import * as Health from "./app/engine/Health.ts"
import * as HeavyReads from "./app/HeavyReads.ts"
import * as Reports from "./app/telco/Reports.ts"
import * as Recovery from "./app/telco/Recovery.ts"
import * as SimReservations from "./app/sims/SimReservations.ts"
import * as ServiceOperators from "./app/organizations/ServiceOperators.ts"
import * as Returns from "./app/sims/Returns.ts"
import * as SimCorrections from "./app/sims/SimCorrections.ts"
import * as Sims from "./app/sims/Sims.ts"
import * as SoldBundles from "./app/telco/SoldBundles.ts"
import * as Stock from "./app/sims/Stock.ts"
import * as Subscriptions from "./app/subscriptions/Subscriptions.ts"
import * as Costs from "./app/plans/Costs.ts"
import * as Usage from "./app/subscriptions/Usage.ts"
import * as UsageReconciliation from "./app/telco/UsageReconciliation.ts"
import * as Verdicts from "./app/subscriptions/Verdicts.ts"
import * as Wallet from "./app/sims/Wallet.ts"
import * as Webhooks from "./app/organizations/Webhooks.ts"
import * as Worker from "./app/engine/Worker.ts"

/** The ports that a host provides. */
export type Ports =
  | Storage
  | Jobs
  | Outbox
  | BusinessClock
  | Telco
  | WebhookSender
  | Catalogues.BuiltIn
  | SecureRandom.SecureRandom
  | Digest.Digest

/** What hosts and operators do, by names: adapters call it by these. */
export const byName = {
  apiKeys: ApiKeys.ApiKeys,
  attachments: Attachments.Attachments,
  auditLog: AuditLog.AuditLog,
  bulkActions: BulkActions.BulkActions,
  bulkCorrections: BulkCorrections.BulkCorrections,
  catalogues: Catalogues.Catalogues,
  clock: Clock.Clock,
  commands: Commands.Commands,
  costs: Costs.Costs,
  coverage: Coverage.Coverage,
  eventHandlers: EventHandlers.EventHandlers,
  history: History.History,
  verdicts: Verdicts.Verdicts,
  messages: Messages.Messages,
  operators: Operators.Operators,
  organizations: Organizations.Organizations,
  overviews: Overview.Overviews,
  pauses: Pauses.Pauses,
  plans: Plans.Plans,
  problems: Problems.Problems,
  replacements: Replacements.Replacements,
  reports: Reports.Reports,
  returns: Returns.Returns,
  serviceOperators: ServiceOperators.ServiceOperators,
  simCorrections: SimCorrections.SimCorrections,
  sims: Sims.Sims,
  soldBundles: SoldBundles.SoldBundles,
  stock: Stock.Stock,
  subscriptions: Subscriptions.Subscriptions,
  usage: Usage.Usage,
  waitingJobs: Problems.WaitingJobs,
  wallet: Wallet.Wallet,
  webhooks: Webhooks.Webhooks
}

/** The services of `byName`. */
export type ByName = { readonly [Name in keyof typeof byName]: (typeof byName)[Name]["Service"] }

/** One service per resource, the clock, and the worker that does due work. */
export type Services =
  | ApiKeys.ApiKeys
  | Attachments.Attachments
  | AuditLog.AuditLog
  | BulkActions.BulkActions
  | BulkCorrections.BulkCorrections
  | Catalogues.Catalogues
  | Clock.Clock
  | Commands.Commands
  | Coverage.Coverage
  | EventHandlers.EventHandlers
  | History.History
  | Verdicts.Verdicts
  | IdempotencyKeys.IdempotencyKeys
  | Messages.Messages
  | Operators.Operators
  | OperatorSessions.OperatorSessions
  | Organizations.Organizations
  | Overview.Overviews
  | Pauses.Pauses
  | Replacements.Replacements
  | Plans.Plans
  | Problems.Problems
  | Processes.Processes
  | Health.QueueDepth
  | Reports.Reports
  | Returns.Returns
  | ServiceOperators.ServiceOperators
  | SimCorrections.SimCorrections
  | Sims.Sims
  | SoldBundles.SoldBundles
  | Health.StorageProbe
  | Stock.Stock
  | Subscriptions.Subscriptions
  | Costs.Costs
  | Usage.Usage
  | UsageReconciliation.UsageReconciliation
  | Problems.WaitingJobs
  | Wallet.Wallet
  | Webhooks.Webhooks
  | Worker.Worker

const writing = Commits.layer.pipe(
  Layer.provideMerge(Leases.layer),
  Layer.provideMerge(
    Layer.mergeAll(Ids.layer, Caused.namedTypesLayer, Handlers.registryLayer, Paging.filteredListsLayer)
  )
)

const shared = Layer.mergeAll(
  JobRunner.layer,
  SimReservations.layer,
  CachedPlans.layer,
  Catalogues.layer,
  Processes.layer
).pipe(Layer.provideMerge(Layer.merge(Recovery.layer, SoldBundles.layer)), Layer.provideMerge(writing))

// What commands are carried out by.
const callingTelco = Layer.mergeAll(Messages.layer, Subscriptions.layer, Wallet.layer)

const resources = Layer.mergeAll(
  BulkActions.layer.pipe(Layer.provideMerge(Layer.mergeAll(Attachments.layer, Pauses.layer))),
  History.layer,
  Verdicts.layer,
  Replacements.layer,
  Returns.layer,
  IdempotencyKeys.layer,
  Commands.layer,
  Operators.layer,
  Layer.mergeAll(
    ApiKeys.layer,
    AuditLog.layer,
    EventHandlers.layer,
    OperatorSessions.layer,
    ServiceOperators.layer,
    Stock.layer,
    Webhooks.layer,
    Plans.layer.pipe(Layer.provideMerge(Coverage.layer))
  ).pipe(Layer.provideMerge(Organizations.layer)),
  Problems.layer,
  Overview.layer.pipe(Layer.provideMerge(Layer.mergeAll(Health.layer, Organizations.layer))),
  Reports.layer,
  Costs.layer,
  Usage.layer,
  UsageReconciliation.layer,
  BulkCorrections.layer.pipe(Layer.provideMerge(Layer.mergeAll(SimCorrections.layer, Sims.layer))),
  Clock.layer.pipe(Layer.provideMerge(Worker.layer))
).pipe(Layer.provideMerge(callingTelco))

/** Starts nothing in the background: `Worker.background` and `Processes.background` do. */
export const layer: Layer.Layer<Services, never, Ports> = resources.pipe(
  Layer.provideMerge(shared),
  Layer.provide(HeavyReads.layer)
)
