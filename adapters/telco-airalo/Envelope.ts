/**
 * What an answer of Airalo says of a call ("Error handling"). An answer has one of four forms, and
 * which one it has decides more than its status:
 *
 * | form | meaning |
 * |---|---|
 * | `{"data": …, "meta": …}` with 2xx | done. The message beside it (`success`, `succes`, `api.succes`) says nothing |
 * | `{"code": 11, "reason": "…"}` | the table of codes below |
 * | `{"data": {"<field>": "…"}, "meta": {"message": "the parameter is invalid"}}` with 422 | refused: fields of the request |
 * | `{"message": "Too Many Attempts."}` with 429 | not done; later |
 *
 * What is none of them, has a code that the table has not, or comes with 5xx leaves the outcome
 * unknown.
 */
import { Option, Schema } from "effect"
import { CallFailure } from "../telco-calls/index.ts"

/** An answer of HTTP, whatever it says. */
export interface Received {
  /** The status of HTTP. */
  readonly status: number
  /** What the body is in JSON; undefined if it is none. */
  readonly body: unknown
  /** Of the header; undefined without one. */
  readonly retryAfterSeconds: number | undefined
}

interface Meaning {
  readonly outcome: CallFailure.Outcome
  readonly reason?: CallFailure.Refusal
  /** Airalo names no time. */
  readonly retryAfterSeconds?: number
  /** What an operator should look at. */
  readonly advice?: string
}

/** How long an operator's maintenance is waited for between two calls, in seconds. */
const MAINTENANCE = 300

/**
 * "Error handling", HTTP 422. Codes of the account's settings end when an operator has corrected
 * them, so they are no refusal. 53 says that something went wrong inside, at whatever step.
 */
const codes: Readonly<Record<number, Meaning>> = {
  11: { outcome: "Refused", reason: "no_balance" },
  13: { outcome: "NotDone", retryAfterSeconds: MAINTENANCE },
  14: { outcome: "Refused" },
  23: { outcome: "Refused" },
  33: { outcome: "Refused", reason: "sold_out" },
  34: { outcome: "Refused", reason: "sold_out" },
  43: { outcome: "Refused" },
  53: { outcome: "Unknown" },
  73: { outcome: "NotFound" },
  89: { outcome: "NotDone", advice: "add the address of this machine to the IP allow list of the account" }
}

const Coded = Schema.Struct({
  code: Schema.Int,
  reason: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Said = Schema.Struct({ meta: Schema.Struct({ message: Schema.String }) })
const Fields = Schema.Struct({ data: Schema.Record(Schema.String, Schema.Unknown) })

const isCoded = Schema.is(Coded)
const isSaid = Schema.is(Said)
const fieldsOf = Schema.decodeUnknownOption(Fields)

/** "Rate limits": all limits are of a minute, but for that of refunds. */
const BACK_OFF_SECONDS = 60

/** The longest text of Airalo that a message repeats, in characters. */
const LONGEST = 300

const credentials = "check the client id and the client secret"

/**
 * "Submit order" has two answers for what is out of stock or off sale: a code, or the fields of the
 * request that are wrong.
 */
const reasonOf = (fields: Readonly<Record<string, unknown>>): CallFailure.Refusal | undefined =>
  /not available/i.test(String(fields["quantity"] ?? "")) ||
  /package is invalid|invalid topup package/i.test(String(fields["package_id"] ?? ""))
    ? "sold_out"
    : undefined

/** The body of an answer that is done. */
export interface Done {
  /** What was asked for; any form. */
  readonly data?: unknown
  /** Of a list: its pages. */
  readonly meta?: unknown
}

const isData = (body: unknown): body is Done => typeof body === "object" && body !== null && "data" in body

/** What a call is, as far as failures depend on it. */
export interface Operation {
  /** What messages and metrics call it. */
  readonly name: string
  /** Whether its limit is that of one eSIM, so that others need not slow down. */
  readonly isLimitedApart?: boolean
  /** Whether the account may need a contract for it, without which it never may. */
  readonly isByContract?: boolean
}

const forbidden = (isByContract: boolean): Meaning =>
  isByContract
    ? { outcome: "Refused", advice: "the contract with Airalo has to allow it" }
    : { outcome: "NotDone", advice: "check what the account may do" }

/** Whether an answer is done: 2xx, with data. */
export const isDone = (received: Received): received is Received & { readonly body: Done } =>
  received.status >= 200 && received.status < 300 && isData(received.body)

/**
 * The failure that an answer is that is not done. `withoutSecrets` cuts them out of what Airalo
 * says.
 */
export const failureOf = (
  { isByContract = false, isLimitedApart = false, name }: Operation,
  { body, retryAfterSeconds, status }: Received,
  withoutSecrets: (text: string) => string
): CallFailure.CallFailure => {
  const failure = (said: string, { advice, ...meaning }: Meaning & { readonly isOverloaded?: boolean }) => {
    const text = withoutSecrets(said).replace(/\s+/g, " ").slice(0, LONGEST)
    return new CallFailure.CallFailure({
      isAnswered: status < 500,
      ...meaning,
      message: `Airalo answers ${name} with ${text}${advice === undefined ? "" : `; ${advice}`}`
    })
  }
  if (status === 429) {
    const seconds = Math.max(1, retryAfterSeconds ?? BACK_OFF_SECONDS)
    return failure("HTTP 429", { outcome: "NotDone", isOverloaded: !isLimitedApart, retryAfterSeconds: seconds })
  }
  if (status >= 500) return failure(`HTTP ${status}`, { outcome: "Unknown" })
  if (isCoded(body)) {
    const { code, reason } = body
    return failure(`${code}${reason ? `: ${reason}` : ""}`, {
      ...(codes[code] ?? { outcome: "Unknown" }),
      ...(codes[code]?.outcome === "NotDone" && retryAfterSeconds !== undefined && { retryAfterSeconds })
    })
  }
  const said = `HTTP ${status}${isSaid(body) ? `: ${body.meta.message}` : ""}`
  if (status === 422 && isSaid(body)) {
    const data = Option.getOrNull(fieldsOf(body))?.data ?? {}
    const fields = Object.entries(data).map(([field, text]) => `${field}: ${String(text)}`)
    const reason = reasonOf(data)
    return failure([said, ...fields].join(", "), { outcome: "Refused", ...(reason !== undefined && { reason }) })
  }
  if (status === 401) return failure(said, { outcome: "NotDone", advice: credentials })
  if (status === 403) return failure(said, forbidden(isByContract))
  // Without the form of an answer it is the address that is not there.
  if (status === 404 && isSaid(body)) return failure(said, { outcome: "NotFound" })
  if (status === 404) return failure(said, { outcome: "NotDone", advice: "check the address" })
  return failure(said, { outcome: "Unknown" })
}
