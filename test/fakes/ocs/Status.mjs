// The status codes of the documents' table.
export const names = {
  0: "OK",
  1: "UNKNOWN_REQUEST",
  2: "INVALID_REQUEST",
  3: "UNEXPECTED_ERROR",
  4: "DB_DUPLICATE_ENTRY",
  5: "DB_DATA_INCONSISTENCY",
  6: "DB_NOT_FOUND",
  7: "DB_ERROR",
  8: "NO_API_ACCOUNT_FOR_RESELLER",
  9: "SRC_IP_NOT_AUTHORISED",
  10: "INVALID_RESELLER",
  11: "RESOURCE_NOT_VISIBLE",
  12: "RESOURCE_READ_ONLY",
  13: "SMS_API_ERROR",
  14: "OPERATION_IMPOSSIBLE",
  15: "HLR_API_ERROR",
  16: "STEERING_API_ERROR",
  17: "SUBS_END_OF_LIFE",
  18: "TIMEOUT",
  100: "TRAFFIC_CONTROL_LIMIT_EXCEEDED"
}

/** Why a request is not done. */
export class Refusal extends Error {
  constructor(code, text) {
    super(text ?? names[code] ?? "error")
    this.code = code
  }
}

export const invalid = (text) => new Refusal(2, text)
export const notFound = (text) => new Refusal(6, text)
