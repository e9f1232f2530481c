/**
 * The options of `createSimplan`.
 */
import type { Catalogue } from "./types/CoverageTypes.ts"
import type { InstantInput, TimeSpan } from "./types/Calls.ts"
import type { HttpOptions } from "./types/Http.ts"
import type { Terms } from "./types/PlansTypes.ts"

/**
 * A layer of Effect, such as one of `simplan/postgres`: for hosts that use Effect, and for adapters
 * written with it.
 */
export interface EffectLayer {
  readonly "~effect/Layer": object
}

/**
 * A telco of plain functions as a layer of the telco port, which `TelcoSuite` of `simplan/testing`
 * takes.
 */
export interface TelcoLayer extends EffectLayer {
  readonly "~simplan/Telco": true
}

/** A pool of the package `pg`, version 8. */
export interface PgPool {
  /** Takes a client out of the pool. */
  connect(): Promise<object>
  /** What the pool was made with. */
  readonly options: object
}

/**
 * A PGlite of the package `@electric-sql/pglite`, version 0.4 or later, which the host has opened.
 */
export interface PgliteDatabase {
  /** Resolves when it has started. */
  readonly waitReady: Promise<void>
  /** Runs statements. */
  exec(query: string): Promise<unknown>
  /** Takes a message of the wire protocol, and gives the reply. */
  execProtocolRawStream(message: Uint8Array, options: { readonly onRawData: (data: Uint8Array) => void }): Promise<void>
  /** Keeps the session for a function, in turn with transactions and other statements. */
  _runExclusiveTransaction<A>(work: () => Promise<A>): Promise<A>
}

/**
 * Where the data are.
 *
 * - `"postgres://user:password@host:port/database"`, or the same as a `URL`: a PostgreSQL server,
 *   14 or later.
 * - A `Pool` of `pg`: the host's own connections, which stay open after `close`. simplan opens one
 *   more, to listen. With `options: "-c enable_seqscan=off -c jit=off"`, which holds for the host's
 *   own statements too, plans that PostgreSQL makes while a table is empty stay good.
 * - `{ client }`: the `PgClient` of a host that uses Effect, whose connections are shared.
 * - `"memory"`: this process; nothing outlives it.
 * - A directory, such as `"./data"`: PGlite, for one process at a time. It needs the package
 *   `@electric-sql/pglite`.
 * - A `PGlite` that the host has opened, for one process, which stays open after `close`. `within`
 *   joins its transactions, so that tests of a host need no server.
 * - `{ storage }`: a storage of the host's own, as a layer of the ports `Storage`, `Jobs` and
 *   `Outbox`.
 */
export type Database =
  | string
  | URL
  | PgPool
  | PgliteDatabase
  | {
      /** The `PgClient` of `@effect/sql-pg` that the host has. */
      readonly client: object
    }
  | {
      /** A layer of the ports `Storage`, `Jobs` and `Outbox`. */
      readonly storage: EffectLayer
    }

/** What a telco's function is given beside the call. */
export interface AdapterCall {
  /** Aborts at the call's time limit (10 s), and when the service stops. */
  readonly signal: AbortSignal
}

/** A package to create at the telco. */
export interface PackageOrder {
  /**
   * `<attachment id>:<occurrence>`: the key of the call. The same order again has the first one's
   * outcome.
   */
  readonly packageId: string
  /** The SIM. */
  readonly iccid: string
  /** When it is active; null: from its first use, for the terms' validity. */
  readonly window: { readonly start: Date; readonly end: Date } | null
  /** What it grants. */
  readonly terms: Terms
}

/** A package that the telco has created. */
export interface TelcoPackage {
  /** The telco's own id of it. */
  readonly telcoPackageId: string
  /** When it is active, if the telco says so. */
  readonly activationAt?: InstantInput | null | undefined
  /** When it ends, if the telco says so. */
  readonly expirationAt?: InstantInput | null | undefined
}

/** Names a package at the telco. */
export interface OfPackage {
  /** The key of its creation, or what `listPackages` calls it. */
  readonly packageId: string
  /** The SIM. */
  readonly iccid: string
  /**
   * What the call is idempotent by: a new one after each refusal (rule S6), the package's id if it
   * is absent.
   */
  readonly key?: string | undefined
}

