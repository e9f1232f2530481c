/**
 * What an SMSC says has become of a message: when it is submitted, by the command status of the
 * response (SMPP 3.4, section 5.1.3), and later, by a delivery receipt (appendix B). An SMSC that
 * answers with a status other than 0 has not taken the message. Nothing depends on receipts.
 */
import type { PDU } from "./Session.ts"

/**
 * `Accepted`: the SMSC has taken the message. `Throttled`: it takes no more at the moment.
 * `NotDone`: it may take the message later. `Refused`: it will never take the message.
 */
export type Meaning = "Accepted" | "Throttled" | "NotDone" | "Refused"

const STATUSES: ReadonlyMap<number, readonly [name: string, meaning: Meaning]> = new Map([
  [0x00, ["ESME_ROK", "Accepted"]],
  [0x01, ["ESME_RINVMSGLEN", "Refused"]],
  [0x02, ["ESME_RINVCMDLEN", "Refused"]],
  [0x03, ["ESME_RINVCMDID", "Refused"]],
  [0x04, ["ESME_RINVBNDSTS", "NotDone"]],
  [0x05, ["ESME_RALYBND", "NotDone"]],
  [0x06, ["ESME_RINVPRTFLG", "Refused"]],
  [0x07, ["ESME_RINVREGDLVFLG", "Refused"]],
  [0x08, ["ESME_RSYSERR", "NotDone"]],
  [0x0a, ["ESME_RINVSRCADR", "Refused"]],
  [0x0b, ["ESME_RINVDSTADR", "Refused"]],
  [0x0c, ["ESME_RINVMSGID", "Refused"]],
  [0x0d, ["ESME_RBINDFAIL", "NotDone"]],
  [0x0e, ["ESME_RINVPASWD", "NotDone"]],
  [0x0f, ["ESME_RINVSYSID", "NotDone"]],
  [0x14, ["ESME_RMSGQFUL", "Throttled"]],
  [0x15, ["ESME_RINVSERTYP", "Refused"]],
  [0x43, ["ESME_RINVESMCLASS", "Refused"]],
  [0x45, ["ESME_RSUBMITFAIL", "Refused"]],
  [0x48, ["ESME_RINVSRCTON", "Refused"]],
  [0x49, ["ESME_RINVSRCNPI", "Refused"]],
  [0x50, ["ESME_RINVDSTTON", "Refused"]],
  [0x51, ["ESME_RINVDSTNPI", "Refused"]],
  [0x53, ["ESME_RINVSYSTYP", "NotDone"]],
  [0x54, ["ESME_RINVREPFLAG", "Refused"]],
  [0x58, ["ESME_RTHROTTLED", "Throttled"]],
  [0x61, ["ESME_RINVSCHED", "Refused"]],
  [0x62, ["ESME_RINVEXPIRY", "Refused"]],
  [0x64, ["ESME_RX_T_APPN", "NotDone"]],
  [0x65, ["ESME_RX_P_APPN", "Refused"]],
  [0x66, ["ESME_RX_R_APPN", "Refused"]],
  [0xfe, ["ESME_RDELIVERYFAILURE", "Refused"]],
  [0xff, ["ESME_RUNKNOWNERR", "NotDone"]],
  [0x102, ["ESME_RSERTYPUNAVAIL", "NotDone"]]
])

/** The name in the specification, or the number in hexadecimal. */
export const nameOf = (status: number): string => STATUSES.get(status)?.[0] ?? `status 0x${status.toString(16)}`

/** A status that is not in the table, such as one of the SMSC's vendor, is a refusal. */
export const meaningOf = (status: number): Meaning => STATUSES.get(status)?.[1] ?? "Refused"

/**
 * The values of `message_state` (section 5.2.28), as a receipt's text abbreviates them, and their
 * names.
 */
const MESSAGE_STATES = [
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
  readonly state: (typeof MESSAGE_STATES)[number][1]
  /** The network's error code, if the receipt has one. */
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
export const receiptOf = (pdu: PDU): Receipt | undefined => {
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
  const state =
    typeof number === "number" ? MESSAGE_STATES[number - 1] : MESSAGE_STATES.find(([short]) => short === stat)
  return {
    // The optional parameter ends with a null octet.
    messageId: typeof id === "string" ? id.replace(/\0+$/, "") : field("id"),
    state: state?.[1] ?? "unknown",
    error: field("err")
  }
}
