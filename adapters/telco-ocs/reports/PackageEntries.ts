/**
 * The packages that simplan has ordered of an OCS, as the journal has them: what the reports need of the entries that the
 * orders write.
 */
import { Option } from "effect"
import type { Time } from "simplan/ports"
import type { Journal } from "../../telco-calls/index.ts"
import type { Window } from "../api/Api.ts"
import * as Order from "../orders/Order.ts"

export interface Ordered {
  /** Ours: `<attachment id>:<occurrence>`. */
  readonly packageId: string
  readonly iccid: string
  /** The OCS's id, once it is known. */
  readonly externalId: string | null
  /** `Open`: the orders are still at it. A `Cancelled` package is one whose end the OCS has confirmed. */
  readonly status: Order.Order["_tag"]
  /** Null: from the first use on. */
  readonly window: Window | null
  /** That which it was asked for by; null where it was never asked for. */
  readonly template: { readonly id: number; readonly name: string } | null
  /** When it was first asked for. */
  readonly orderedAt: Time.Instant | null
  /** The orders look again: what a call without an answer has made late may still appear. */
  readonly isWatched: boolean
}

const isUnconfirmed = (order: Order.Order): boolean => order._tag === "Cancelled" && !order.confirmed

/** The package that an entry is about; an entry that cannot be read is one that is open. */
export const of = ({ document, dueAt, externalId, iccid, key }: Journal.Entry): Ordered => {
  const order = Option.getOrUndefined(Order.decodeOption(document))
  return {
    packageId: key,
    iccid: iccid ?? "",
    externalId,
    status: order === undefined || isUnconfirmed(order) ? "Open" : order._tag,
    window: order?.asked?.window ?? null,
    template: order?.asked ? { id: order.asked.templateId, name: order.asked.templateName } : null,
    orderedAt: order?.asked?.firstAt ?? null,
    isWatched: dueAt !== null
  }
}

/** Whether the customer has the package: its use counts. */
export const isServed = ({ status }: Ordered): boolean => status === "Created"