/**
 * A telco of plain functions. Each is idempotent by its key: the same call again has the first
 * one's outcome and no further effect. Suspending, cancelling and releasing what is not there
 * succeeds.
 *
 * A function that throws `TelcoRefused` refuses for good. One that throws `TelcoUnavailable`, or
 * fails to connect, is tried again with the same key. Anything else that it throws is taken for a
 * mistake in it: it is logged with its stack, a call that waits for it rejects with a
 * `SimplanError` that has it as its `cause`, and since it is not known what the telco has done, the
 * call is undone or tried again with the same key, as when the telco is unavailable.
 */
export interface Telco {
  /**
   * What it cannot do, or does otherwise than a full telco (rule P4): that is refused before the
   * telco is asked, with a `NotSupportedError`. An absent field is as a full telco has it.
   */
  readonly capabilities?: Partial<TelcoCapabilities> | undefined
  /**
   * Creates a package. The key of a cancelled package is spent: a creation that comes later has to
   * be refused.
   */
  readonly createPackage: (order: PackageOrder, call: AdapterCall) => Promise<TelcoPackage>
  /** Stops a package for good. */
  readonly suspendPackage: (of: OfPackage, call: AdapterCall) => Promise<unknown>
  /** Cancels a package, or makes sure that it is never created. */
  readonly cancelPackage: (of: OfPackage, call: AdapterCall) => Promise<unknown>
  /**
   * Sends an SMS; `messageId` is the key. May resolve with `{ segments }`, if it counts them in
   * a way of its own.
   */
  readonly sendSms: (
    sms: { readonly messageId: string; readonly iccid: string; readonly from: string; readonly text: string },
    call: AdapterCall
  ) => Promise<unknown>
  /** Makes the profile of an eSIM available for a new download. */
  readonly releaseProfile: (of: { readonly key: string; readonly iccid: string }, call: AdapterCall) => Promise<unknown>
  /** Applies or removes the organization's mobile plan of an eSIM. */
  readonly setMobilePlan: (
    of: { readonly key: string; readonly iccid: string; readonly applied: boolean },
    call: AdapterCall
  ) => Promise<unknown>
  /**
   * Stops the service of a SIM, or starts it again, if `active` is true. The packages on it stay
   * as they are. A telco without this function pauses no subscription (rule S7).
   */
  readonly setService?:
    | ((
        of: { readonly key: string; readonly iccid: string; readonly active: boolean },
        call: AdapterCall
      ) => Promise<unknown>)
    | undefined
  /**
   * The packages of this service that the telco has on a SIM: the `packageId` of each, or if the
   * telco does not know the order of one, any name by which `cancelPackage` takes it away, and that
   * no package of another SIM has. Those that are over may be left out. Before a SIM is sold again,
   * what is listed on it is cancelled. A telco without this function is taken at its word that what
   * was cancelled is gone; so is one that answers null. With `onlyAttachments` those of others are
   * asked for, whose attachments are none of these; a telco that cannot tell them apart lists all.
   */
  readonly listPackages?:
    | ((
        of: { readonly iccid: string; readonly onlyAttachments?: ReadonlyArray<string> | undefined },
        call: AdapterCall
      ) => Promise<ReadonlyArray<string> | null>)
    | undefined
  /**
   * What the telco has counted by now of the packages of this service on a SIM, whether it was
   * reported or not. Asked when a subscription moves to another SIM (rule S8), after the packages
   * in `stopped` are suspended: of them the answer must have all that was used until then; throw
   * `TelcoUnavailable` while it cannot. A package that is not there is left out. Of a telco without
   * this function the last report is taken for right; so it is of one that answers null.
   */
  readonly readUsage?:
    | ((
        of: { readonly iccid: string; readonly stopped: ReadonlyArray<string> },
        call: AdapterCall
      ) => Promise<ReadonlyArray<PackageUsage> | null>)
    | undefined
}

