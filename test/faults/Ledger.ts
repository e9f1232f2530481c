/**
 * What the clients asked for, and what they were answered: what was acknowledged must be there at
 * the end, what was refused must not, and what was not answered may be either, once at most.
 */

import { type Answer, text } from "./Asking.ts"

/**
 * `named`: a creation that names a SIM which a subscription has left (rule S8), so that nothing may
 * come of it.
 */
export type Kind =
  | "subscribe"
  | "topUp"
  | "named"
  | "delete"
  | "suspend"
  | "pause"
  | "resume"
  | "replace"
  | "sms"
  | "wallet"

export type Fate =
  /** Not known: there was no answer, or one that says nothing. */
  | { readonly _tag: "Open" }
  | { readonly _tag: "Done"; readonly body: unknown }
  | { readonly _tag: "Refused"; readonly code: string }

export interface Operation {
  /** Its idempotency key where it has one, its metadata or text, and its name in a message. */
  readonly name: string
  readonly kind: Kind
  readonly isKeyed: boolean
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly body: unknown
  /** The SIM that it is about; null where the service picks one. */
  readonly iccid: string | null
  /** Whether an attempt got no answer, so that it may still be on its way. */
  isAdrift: boolean
  fate: Fate
  /** The answer to its last attempt; null: there was none in time. */
  last: Answer | null
}

/** Reports of one SIM, sent together. */
export interface Reports {
  readonly events: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The events that they cause, as `causeOf` names them. */
  readonly causes: ReadonlyArray<string>
  readonly attachmentId: string
  /** What is used of its package by all of them. */
  readonly usedBytes: number
  isAcknowledged: boolean
}

/**
 * How many requests had been sent to a server to their end when it was stopped, and how many got an
 * answer or a part of it.
 */
export interface Stop {
  readonly name: string
  readonly sent: number
  readonly answered: number
}

export class Ledger {
  readonly operations: Array<Operation> = []
  readonly reports: Array<Reports> = []
  readonly stops: Array<Stop> = []
  /** What must not have happened, recorded as it happened. */
  readonly problems: Array<string> = []
  requests = 0
  answers = 0

  open(
    kind: Kind,
    isKeyed: boolean,
    request: Pick<Operation, "method" | "path" | "iccid">,
    body: (name: string) => unknown
  ) {
    const name = `${kind}-${this.operations.length + 1}`
    const operation: Operation = {
      name,
      kind,
      isKeyed,
      ...request,
      body: body(name),
      isAdrift: false,
      fate: { _tag: "Open" },
      last: null
    }
    this.operations.push(operation)
    return operation
  }

  of(...kinds: ReadonlyArray<Kind>): ReadonlyArray<Operation> {
    return this.operations.filter(({ kind }) => kinds.includes(kind))
  }
}

/** Whether nothing can come of it any more but what its fate says. */
export const isSettled = ({ fate, isAdrift, isKeyed }: Operation): boolean =>
  fate._tag === "Done" || (fate._tag === "Refused" && !(isAdrift && isKeyed))

/** The SIM that a subscription was moved to (rule S8); null where that was not acknowledged. */
export const movedTo = ({ fate, kind }: Operation): string | null =>
  kind === "replace" && fate._tag === "Done" ? text(fate.body, "data", "esim", "iccid") : null

/** What an event is about, in words. */
export const causeOf = (type: string, data: Readonly<Record<string, unknown>>): string => {
  switch (type) {
    case "attachment.allowanceConsumed":
      return `${data["attachmentId"]} used ${data["usagePercentage"]} %`
    case "subscription.esim.locationChanged":
      return `${data["esim"]} is in ${data["countryIso2"]}`
    case "esim.smdp.stateChanged":
      return `${data["sim"]} changed its profile`
    default:
      return `${type} of ${JSON.stringify(data)}`
  }
}
