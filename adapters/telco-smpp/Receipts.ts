/**
 * Delivery receipts (SMPP 3.4, appendix B): what became of a message that the SMSC has taken. They are logged and
 * counted, and nothing depends on them. No text of a message is logged: some SMSCs repeat it in the receipt.
 */
import { Effect } from "effect"
import type { PDU } from "./Library.ts"
import * as Metrics from "./Metrics.ts"

/** The values of `message_state` (section 5.2.28), as a receipt's text abbreviates them, and their names. */
const STATES = [
  ["ENROUTE", "enroute"],
  ["DELIVRD", "delivered"],
  ["EXPIRED", "expired"],
  ["DELETED", "deleted"],
  ["UNDELIV", "undeliverable"],
  ["ACCEPTD", "accepted"],
  ["UNKNOWN", "unknown"],
  ["REJECTD", "rejected"]
] as const

export interface Receipt {
  /** The SMSC's id of the message. */
  readonly messageId: string | null
  readonly state: (typeof STATES)[number][1]
  /** The network's error code, where the receipt has one. */
  readonly error: string | null
}

const MC_DELIVERY_RECEIPT = 0x04
const INTERMEDIATE = 0x20

const textOf = (pdu: PDU): string => {
  const content = pdu["short_message"]
  const message = typeof content === "object" && content !== null && "message" in content ? content.message : content
  if (typeof message === "string") return message
  return message instanceof Uint8Array ? Buffer.from(message).toString("latin1") : ""
}

/** The receipt in a `deliver_sm` or `data_sm`; undefined if it is another message. */
export const of = (pdu: PDU): Receipt | undefined => {
  const esmClass = pdu["esm_class"]
  const id = pdu["receipted_message_id"]
  const isReceipt = typeof esmClass === "number" && (esmClass & (MC_DELIVERY_RECEIPT | INTERMEDIATE)) !== 0
  if (!isReceipt && typeof id !== "string") return undefined
  const text = textOf(pdu)
  // What follows `text:` is of the message.
  const fields = text.replace(/\btext:.*$/is, "")
  const field = (name: string): string | null => new RegExp(`\\b${name}:([^ ]{1,64})`, "i").exec(fields)?.[1] ?? null
  const number = pdu["message_state"]
  const stat = field("stat")?.toUpperCase()
  const state = typeof number === "number" ? STATES[number - 1] : STATES.find(([short]) => short === stat)
  return {
    // The optional parameter ends with a null octet.
    messageId: typeof id === "string" ? id.replace(/\0+$/, "") : field("id"),
    state: state?.[1] ?? "unknown",
    error: field("err")
  }
}

/** Logs and counts a `deliver_sm` or `data_sm` of the SMSC. */
export const take = (telco: string, pdu: PDU): Effect.Effect<void> => {
  const receipt = of(pdu)
  // simplan takes no messages of SIMs. It acknowledges them, or the SMSC would deliver them again and again.
  if (receipt === undefined) return Effect.logDebug("the SMSC has delivered a message that is no receipt", { telco })
  return Effect.andThen(
    Metrics.receipt(telco, receipt.state),
    Effect.logInfo("the SMSC tells what became of a message", { telco, ...receipt })
  )
}