/** What a telco can do (rule P4). */
export interface TelcoCapabilities {
  /** What it stops for good: a package, only all of a SIM (a pause), or nothing. */
  readonly suspension: "package" | "sim" | "none"
  /** Which packages it takes away: any, unused ones, or of these only what a SIM came with. */
  readonly cancellation: "any" | "unused" | "load"
  /** Whether subscriptions can be paused: by default if there is `setService`. */
  readonly pause: boolean
  /** Whether a package can begin at a time. False: it begins at its first use. */
  readonly windows: boolean
  /** Whether it limits the speed by a plan's thresholds. */
  readonly throttling: boolean
  /** Whether it grants any volume for any number of days. */
  readonly volumes: boolean
  /** Whether a plan may be one of its bundles (rule P5); false by default. */
  readonly bundles: boolean
  /** Whether it has mobile plans (rule I6). */
  readonly mobilePlans: boolean
  /** The longest SMS in characters, and the senders; null: any. Null as a whole: it sends none. */
  readonly sms: { readonly longest: number | null; readonly senders: ReadonlyArray<string> | null } | null
  /**
   * How many packages a SIM may have that are not over (null: any number), whether it takes one
   * after all is over, and whether they stay apart or are merged. Null: a SIM has one package.
   */
  readonly topUps: {
    readonly most: number | null
    readonly afterExpiry: boolean
    readonly kept: "apart" | "merged"
  } | null
  /** What begins the time of a package that waits for its first use. */
  readonly firstUse: "network" | "installation" | "either"
  /**
   * Whether it shows that an eSIM was downloaded. False: an eSIM that a customer had is given to
   * nobody else, since its code was handed out (rule S3).
   */
  readonly downloads: boolean
}

/** What the telco has counted of a package. */
export interface PackageUsage {
  /** That of its order. */
  readonly packageId: string
  /** All that was used of it on this SIM, in bytes. */
  readonly usedBytes: number
  /** When it was first used, if the telco says so. */
  readonly activationAt?: InstantInput | null | undefined
}

/**
 * A telco behind HTTP: a bridge in any language, by the contract of `simplan/telco-http`. A call
 * that a bridge answers by 422 is refused for good; after anything else than 2xx it is made again
 * with the same key.
 */
export interface TelcoBridge {
  /**
   * The address to which the contract's paths are appended, such as `https://bridge.example/telco`.
   */
  readonly url: string | URL
  /** Sent as `Authorization: Bearer`. It is in no error and no log. */
  readonly token: string
  /** The time limit of a call; 10 s by default. */
  readonly timeout?: TimeSpan | undefined
  /**
   * Whether the bridge has the call that pauses SIMs and resumes them (rule S7); false by default.
   */
  readonly pauses?: boolean | undefined
}

/**
 * The telcos and suppliers of a settings file, as `simplan serve` reads it. The journal of their
 * calls is in the service's database.
 */
export interface TelcoFile {
  /** The path of the file, such as `"telcos.json"`. It is read when the service starts. */
  readonly file: string
}

