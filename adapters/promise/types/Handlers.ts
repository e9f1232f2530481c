/**
 * Handlers of events in the host's own process (rule E2).
 */
import type { CallOptions, PagedList, TimeSpan } from "./Calls.ts"
import type { EventData, EventType } from "./printed/Events.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { Transaction } from "./Within.ts"

/** An event of one of these types. */
export type HandledEvent<Type extends EventType = EventType> = {
  readonly [One in Type]: OfOrganization & {
    /** The event's id: the same each time that the event is handed to a handler. */
    readonly eventId: string
    /** What has happened. */
    readonly type: One
    /** When it happened. */
    readonly createdAt: Date
    /** The data of the event. */
    readonly data: EventData[One]
  }
}[Type]

/** What a handler is given beside the event. */
export interface HandlerCall {
  /** Aborts at the time limit of 60 s, and when the service stops. */
  readonly signal: AbortSignal
}

/** What a handler is given that runs in a transaction. */
export interface HandlerCallInTransaction extends HandlerCall {
  /** The transaction, for as long as the handler runs. `simplan.within` takes it too. */
  readonly tx: Transaction
}

/** What a handler is given that runs in a transaction of the host's own client. */
export interface HandlerCallInHostTransaction<Client> extends HandlerCallInTransaction {
  /**
   * What the host has begun the transaction on, such as a `PoolClient` of `pg`, or the `tx` of
   * Drizzle.
   */
  readonly client: Client
}

/** What a transaction of the host has to resolve with: that its event is handled in it. */
export interface HandledInTransaction<Client> {
  /** The client that `work` was given. */
  readonly client: Client
}

/**
 * Begins a transaction by the host's own client, calls `work` in it, and commits what `work`
 * resolves with. If `work` rejects, it rolls back and rejects too, as transactions of Drizzle,
 * Kysely, Knex, Prisma and postgres.js do:
 *
 *     (work) => db.transaction((tx) => work(fromDrizzle(tx), tx))
 */
export type HandlerTransaction<Client> = (
  work: <Own>(tx: Transaction, client: Own) => Promise<HandledInTransaction<Own>>
) => PromiseLike<HandledInTransaction<Client>>

/** How a handler is registered. */
export interface HandlerOptions {
  /**
   * By which all processes know the handler: 1 to 100 letters, digits, dots, hyphens and
   * underscores.
   */
  readonly name: string
  /** The organization whose events it takes; all by default. */
  readonly organizationId?: string | undefined
  /**
   * How long to wait after each failed attempt, such as `["5 seconds", "1 minute"]`: up to 100
   * waits from 1 ms to 30 days, each of them up to 20 % longer. The last one goes on if
   * `maxAttempts` is greater. By default 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.
   * An empty list: a failed event is given up. The calls of this process go by it.
   */
  readonly waits?: ReadonlyArray<TimeSpan> | undefined
  /**
   * After how many failed attempts an event is given up, 1 to 1,000; by default after the one that
   * follows the last wait.
   */
  readonly maxAttempts?: number | undefined
  /** Whether an event is given up at once because of what the handler threw. Never by default. */
  readonly giveUp?: ((error: unknown) => boolean) | undefined
  /**
   * Runs the handler in a database transaction, in which its delivery is settled too: what it
   * writes by `tx` is committed exactly once for each event. A function begins the transaction by a
   * client of the host's own, on the same database; the handler writes by that `client` too. For
   * PostgreSQL, and a PGlite that the host has opened; elsewhere it is refused. False by default.
   */
  readonly transaction?: boolean | HandlerTransaction<unknown> | undefined
}

/** An event that was given up for a handler. */
export type FailedEvent = HandledEvent & {
  /** How many attempts have failed. */
  readonly attempts: number
  /** When the last attempt was made; null if there was none. */
  readonly lastAttemptAt: Date | null
  /** Why it was given up, or what the last attempt failed with. */
  readonly lastError: string | null
}

/** A handler as all processes know it. */
export interface Handler {
  /** Unique in the service; what is due to the handler is kept under it. */
  readonly name: string
  /** The types of events that it takes. */
  readonly types: ReadonlyArray<EventType>
  /** The organization whose events it takes; null for all. */
  readonly organizationId: string | null
  /** When it was first registered. */
  readonly createdAt: Date
}

/** Registers a handler of events. */
export interface On {
  /**
   * Has `handler` called with each event of these types that happens from its first registration
   * on, in whatever process: at least once, in order per SIM, also with what happened while no
   * process had it. Processes that register the same name share its events. It is called while a
   * worker runs here, or `drain`; 8 events about different SIMs at once (2 with `transaction`).
   *
   * An event is done when the handler resolves. If it throws, or takes longer than 60 s, the
   * error is logged, and it is called again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
   * and 24 h; then the event is given up (rule W7), and `handlers.failed` lists it; `waits`,
   * `maxAttempts` and `giveUp` change that. Later events about the SIM wait for it, and from the
   * second failure on it is among the `problems`.
   *
   * A name that is registered again takes these types from now on. Resolves when it is registered.
   * Errors: `InvalidFieldError`, `NotFoundError`.
   */
  <Type extends EventType>(
    types: Type | ReadonlyArray<Type>,
    options: HandlerOptions & { readonly transaction: true },
    handler: (event: HandledEvent<Type>, call: HandlerCallInTransaction) => PromiseLike<unknown>
  ): Promise<void>
  /** In a transaction of the host's own client, which the handler is given as `client`. */
  <Type extends EventType, Client>(
    types: Type | ReadonlyArray<Type>,
    options: Omit<HandlerOptions, "transaction"> & { readonly transaction: HandlerTransaction<Client> },
    handler: (event: HandledEvent<Type>, call: HandlerCallInHostTransaction<Client>) => PromiseLike<unknown>
  ): Promise<void>
  /** Without a transaction. */
  <Type extends EventType>(
    types: Type | ReadonlyArray<Type>,
    options: HandlerOptions & { readonly transaction?: false | undefined },
    handler: (event: HandledEvent<Type>, call: HandlerCall) => PromiseLike<unknown>
  ): Promise<void>
}

/** The handlers of events that `on` has registered, in whatever process. */
export interface Handlers {
  /** All handlers, by name. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<Handler>>
  /**
   * The events that were given up for the handler of that name, of all organizations, oldest first;
   * those of a removed one too. They are kept for 30 days, unless the service is set otherwise.
   */
  readonly failed: (name: string, options?: CallOptions) => PagedList<FailedEvent>
  /**
   * Has a handler given again what was given up: the event of that id, or all of them. They are due
   * at once, with all attempts ahead, and come before later events about their SIMs. Resolves with
   * how many they are.
   *
   * Errors: `NotFoundError` if there is no such handler, or no such event among those that were
   * given up.
   */
  readonly replay: (
    of: { readonly name: string; readonly eventId?: string | undefined },
    options?: CallOptions
  ) => Promise<{ readonly replayed: number }>
  /**
   * Calls a handler no more in this process. What is due to it is kept, for other processes and for
   * later.
   */
  readonly off: (name: string, options?: CallOptions) => Promise<void>
  /**
   * Removes a handler everywhere, and gives up what is due to it. One that is not there stays so.
   */
  readonly remove: (name: string, options?: CallOptions) => Promise<void>
}
