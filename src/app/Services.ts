/**
 * All services over the ports, in one layer.
 */
import { Layer } from "effect"
import type * as Digest from "effect/crypto/Digest"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import type { BusinessClock } from "../ports/BusinessClock.ts"
import type { Jobs } from "../ports/Jobs.ts"
import type { Outbox } from "../ports/Outbox.ts"
import type { Storage } from "../ports/Storage.ts"
import type { Telco } from "../ports/Telco.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import * as ApiKeys from "./organizations/ApiKeys.ts"
import * as Attachments from "./subscriptions/Attachments.ts"
import * as AuditLog from "./organizations/AuditLog.ts"
import * as Catalogues from "./plans/Catalogues.ts"
import * as Clock from "./Clock.ts"
import * as Commands from "./commands/Commands.ts"
import * as Commits from "./commit/Commits.ts"
import * as Coverage from "./plans/Coverage.ts"
import * as EventHandlers from "./organizations/EventHandlers.ts"
import * as Paging from "./Paging.ts"
import * as Handlers from "./engine/Handlers.ts"
import * as IdempotencyKeys from "./commit/IdempotencyKeys.ts"
import * as Ids from "./commit/Ids.ts"
import * as JobRunner from "./engine/JobRunner.ts"
import * as Leases from "./engine/Leases.ts"
import * as Messages from "./subscriptions/Messages.ts"
import * as Operators from "./plans/Operators.ts"
import * as Organizations from "./organizations/Organizations.ts"
import * as Plans from "./plans/Plans.ts"
import * as Problems from "./organizations/Problems.ts"
import * as QueueDepth from "./engine/QueueDepth.ts"
import * as Reports from "./telco/Reports.ts"
import * as Recovery from "./telco/Recovery.ts"
import * as SimReservations from "./sims/SimReservations.ts"
import * as Sims from "./sims/Sims.ts"
import * as StorageProbe from "./engine/StorageProbe.ts"
import * as Subscriptions from "./subscriptions/Subscriptions.ts"
import * as WaitingJobs from "./organizations/WaitingJobs.ts"
import * as Wallet from "./sims/Wallet.ts"
import * as Webhooks from "./organizations/Webhooks.ts"
import * as Worker from "./engine/Worker.ts"

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

/** One service per resource, the clock, and the worker that does due work. */
export type Services =
  | ApiKeys.ApiKeys
  | Attachments.Attachments
  | AuditLog.AuditLog
  | Catalogues.Catalogues
  | Clock.Clock
  | Commands.Commands
  | Coverage.Coverage
  | EventHandlers.EventHandlers
  | IdempotencyKeys.IdempotencyKeys
  | Messages.Messages
  | Operators.Operators
  | Organizations.Organizations
  | Plans.Plans
  | Problems.Problems
  | QueueDepth.QueueDepth
  | Reports.Reports
  | Sims.Sims
  | StorageProbe.StorageProbe
  | Subscriptions.Subscriptions
  | WaitingJobs.WaitingJobs
  | Wallet.Wallet
  | Webhooks.Webhooks
  | Worker.Worker

const writing = Commits.layer.pipe(
  Layer.provideMerge(Leases.layer),
  Layer.provideMerge(
    Layer.mergeAll(Ids.layer, Commits.namedTypesLayer, Handlers.registryLayer, Paging.filteredListsLayer)
  )
)

const shared = Layer.mergeAll(JobRunner.layer, SimReservations.layer, Catalogues.layer).pipe(
  Layer.provideMerge(Recovery.layer),
  Layer.provideMerge(writing)
)

// What commands are carried out by.
const callingTelco = Layer.mergeAll(Messages.layer, Subscriptions.layer, Wallet.layer)

const resources = Layer.mergeAll(
  Attachments.layer,
  IdempotencyKeys.layer,
  Commands.layer,
  Operators.layer,
  Layer.mergeAll(
    ApiKeys.layer,
    AuditLog.layer,
    EventHandlers.layer,
    Webhooks.layer,
    Plans.layer.pipe(Layer.provideMerge(Coverage.layer))
  ).pipe(Layer.provideMerge(Organizations.layer)),
  Problems.layer,
  WaitingJobs.layer,
  QueueDepth.layer.pipe(Layer.provideMerge(StorageProbe.layer)),
  Reports.layer,
  Sims.layer,
  Clock.layer.pipe(Layer.provideMerge(Worker.layer))
).pipe(Layer.provideMerge(callingTelco))

/** Starts nothing in the background: `Worker.background` does. */
export const layer: Layer.Layer<Services, never, Ports> = resources.pipe(Layer.provideMerge(shared))
