/**
 * Makes the calls of `AccountApi` over HTTP: each is a POST of JSON with the access code in a
 * header (https://docs.esimaccess.com, "Authentication"). Requests are not signed: allow the
 * addresses of the service at the supplier instead.
 *
 * The status of HTTP is 200 for failures too, so the envelope alone says what came of a call. Eight
 * calls a second are allowed for an account, orders and looks together, and looks give way to
 * orders. The access code is in no message, log, span or metric.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Answers, CallFailure, CallGate } from "../telco-calls/index.ts"
import * as AccountApi from "./AccountApi.ts"
import * as Shapes from "./Shapes.ts"

/** Where the account is, and how often it may be asked. */
export interface Options extends Omit<CallGate.Options, "telco"> {
  /** The telco's name in metrics and messages; `esim-access` by default. */
  readonly telco?: string
  /** The address; `URL` by default. */
  readonly url?: string
  /** In every call, and in no error or log. */
  readonly accessCode: Redacted.Redacted
  /** The time limit of a call, without its wait for a turn; 30 s by default. */
  readonly timeout?: Duration.Input
}

/** The address of version 1. */
export const URL = "https://api.esimaccess.com/api/v1/open"

/** What an account is allowed. */
export const CALLS_PER_SECOND = 8

/** The longest answer that is read, in bytes: the catalogue has some thousands of bundles. */
const LONGEST = 64 * 1024 * 1024

/** The longest text of the supplier that a message repeats, in characters. */
const LONGEST_TEXT = 300

/** How long to leave the supplier alone after it had too many calls, in seconds. */
const BACK_OFF_SECONDS = 1

/** How many eSIMs a page has, and how many pages are read. */
const PAGE = 500
const MOST_PAGES = 20

/** In seconds: how soon to ask again for what is being allocated. */
const ALLOCATING_SECONDS = 3

const ALLOCATING = "200010"

/** What an answer says that is no failure. */
type Answer = { readonly isAllocating: false; readonly obj: unknown } | { readonly isAllocating: true }

interface Meaning {
  readonly when: RegExp
  readonly outcome: CallFailure.Outcome
  readonly reason?: CallFailure.Refusal
  readonly isOverloaded?: boolean
}

/**
 * The codes of the documents ("Error codes"), by the first row that fits. Errors of the account and
 * of the address end when an operator has corrected the settings, so they are no refusal. What the
 * documents do not have leaves the outcome unknown.
 */
const meanings: ReadonlyArray<Meaning> = [
  { when: /^0001\d\d$/, outcome: "Refused" },
  { when: /^10100[123]$/, outcome: "NotDone" },
  { when: /^20000[56]$/, outcome: "Refused", reason: "price" },
  { when: /^200007$/, outcome: "Refused", reason: "no_balance" },
  { when: /^200011$/, outcome: "Refused", reason: "sold_out" },
  { when: /^2000(02|08|09)$/, outcome: "Refused" },
  { when: /^3102(0[1-9]|[1-3]\d|4[0-3])$/, outcome: "Refused", reason: "sold_out" },
  { when: /^310(272|403)$/, outcome: "NotFound" },
  { when: /^900001$/, outcome: "Unknown", isOverloaded: true }
]

const unsettled = "; check the access code and the allowed addresses"

const failure = (
  outcome: CallFailure.Outcome,
  message: string,
  more: Partial<Omit<CallFailure.CallFailure, "outcome" | "message">> = {}
) => new CallFailure.CallFailure({ outcome, message, isAnswered: false, ...more })

/** The failure that a code stands for. */
const failureOf = (operation: string, code: string, text: string): CallFailure.CallFailure => {
  const { isOverloaded, outcome, reason } = meanings.find(({ when }) => when.test(code)) ?? { outcome: "Unknown" }
  const said = text === "" ? "" : `: ${text.slice(0, LONGEST_TEXT)}`
  const advice = /^101/.test(code) ? unsettled : ""
  return failure(outcome, `eSIM Access answers ${operation} with ${code}${said}${advice}`, {
    isAnswered: true,
    ...(reason !== undefined && { reason }),
    ...(isOverloaded === true && { isOverloaded, retryAfterSeconds: BACK_OFF_SECONDS })
  })
}

const decodeEnvelope = Schema.decodeUnknownOption(Schema.fromJsonString(Shapes.Envelope))

