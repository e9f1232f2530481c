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
import * as Attachments from "./Attachments.ts"
import * as Catalogues from "./Catalogues.ts"
import * as Clock from "./Clock.ts"
import * as Commits from "./Commits.ts"
import * as Coverage from "./Coverage.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as Ids from "./Ids.ts"
import * as JobRunner from "./JobRunner.ts"
import * as Leases from "./Leases.ts"
import * as Messages from "./Messages.ts"
import * as Operators from "./Operators.ts"
import * as Organizations from "./Organizations.ts"
import * as Plans from "./Plans.ts"
import * as Queues from "./Queues.ts"
import * as Reports from "./Reports.ts"
import * as SimClaims from "./SimClaims.ts"
import * as Sims from "./Sims.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as Wallet from "./Wallet.ts"
import * as Webhooks from "./Webhooks.ts"
import * as Work from "./Work.ts"
import * as Worker from "./Worker.ts"

/** What an embedder has to bring. */
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

/** One service per resource, and the clock and the worker that do the work in time. */
export type Services =
  | Attachments.Attachments
  | Catalogues.Catalogues
  | Clock.Clock
  | Coverage.Coverage
  | IdempotencyKeys.IdempotencyKeys
  | Messages.Messages
  | Operators.Operators
  | Organizations.Organizations
  | Plans.Plans
  | Queues.Queues
  | Reports.Reports
  | Sims.Sims
  | Subscriptions.Subscriptions
  | Wallet.Wallet
  | Webhooks.Webhooks
  | Worker.Worker

// What is begun is finished before its leases are no longer kept.
const writing = Commits.layer.pipe(
  Layer.provideMerge(Work.layer),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, Leases.layer))
)

const shared = Layer.mergeAll(JobRunner.layer, SimClaims.layer, Catalogues.layer, Dispatcher.layer).pipe(
  Layer.provideMerge(writing)
)

const resources = Layer.mergeAll(
  Attachments.layer,
  IdempotencyKeys.layer,
  Messages.layer,
  Operators.layer,
  Organizations.layer,
  Plans.layer.pipe(Layer.provideMerge(Coverage.layer)),
  Queues.layer,
  Reports.layer,
  Sims.layer,
  Subscriptions.layer,
  Wallet.layer,
  Webhooks.layer,
  Clock.layer.pipe(Layer.provideMerge(Worker.layer))
)

/** Nothing runs in the background yet: `Worker.background` does that. */
export const layer: Layer.Layer<Services, never, Ports> = resources.pipe(Layer.provideMerge(shared))
