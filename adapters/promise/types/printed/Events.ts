/** Printed from the catalogue of events by `npm run print`. */
import type { ErrorCode } from "../../errors/Errors.ts"
import type { Label } from "../Label.ts"

/** The types of events (rules W5 and E1). The first three are the standard ones. */
export type EventType = keyof EventData

/** The methods that submit a command inside a transaction. */
export type CommandMethod = "subscriptions.create" | "messages.send" | "wallet.setMobilePlan"

/** What events about an attachment or one of its packages say. */
export interface AttachmentEventData extends SubscriptionEventData {
  /** The attachment's id. */
  readonly attachmentId: string
  /** The plan's id. */
  readonly planId: string
  /** When it activates or did; null while that is not known. RFC 3339 in UTC. */
  readonly activationAt: string | null
  /** When it ends or did; null while that is not known. RFC 3339 in UTC. */
  readonly expirationAt: string | null
}

/** What events about a command of a host's transaction say of it. */
export interface CommandEventData {
  /** The id that the host was given when it asked. */
  readonly id: string
  /** What was asked for: subscriptions.create, messages.send, wallet.setMobilePlan. */
  readonly method: CommandMethod
  /** That of the subscription; null where something else was asked for. */
  readonly metadata: string | null
}

/** What events about a threshold of an allowance say. */
export interface ConsumedEventData {
  /** The threshold that was crossed, in percent. */
  readonly usagePercentage: number
  /** The usage of the attachment, or of the package where one is named, in bytes. */
  readonly dataUsageBytes: number
  /** The SIM's ICCID. */
  readonly esim: string
  /** The plan's id. */
  readonly planId: string
  /** The attachment's id. */
  readonly attachmentId: string
  /** The subscription's id. */
  readonly subscriptionId: string
  /** The metadata of the attachment, as its creation gave it. */
  readonly metadata: string
}

/** What events about a package say; the times are the package's own. */
export interface PackageEventData extends AttachmentEventData {
  /** The package's id. */
  readonly packageId: string
}

/** What events about a subscription say. */
export interface SubscriptionEventData {
  /** The SIM's ICCID. */
  readonly esim: string
  /** The subscription's id. */
  readonly subscriptionId: string
}

/** What each type of event says, with the names of its webhook body (rules W5 and E1). */
export interface EventData {
  /** 50, 80 or 100 % of the allowance of a non-recurring plan's attachment is used. */
  readonly "attachment.allowanceConsumed": ConsumedEventData
  /** The SIM was seen in another country than before; the first country counts too. */
  readonly "subscription.esim.locationChanged": {
    /** The SIM's ICCID. */
    readonly esim: string
    /** ISO 3166-1 alpha-2 code of the country. */
    readonly countryIso2: string
    /** The code of the country before; null for the first one. */
    readonly previousCountryIso2: string | null
  }
  /** The SM-DP+ state of an eSIM's profile has changed. */
  readonly "esim.smdp.stateChanged": {
    /** The SIM's ICCID. */
    readonly sim: string
    /** The new state, and the result as the SM-DP+ put it. */
    readonly smdpStateChange: {
      /** The new state. */
      readonly state: string
      /** The result, as the SM-DP+ put it. */
      readonly modificationResult: string
    }
  }
  /** A SIM was put into service. */
  readonly "subscription.created": SubscriptionEventData & {
    /** The metadata of the subscription, as its first creation gave it. */
    readonly metadata: string
  }
  /** A subscription was deleted. */
  readonly "subscription.deleted": SubscriptionEventData
  /** A subscription has moved to another SIM; the former one is withdrawn. */
  readonly "subscription.replaced": SubscriptionEventData & {
    /** The ICCID of the SIM that it has left. */
    readonly replacedEsim: string
    /** When it moved. RFC 3339 in UTC. */
    readonly replacedAt: string
  }
  /**
   * A subscription has an activation code that it did not have before: it was created on an eSIM
   * with one, has moved to one, or its eSIM was corrected to have another one.
   */
  readonly "esim.ready": SubscriptionEventData & {
    /** The metadata of the subscription, as its first creation gave it. */
    readonly metadata: string
    /** The ICCID of the SIM that it has left for this one; null: it has not moved. */
    readonly replacedEsim: string | null
  }
  /** A subscription was paused: its SIM has no service until it is resumed. */
  readonly "subscription.paused": SubscriptionEventData & {
    /** When it was paused. RFC 3339 in UTC. */
    readonly pausedAt: string
  }
  /** A subscription was resumed. */
  readonly "subscription.resumed": SubscriptionEventData & {
    /** When it was resumed. RFC 3339 in UTC. */
    readonly resumedAt: string
  }
  /** A plan was attached to a subscription. */
  readonly "attachment.created": AttachmentEventData
  /** An attachment has become active. */
  readonly "attachment.activated": AttachmentEventData
  /** An attachment expires in 24 h, or sooner if it is shorter. */
  readonly "attachment.expiring": AttachmentEventData
  /** An attachment has expired. */
  readonly "attachment.expired": AttachmentEventData
  /** An attachment was suspended, for good. */
  readonly "attachment.suspended": AttachmentEventData & {
    /** When it was suspended. RFC 3339 in UTC. */
    readonly suspendedAt: string
  }
  /** The telco has taken a package. */
  readonly "package.created": PackageEventData
  /**
   * The telco has refused a package of a recurring plan, or what is left of a package on a new SIM.
   */
  readonly "package.refused": PackageEventData
  /**
   * A package has used a percentage of its allowance that the plan names in `alert_thresholds`; 50,
   * 80 and 100 where it names none.
   */
  readonly "package.allowanceConsumed": ConsumedEventData & {
    /** The package's id. */
    readonly packageId: string
  }
  /** Fewer eSIMs of a label are free than the level that was set for it. */
  readonly "stock.low": {
    /** The label of the eSIMs. */
    readonly label: Label
    /** How many eSIMs of the label are free. */
    readonly free: number
    /** The level that was set. */
    readonly level: number
  }
  /**
   * The service has disabled another endpoint of the organization: after a response of 410, or after
   * five days in which every attempt failed.
   */
  readonly "endpoint.disabled": {
    /** The id of the endpoint that the event is about. */
    readonly webhookEndpointId: string
    /** Where its events went. */
    readonly url: string
    /** `gone` after a response of 410, `failing` after five days of failures. */
    readonly reason: "gone" | "failing"
    /** When it was disabled. RFC 3339 in UTC. */
    readonly disabledAt: string
  }
  /** What the host has asked of the telco inside a transaction of its own was carried out. */
  readonly "command.done": CommandEventData & {
    /** The ICCID of the SIM that it was done to. */
    readonly esim: string | null
    /** The subscription's id; null where something else was asked for. */
    readonly subscriptionId: string | null
    /** The id of the attachment that was made; null where something else was asked for. */
    readonly attachmentId: string | null
    /** Whether the eSIM has an activation code; null where no subscription was asked for. */
    readonly hasActivationCode: string | null
  }
  /**
   * What the host has asked of the telco inside a transaction of its own was refused, or cancelled.
   */
  readonly "command.refused": CommandEventData & {
    /**
     * Why it was refused: the code of an error; `command_cancelled` where the host has cancelled it.
     */
    readonly code: ErrorCode
    /** Why it was refused, for people. */
    readonly message: string
  }
}