/** The failure of an answer without an envelope. */
const httpFailure = (operation: string, status: number, retryAfter: string | undefined, now: number) => {
  const message = `eSIM Access answers ${operation} with HTTP ${status}`
  if (status === 429) {
    const retryAfterSeconds = Math.max(BACK_OFF_SECONDS, Answers.retryAfterSeconds(retryAfter, now) ?? 0)
    return failure("NotDone", message, { isAnswered: true, isOverloaded: true, retryAfterSeconds })
  }
  if (status === 401 || status === 403 || status === 404) {
    return failure("NotDone", `${message}${unsettled}`, { isAnswered: true })
  }
  return failure("Unknown", message, { isAnswered: status < 500 })
}

const disconnected = (operation: string, error: unknown) => Answers.disconnected("eSIM Access", operation, error)

const unreadable = (operation: string) =>
  failure("Unknown", `eSIM Access answers ${operation}, but not as its documents say`, { isAnswered: true })

const make = ({ accessCode, telco = "esim-access", timeout = "30 seconds", url = URL, ...limits }: Options) =>
  Effect.gen(function* () {
    const gate = yield* CallGate.make({ callsPerSecond: CALLS_PER_SECOND, ...limits, telco })
    const client = yield* HttpClient.HttpClient
    const limit = Duration.fromInputUnsafe(timeout)
    const base = url.replace(/\/+$/, "")
    const secret = Redacted.value(accessCode)
    const withoutSecret = (text: string): string => (secret === "" ? text : text.replaceAll(secret, "…"))

    /** Succeeds if the call is done, or if what it is about is being allocated. */
    const post = Effect.fnUntraced(
      function* (operation: string, body: unknown): Effect.fn.Return<Answer, CallFailure.CallFailure> {
        const request = HttpClientRequest.post(`${base}${operation}`).pipe(
          HttpClientRequest.setHeader("rt-accesscode", secret),
          HttpClientRequest.bodyText(JSON.stringify(body), "application/json")
        )
        const response = yield* Effect.mapError(client.execute(request), ({ reason }) =>
          reason._tag === "InvalidUrlError"
            ? failure("NotDone", "The address of eSIM Access is no URL")
            : disconnected(operation, reason.cause)
        )
        const text = yield* Effect.mapError(Answers.text(response, LONGEST), (error) =>
          error._tag === "TelcoCalls.TooLong" ? unreadable(operation) : disconnected(operation, error)
        )
        const envelope = Option.getOrNull(decodeEnvelope(text))
        const { headers, status } = response
        if (envelope === null) {
          return yield* status >= 200 && status < 300
            ? unreadable(operation)
            : httpFailure(operation, status, headers["retry-after"], yield* Clock.currentTimeMillis)
        }
        const { errorCode = null, errorMessage, errorMsg, obj = null, success } = envelope
        const code = errorCode === null ? "" : String(errorCode)
        const isClear = code === "" || /^0+$/.test(code)
        if (success && isClear) return { isAllocating: false, obj }
        // What says both, or neither, says nothing.
        if (success || isClear) return yield* unreadable(operation)
        if (code === ALLOCATING) return { isAllocating: true }
        return yield* failureOf(operation, code, withoutSecret(errorMsg || errorMessage || ""))
      },
      (call, operation) =>
        Effect.timeoutOrElse(call, {
          duration: limit,
          orElse: () =>
            Effect.fail(
              failure("Unknown", `eSIM Access has not answered ${operation} within ${Duration.format(limit)}`)
            )
        }).pipe(
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
          // A redirect would send the request, and the access code, to somebody else.
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          Effect.withSpan(`esim-access${operation}`, { kind: "client" })
        )
    )

    const send = (operation: string, body: unknown) => gate.run(operation, post(operation, body))

    /** What is being allocated can be neither changed nor read yet. */
    const later = (operation: string) =>
      failure("NotDone", `eSIM Access is still allocating what ${operation} is about`, {
        isAnswered: true,
        retryAfterSeconds: ALLOCATING_SECONDS
      })

    const done = (operation: string, body: unknown): Effect.Effect<void, CallFailure.CallFailure> =>
      Effect.flatMap(send(operation, body), ({ isAllocating }) =>
        isAllocating ? Effect.fail(later(operation)) : Effect.void
      )

    /** Null: it is being allocated. */
    const read = <S extends Schema.ConstraintDecoder<unknown>>(operation: string, body: unknown, schema: S) => {
      const decode = Schema.decodeUnknownOption(schema)
      return Effect.flatMap(send(operation, body), (answer) =>
        answer.isAllocating
          ? Effect.succeed(null)
          : Option.match(decode(answer.obj), {
              onNone: () => Effect.fail(unreadable(operation)),
              onSome: (found) => Effect.succeed<S["Type"]>(found)
            })
      )
    }

    const ask = <S extends Schema.ConstraintDecoder<unknown>>(operation: string, body: unknown, schema: S) =>
      Effect.flatMap(read(operation, body, schema), (found) =>
        found === null ? Effect.fail(later(operation)) : Effect.succeed(found)
      )

    // The documents ask for a page in each query, of 5 to 500.
    const pageOf = (of: object, pageNum: number) =>
      read("/esim/query", { ...of, pager: { pageNum, pageSize: PAGE } }, Shapes.Esims)

    const api = AccountApi.AccountApi.of({
      bundles: (of) =>
        CallGate.asPoll(
          Effect.map(ask("/package/list", { locationCode: "", type: "BASE", ...of }, Shapes.Packages), (found) =>
            (found.packageList ?? []).map(Shapes.bundleFrom)
          )
        ),
      order: ({ bundle, days, price, transactionId }) =>
        Effect.flatMap(
          ask(
            "/esim/order",
            {
              transactionId,
              amount: price,
              packageInfoList: [{ ...bundle, count: 1, ...(days === null ? { price } : { periodNum: days }) }]
            },
            Shapes.Ordered
          ),
          (ordered) =>
            (ordered.transactionId ?? transactionId) === transactionId
              ? Effect.succeed(ordered.orderNo)
              : Effect.fail(unreadable("/esim/order"))
        ),
      esims: (of) => Effect.map(pageOf(of, 1), (found) => found && (found.esimList ?? []).map(Shapes.esimFrom)),
      esimsSince: ({ since, until }) =>
        Effect.gen(function* () {
          const all: Array<AccountApi.Esim> = []
          const times = { startTime: Shapes.timeOf(since), endTime: Shapes.timeOf(until) }
          for (let page = 1; page <= MOST_PAGES; page++) {
            const found = yield* pageOf(times, page)
            if (found === null) return yield* later("/esim/query")
            const esims = found.esimList ?? []
            all.push(...esims.map(Shapes.esimFrom))
            if (esims.length < PAGE) return all
          }
          return yield* failure("Unknown", `eSIM Access lists more eSIMs than ${MOST_PAGES * PAGE}`)
        }),
      usage: (esimTranNo) =>
        CallGate.asPoll(
          Effect.map(ask("/esim/usage/query", { esimTranNoList: [esimTranNo] }, Shapes.Usages), (found) => {
            const own = found.esimUsageList?.find((one) => one.esimTranNo === esimTranNo)
            return own === undefined ? null : { usedBytes: own.dataUsage, at: Shapes.instantOf(own.lastUpdateTime) }
          })
        ),
      cancel: (esimTranNo) => done("/esim/cancel", { esimTranNo }),
      revoke: (esimTranNo) => done("/esim/revoke", { esimTranNo }),
      setSuspended: ({ esimTranNo, isSuspended }) =>
        done(isSuspended ? "/esim/suspend" : "/esim/unsuspend", { esimTranNo }),
      sendSms: (of) => done("/esim/sendSms", of),
      balance: Effect.map(ask("/balance/query", {}, Shapes.Balance), ({ balance }) =>
        AccountApi.amountOf(balance, AccountApi.CURRENCY)
      )
    })
    return Context.make(AccountApi.AccountApi, api).pipe(Context.add(CallGate.CallGate, gate))
  })

/** The same over a client of one's own. */
export const layerWithoutClient = (
  options: Options
): Layer.Layer<AccountApi.AccountApi | CallGate.CallGate, never, HttpClient.HttpClient> =>
  Layer.effectContext(make(options))

/** The account at the address, and the gate that its calls pass. */
export const layer = (options: Options): Layer.Layer<AccountApi.AccountApi | CallGate.CallGate> =>
  Layer.provide(layerWithoutClient(options), FetchHttpClient.layer)