/** A webhook to send: one POST (rules W5 and W6). */
export interface WebhookCall {
  /** Whose it is. */
  readonly organizationId: string
  /** Where it goes. */
  readonly url: string
  /** The event's id, by which receivers recognize repetitions. */
  readonly eventId: string
  /** The body: compact JSON. */
  readonly body: string
  /** The headers, with the signatures over the body. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends webhooks by a function of the host's own. It follows no redirect. What it throws counts as
 * no response.
 */
export interface Sender {
  /**
   * Sends one, and returns the status of the response. `signal` aborts after 15 s.
   * `retryAfterSeconds` is what the response asks for by `Retry-After`: after a 429 or 503 the
   * webhook is sent again no sooner (rule W7).
   */
  readonly send: (
    webhook: WebhookCall,
    call: AdapterCall
  ) => Promise<{
    readonly status: number
    readonly body?: string | undefined
    readonly retryAfterSeconds?: number | undefined
  }>
}

/** How webhooks are sent over HTTP. */
export interface WebhookOptions {
  /** Allows loopback and private addresses, and all ports, for development; false by default. */
  readonly allowPrivateAddresses?: boolean | undefined
  /** Refuses `http://`; false by default. */
  readonly httpsOnly?: boolean | undefined
  /** The ports that webhooks may use; 80, 443, 8080 and 8443 by default. */
  readonly ports?: ReadonlyArray<number> | undefined
}

/** Where logs go: `console`, a logger of pino, or any object with these functions. */
export interface Logger {
  /** What helps to find a fault. */
  debug(message: string, details?: object): void
  /** What happens in the normal course. */
  info(message: string, details?: object): void
  /** What somebody should check some time. */
  warn(message: string, details?: object): void
  /** What somebody should check now. */
  error(message: string, details?: object): void
}

/**
 * How much of a kind an organization may have, 1 to 1,000,000 each (rule W13). Another one is a
 * `QuotaExceededError`.
 */
export interface Quotas {
  /** Plans, archived ones included; 20,000 by default. */
  readonly plans?: number | undefined
  /** Custom regions; 1,000 by default. */
  readonly regions?: number | undefined
  /** Webhook endpoints, disabled ones included; 100 by default. */
  readonly webhookEndpoints?: number | undefined
  /** API keys that are not revoked; 1,000 by default. */
  readonly apiKeys?: number | undefined
}

/**
 * How many SMS an organization may send to one of its SIMs, over all processes (rule W13). One more
 * is an `SmsLimitedError`.
 */
export interface SmsLimit {
  /** In one window, at once or spread: 1 to 1,000,000. */
  readonly messages: number
  /** From 1 ms on. */
  readonly window: TimeSpan
}

/** The options of `createSimplan`. */
export interface Options {
  /** Where the data are. */
  readonly database: Database
  /**
   * The direct address of the database, `"postgres://…"` or a `URL`, if `database` goes through
   * a pooler in transaction mode: locks, notifications and migrations use it, over at most two
   * connections.
   */
  readonly directUrl?: string | URL | undefined
  /**
   * The schema of PostgreSQL that holds simplan's tables; `simplan` by default. 1 to 63 lower-case
   * letters, digits and underscores. Each schema is a service of its own.
   */
  readonly schema?: string | undefined
  /**
   * The key that signing keys, webhook URLs and activation codes are encrypted with in the
   * database, 32 bytes in base64 or hexadecimal; during a rotation the new and the old one with a
   * comma between. If it is absent they are stored plain.
   */
  readonly secretKeys?: string | undefined
  /**
   * The telco: plain functions, a bridge over HTTP, the telcos of a settings file, what
   * `createSimulator` makes, `"simulator"` for one that nothing is to be read of, or a layer of its
   * port.
   */
  readonly telco: Telco | TelcoBridge | TelcoFile | "simulator" | EffectLayer
  /**
   * How webhooks are sent: over HTTP by default, by a function of the host's own, by a layer, or
   * not at all.
   */
  readonly webhooks?: false | WebhookOptions | Sender | EffectLayer | undefined
  /**
   * The business clock: the machine's by default, or one that stands at `start` until
   * `clock.advanceTo` moves it.
   */
  readonly clock?: "system" | { readonly start: InstantInput } | EffectLayer | undefined
  /**
   * Where logs go; `false` for nowhere. By default errors go to stderr, as do warnings that work
   * will stop by what the host has given, such as a pool that is too small; nothing else is logged.
   */
  readonly logger?: Logger | false | undefined
  /**
   * The first catalogue; by default the standard one, with the countries and networks of the world.
   */
  readonly catalogue?: Catalogue | EffectLayer | undefined
  /** How the HTTP API is mounted in the host's server, by `simplan.handler` or `toNodeHandler`. */
  readonly http?: HttpOptions | undefined
  /** How many plans, custom regions, webhook endpoints and API keys an organization may have. */
  readonly quotas?: Quotas | undefined
  /** How many SMS an organization may send to one of its SIMs; 30 a minute by default. */
  readonly smsLimit?: "off" | SmsLimit | undefined
  /**
   * Whether this process does due work: packages, webhooks, retries. True by default. If no
   * process does, `drain` has to be called.
   */
  readonly worker?: boolean | undefined
  /**
   * Whether this is the only process on the database. It then takes over the work of a killed
   * process at once, and not after 15 s. Memory, directories and virtual clocks are for one
   * process, so there it is true.
   */
  readonly alone?: boolean | undefined
}
