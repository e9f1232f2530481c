/**
 * The status codes of the OCS, and what each means for a call that was answered with it.
 */
import { CallFailure } from "../../telco-calls/index.ts"

/** The code of an answer to a call that is done. */
export const OK = 0

export const TRAFFIC_CONTROL_LIMIT_EXCEEDED = 100

/** How long to leave the OCS alone after its traffic control has refused a call, in seconds. */
export const BACK_OFF_SECONDS = 5

/**
 * The table of the documents. Errors inside the OCS and in what it stands on (its database, the HLR, the steering) may
 * come after it has changed something, so they leave the outcome unknown. Errors of the account and of the address that
 * the calls come from end when an operator has corrected the settings, so they are no refusal.
 */
const codes: Readonly<Record<number, readonly [name: string, outcome: CallFailure.Outcome]>> = {
  1: ["UNKNOWN_REQUEST", "Refused"],
  2: ["INVALID_REQUEST", "Refused"],
  3: ["UNEXPECTED_ERROR", "Unknown"],
  4: ["DB_DUPLICATE_ENTRY", "Refused"],
  5: ["DB_DATA_INCONSISTENCY", "Unknown"],
  6: ["DB_NOT_FOUND", "NotFound"],
  7: ["DB_ERROR", "Unknown"],
  8: ["NO_API_ACCOUNT_FOR_RESELLER", "NotDone"],
  9: ["SRC_IP_NOT_AUTHORISED", "NotDone"],
  10: ["INVALID_RESELLER", "NotDone"],
  11: ["RESOURCE_NOT_VISIBLE", "Refused"],
  12: ["RESOURCE_READ_ONLY", "Refused"],
  13: ["SMS_API_ERROR", "Refused"],
  14: ["OPERATION_IMPOSSIBLE", "Refused"],
  15: ["HLR_API_ERROR", "Unknown"],
  16: ["STEERING_API_ERROR", "Unknown"],
  17: ["SUBS_END_OF_LIFE", "Refused"],
  18: ["TIMEOUT", "Unknown"],
  [TRAFFIC_CONTROL_LIMIT_EXCEEDED]: ["TRAFFIC_CONTROL_LIMIT_EXCEEDED", "NotDone"]
}

/** The codes that an operator has to do something about: the account's settings at the OCS, or those of simplan. */
const ofSettings: ReadonlyArray<number> = [8, 9, 10]

/** The documents do not say whether a subscriber that is not the reseller's is 6 or this one. */
const RESOURCE_NOT_VISIBLE = 11

/**
 * Whether an operation reads one subscriber. Else 11 stays a refusal: what is hidden from a deletion may still go on, and a
 * reseller from whom all is hidden has wrong settings.
 */
const readsSubscriber = (operation: string): boolean => /^(?:get|listSubscriberPrepaidPackages$)/.test(operation)

/** The longest text of the OCS that a message repeats, in characters. */
const LONGEST = 300

/** The failure of an operation that the OCS answers with a code other than 0. */
export const failure = (operation: string, code: number, text: string): CallFailure.CallFailure => {
  const [name, told] = codes[code] ?? ["a code that its documents do not have", "Refused" as const]
  const outcome = code === RESOURCE_NOT_VISIBLE && readsSubscriber(operation) ? "NotFound" : told
  const reason = text === "" ? "" : `: ${text.slice(0, LONGEST)}`
  const advice = ofSettings.includes(code) ? "; check the token, the reseller's id and the allowed addresses" : ""
  return new CallFailure.CallFailure({
    outcome,
    isAnswered: true,
    message: `The OCS answers ${operation} with ${code} (${name})${reason}${advice}`,
    ...(code === TRAFFIC_CONTROL_LIMIT_EXCEEDED ? { isOverloaded: true, retryAfterSeconds: BACK_OFF_SECONDS } : {})
  })
}
