/**
 * Handlers of events in the host's own process (rule E2).
 */
import type { CallOptions, OfOrganization } from "./Calls.ts"
import type { EventType } from "./Webhooks.ts"
import type { Transaction } from "./Within.ts"

/**
 * What events about an attachment or one of its packages tell. Times are RFC 3339 in UTC, null as long as they are not
 * known.
 */
export interface AttachmentEventData {
  /** The ICCID. */
  readonly esim: string
  /** The subscription. */
  readonly subscriptionId: string
  /** The attachment. */
  readonly attachmentId: string
  /** The plan. */
  readonly planId: string
  /** When it is active. */
  readonly activationAt: string | null
  /** When it ends. */
  readonly expirationAt: string | null
}

/** What events about a subscription tell. */
export interface SubscriptionEventData {
  /** The ICCID. */
  readonly esim: string
  /** The subscription. */
  readonly subscriptionId: string
}

/** What events about a package tell; the times are the package's own. */
export interface PackageEventData extends AttachmentEventData {
  /** The package. */
  readonly packageId: string
}

/** What each type of event tells, with the names of its webhook body (rules W5 and E1). */
export interface EventData {
  /** An attachment has used 50, 80 or 100 % of its allowance (rule R2). */
  readonly "attachment.allowanceConsumed": {
    readonly usagePercentage: number
    readonly dataUsageBytes: number
    readonly esim: string
    readonly planId: string
    readonly attachmentId: string
  }
  /** A SIM is in another country (rule R3). */
  readonly "subscription.esim.locationChanged": {
    readonly esim: string
    readonly countryIso2: string
    readonly previousCountryIso2: string | null
  }
  /** The state of an eSIM's profile has changed (rule R3). */
  readonly "esim.smdp.stateChanged": {
    readonly sim: string
    readonly smdpStateChange: { readonly state: string; readonly modificationResult: string }
  }
  /** A SIM is in service. */
  readonly "subscription.created": SubscriptionEventData
  /** A SIM is out of service. */
  readonly "subscription.deleted": SubscriptionEventData
  /** A plan is attached. */
  readonly "attachment.created": AttachmentEventData
  /** An attachment is active from now on. */
  readonly "attachment.activated": AttachmentEventData
  /** An attachment ends in 24 h, or sooner. */
  readonly "attachment.expiring": AttachmentEventData
  /** An attachment has ended. */
  readonly "attachment.expired": AttachmentEventData
  /** An attachment is suspended. */
  readonly "attachment.suspended": AttachmentEventData & { readonly suspendedAt: string }
  /** The telco has a package. */
  readonly "package.created": PackageEventData
  /** The telco has refused a package of a recurring attachment. */
  readonly "package.refused": PackageEventData
  /** The service has disabled a webhook endpoint. */
  readonly "endpoint.disabled": {
    readonly webhookEndpointId: string
    readonly url: string
    readonly reason: "gone" | "failing"
    readonly disabledAt: string
  }
}

/** An event of one of these types. */
export type HandledEvent<Type extends EventType = EventType> = {
  readonly [One in Type]: OfOrganization & {
    /** The event's id: the same each time that the event is handed to a handler. */
    readonly eventId: string
    /** What has happened. */
    readonly type: One
    /** When it happened. */
    readonly createdAt: Date
    /** What is told of it. */
    readonly data: EventData[One]
  }
}[Type]

/** What a handler is given beside the event. */
export interface HandlerCall {
  /** Aborts at the time limit of 60 s, and when the service stops. */
  readonly signal: AbortSignal
}

/** Likewise, where the handler runs in a transaction. */
export interface HandlerCallInTransaction extends HandlerCall {
  /**
   * The transaction. What is written by it commits together with the end of the delivery, or not at all.
   * `simplan.within` takes it too.
   */
  readonly tx: Transaction
}

/** How a handler is registered. */
export interface HandlerOptions {
  /** By which all processes know the handler: 1 to 100 letters, digits, dots, hyphens and underscores. */
  readonly name: string
  /** The organization whose events it takes; all by default. */
  readonly organizationId?: string | undefined
  /**
   * Runs the handler in a database transaction, in which its delivery is settled too: what it writes by `tx` is
   * committed exactly once for each event. For PostgreSQL only; elsewhere it is refused. False by default.
   */
  readonly transaction?: boolean | undefined
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
   * Has `handler` called with each event of these types that happens from its first registration on, in whatever
   * process: at least once, in order per SIM, also with what happened while no process had it. Processes that register
   * the same name share its events. It is called while a worker runs here, or `drain`; 8 events about different SIMs at
   * once (2 with `transaction`).
   *
   * An event is done when the handler resolves. Where it throws, or takes longer than 60 s, the error is logged, and it
   * is called again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h; then the event is given up (rule
   * W7). Later events about the SIM wait for that.
   *
   * A name that is registered again takes these types from now on. Resolves when it is registered.
   * Errors: `InvalidFieldError`, `NotFoundError`.
   */
  <Type extends EventType>(
    types: Type | ReadonlyArray<Type>,
    options: HandlerOptions & { readonly transaction: true },
    handler: (event: HandledEvent<Type>, call: HandlerCallInTransaction) => PromiseLike<unknown>
  ): Promise<void>
  /** The same without a transaction. */
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
  /** Calls a handler no more in this process. What is due to it is kept, for other processes and for later. */
  readonly off: (name: string, options?: CallOptions) => Promise<void>
  /** Removes a handler everywhere, and gives up what is due to it. One that is not there stays so. */
  readonly remove: (name: string, options?: CallOptions) => Promise<void>
}
