/**
 * The service as a host has it.
 */
import type { TimeSpan } from "./Calls.ts"
import type { Bulk } from "./BulkTypes.ts"
import type { Handlers, On } from "./Handlers.ts"
import type { HttpMount } from "./Http.ts"
import type { Catalogues, Coverage, Operators } from "./CoverageTypes.ts"
import type { Problems, WaitingJobs } from "./JobsTypes.ts"
import type { AuditLog, Clock, Reports, Telcos } from "./OperationTypes.ts"
import type { ApiKeys, Organizations } from "./OrganizationsTypes.ts"
import type { Overviews } from "./OverviewTypes.ts"
import type { Plans } from "./PlansTypes.ts"
import type { ServiceOperators } from "./ServiceOperatorsTypes.ts"
import type { Sims, Wallet } from "./SimsTypes.ts"
import type { Attachments, Messages, Subscriptions } from "./SubscriptionsTypes.ts"
import type { Costs } from "./CostsTypes.ts"
import type { Usage } from "./UsageTypes.ts"
import type { Webhooks } from "./WebhooksTypes.ts"
import type { Commands, Transaction, Within } from "./Within.ts"

/** What `drain` has done. */
export interface Drained {
  /** Whether all work that was due is done; false if the time was over before. */
  readonly finished: boolean
  /** When the next work is due; null if there is none, and if the time was over. */
  readonly nextDueAt: Date | null
}

/**
 * The service. Each group has the use cases of one kind of thing.
 *
 * Any method can reject with `StorageUnavailableError`, with `ClosedError` after `close`, with a
 * plain `SimplanError` if something broke, and within its limits with `TimeoutError` or an error
 * named `AbortError`.
 */
export interface Simplan extends AsyncDisposable {
  /** API keys of organizations, for the HTTP API. */
  readonly apiKeys: ApiKeys
  /** Plan attachments of a subscription. */
  readonly attachments: Attachments
  /** Who changed what. */
  readonly auditLog: AuditLog
  /** Actions on many subscriptions or SIMs at once. */
  readonly bulk: Bulk
  /** The catalogue of the whole service. */
  readonly catalogues: Catalogues
  /** The business clock. */
  readonly clock: Clock
  /** What was asked of the telco inside transactions, and what became of it. */
  readonly commands: Commands
  /** Coverage profiles and regions. */
  readonly coverage: Coverage
  /** The handlers of events that `on` has registered, in whatever process. */
  readonly handlers: Handlers
  /** SMS to SIMs in service. */
  readonly messages: Messages
  /** Mobile network operators. */
  readonly operators: Operators
  /** The tenants. */
  readonly organizations: Organizations
  /** What operators see first. */
  readonly overview: Overviews
  /** Plans of an organization. */
  readonly plans: Plans
  /** Jobs that the telco refuses again and again. */
  readonly problems: Problems
  /** Reports of the telco. */
  readonly reports: Reports
  /** Who the management API takes requests from. */
  readonly serviceOperators: ServiceOperators
  /** The SIM inventory. */
  readonly sims: Sims
  /** SIMs in service. */
  readonly subscriptions: Subscriptions
  /** The comparisons with the books of routed telcos. */
  readonly telcos: Telcos
  /** What was used, by day and country. */
  readonly usage: Usage
  /** What suppliers have charged, and what plans were sold for (rule C3). */
  readonly costs: Costs
  /** Jobs that were tried and wait for their next try. */
  readonly waitingJobs: WaitingJobs
  /** The mobile plan of eSIMs. */
  readonly wallet: Wallet
  /** Webhook endpoints and the log of their deliveries. */
  readonly webhooks: Webhooks
  /**
   * Has a function called with each event of a type, in this process and without HTTP: durable by
   * name, at least once, in order per SIM, retried if it throws (rule E2).
   *
   *     await simplan.on("attachment.activated", { name: "mailer" }, async (event) => sendMail(event.data.esim))
   */
  readonly on: On
  /**
   * The methods that write, inside a transaction that the host has begun on its own connection to
   * the same PostgreSQL database (rule H1):
   * `simplan.within(fromPg(client)).subscriptions.create(…)`. Throws an `InvalidFieldError` at once
   * if the transaction has no function `query`.
   */
  readonly within: (transaction: Transaction) => Within
  /**
   * Resolves when the service has started: the database is reached and migrated. Rejects if it
   * cannot start.
   */
  readonly ready: () => Promise<void>
  /**
   * Does all work that is due, such as packages and webhooks, and returns when none is left or the
   * time `within` is over. For hosts that have no worker running, such as serverless ones, from a
   * call every minute. No limit by default. Of what routed telcos need beside
   * (`simplan/telco-routes`) it does a share, which `nextDueAt` leaves out.
   */
  readonly drain: (options?: {
    /** How long it may take, of the machine's clock; what is under way then goes on. */
    readonly within?: TimeSpan | undefined
    /** Ends it when it aborts; it then rejects with an error named `AbortError`. */
    readonly signal?: AbortSignal | undefined
  }) => Promise<Drained>
  /**
   * Answers a web request with the HTTP API, as `http` of the options mounts it: for Hono, Next.js,
   * Bun, Deno and whatever else has web requests. `toNodeHandler` makes a handler for Node's server
   * of it. It never rejects: if the service cannot start, the answer is 503 with `Retry-After`,
   * and the next request tries to start it again. `host` is handed to the host's authentication. An
   * abort of the request's signal interrupts what it asks for.
   */
  readonly handler: (request: Request, host?: unknown) => Promise<Response>
  /**
   * The HTTP API at another path, or some parts of it:
   * `toNodeHandler(simplan.mount({ groups: ["console"] }))` at `/ops`, and the others elsewhere.
   * Parts that the place does not have are 404 there, and its documents leave them out. Limits and
   * sessions are those of the service. Throws an `InvalidFieldError` if an option is wrong, or
   * names a part that the service does not mount.
   */
  readonly mount: (options: HttpMount) => Pick<Simplan, "handler">
  /**
   * Ends calls that are under way, waits for work under way for 2 s, and closes the storage. Again,
   * it changes nothing.
   */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
