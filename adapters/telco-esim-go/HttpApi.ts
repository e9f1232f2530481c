/**
 * Makes the calls of `AccountApi` over HTTP, by the documents of eSIM Go (API v2.5).
 *
 * Errors have a text and no code, and their texts are not documented, so the status decides:
 *
 * | status | outcome |
 * |---|---|
 * | 400, and 4xx that are not named here | refused: of the request, or for want of balance |
 * | 401, and 403 where the account is refused too | not done: the key is at fault |
 * | 403 where the account is not refused, 404 with a text, 410 | what it is about is not there |
 * | 404 without a text, 3xx | not done: the address is at fault |
 * | 429 | not done: too many calls |
 * | 408, 5xx (503 is "Processing"), a body that cannot be read | unknown |
 *
 * The key is in a header, and in no message, log, span or metric.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, type Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Time } from "simplan/ports"
import { Answers, CallFailure, CallGate } from "../telco-calls/index.ts"
import * as AccountApi from "./AccountApi.ts"
import * as Shapes from "./Shapes.ts"

/** Where the supplier is, and how often it may be asked. */
export interface Options extends Omit<CallGate.Options, "telco"> {
  /** The telco's name in metrics and messages; `esim-go` by default. */
  readonly telco?: string
  /** The address before the paths; `URL` by default. */
  readonly url?: string
  /** The key of the account. */
  readonly key: Redacted.Redacted
  /** The time limit of a call, without its wait for a turn; 30 s by default. */
  readonly timeout?: Duration.Input
}

/** The address of version 2.5. */
export const URL = "https://api.esim-go.com/v2.5"

/** Their limit is 10 a second for each address (guide "rate limits"); two are left to others. */
export const CALLS_PER_SECOND = 8

/** How long to leave them alone after a 429 that does not say, in seconds: their window. */
const BACK_OFF_SECONDS = 1

/** How many rows a page has, and how many pages are read at most. */
const PAGE = 100
const PAGES = 200

/** The longest catalogue, or page of orders, that is read, in bytes. */
const LISTS = 32 * 1_048_576

/** The longest text of theirs that a message repeats, in characters. */
const LONGEST = 300

type Failure = CallFailure.CallFailure
type Call<A> = Effect.Effect<A, Failure>

const failure = (
  outcome: CallFailure.Outcome,
  message: string,
  more: Partial<Omit<Failure, "outcome" | "message">> = {}
): Failure => new CallFailure.CallFailure({ outcome, message, isAnswered: false, ...more })

const disconnected = (operation: string, error: unknown) => Answers.disconnected("eSIM Go", operation, error)

/** The answer cannot be read, whatever its status says. */
const unreadable = (operation: string): Failure =>
  failure("Unknown", `eSIM Go answers ${operation}, but not as its documents say`, { isAnswered: true })

/** What an error says: `message` of its object, or the plain text that `POST /orders` declares. */
const textOf = (body: string): string => {
  const value = Shapes.parse(body)
  const { message, status } = Shapes.decode(Shapes.Message)(value) ?? {}
  const text = message ?? status ?? (value === undefined && !body.trimStart().startsWith("<") ? body : "")
  return text.trim().slice(0, LONGEST)
}

/**
 * Why an order is refused, as far as its text says it. Texts are not documented; what is not
 * understood is another reason.
 */
const reasonOf = (text: string): CallFailure.Refusal | undefined => {
  if (/insufficient|balance|credit|funds/i.test(text)) return "no_balance"
  return /not (?:available|found)|unavailable|no longer|out of stock|does not exist|unknown/i.test(text)
    ? "sold_out"
    : undefined
}

/** An answer of 403, which does not say what is forbidden. */
class Forbidden extends CallFailure.CallFailure {}

interface Refusal {
  readonly operation: string
  readonly status: number
  readonly text: string
  readonly retryAfterSeconds: number | undefined
  readonly isOrder: boolean
}

const refusal = ({ isOrder, operation, retryAfterSeconds, status, text }: Refusal): Failure => {
  const message = `eSIM Go answers ${operation} with HTTP ${status}${text === "" ? "" : `: ${text}`}`
  const more = { isAnswered: true, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
  if (status === 429) {
    const wait = Math.max(1, retryAfterSeconds ?? BACK_OFF_SECONDS)
    return failure("NotDone", message, { isAnswered: true, isOverloaded: true, retryAfterSeconds: wait })
  }
  if (status === 403) return new Forbidden({ outcome: "NotDone", message, ...more })
  if (status === 401) return failure("NotDone", message, more)
  if (status === 410 || (status === 404 && text !== "")) return failure("NotFound", message, more)
  if (status === 404 || (status >= 300 && status < 400)) {
    return failure("NotDone", `${message}; check the address`, more)
  }
  if (status === 408 || status >= 500) return failure("Unknown", message, { ...more, isAnswered: status === 503 })
  const reason = isOrder ? reasonOf(text) : undefined
  return failure("Refused", message, { ...more, ...(reason !== undefined && { reason }) })
}

/** Seconds until their window is over: `Retry-After`, or the time in `X-Ratelimit-Reset`. */
const waitOf = (headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined => {
  const asked = Answers.retryAfterSeconds(headers["retry-after"], now)
  const reset = Shapes.instantOf(headers["x-ratelimit-reset"])
  return asked ?? (reset === null ? undefined : Math.min(60, Math.max(1, Math.ceil((reset - now) / Time.SECOND))))
}

interface Ask {
  readonly method: "GET" | "POST" | "DELETE"
  /** Its parts are escaped here. */
  readonly path: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether it is about an eSIM, so that 403 may mean that the account has it not. */
  readonly isOfEsim?: boolean
}

const orderBody = (type: "validate" | "transaction", { bundle, iccid }: AccountApi.Request) => ({
  type,
  // Without it the bundle would go to the inventory.
  assign: true,
  // `allowReassign` would sell a new eSIM where the one given does not fit.
  order: [
    { type: "bundle", quantity: 1, item: bundle, ...(iccid !== null && { iccids: [iccid] }), allowReassign: false }
  ]
})

const make = ({
  callsPerSecond = CALLS_PER_SECOND,
  key,
  telco = "esim-go",
  timeout = "30 seconds",
  url = URL,
  ...limits
}: Options) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const gate = yield* CallGate.make({ ...limits, callsPerSecond, telco })
    const base = url.replace(/\/+$/, "")
    const limit = Duration.fromInputUnsafe(timeout)

    const withoutKey = (text: string): string => {
      const secret = Redacted.value(key)
      return secret === "" ? text : text.replaceAll(secret, "…")
    }

    /** Sends a request: the value of the body, if it was done. */
    const post = (operation: string, { body, method, path, query = {} }: Ask) =>
      Effect.gen(function* () {
        const address = `${base}/${path.map(encodeURIComponent).join("/")}`
        const plain = HttpClientRequest.make(method)(address).pipe(
          HttpClientRequest.setUrlParams(query),
          HttpClientRequest.setHeader("x-api-key", Redacted.value(key)),
          // The install data of orders are CSV otherwise.
          HttpClientRequest.setHeader("accept", "application/json")
        )
        const request =
          body === undefined ? plain : HttpClientRequest.bodyText(plain, JSON.stringify(body), "application/json")
        const response = yield* client
          .execute(request)
          .pipe(
            Effect.mapError(({ reason }) =>
              reason._tag === "InvalidUrlError"
                ? failure("NotDone", "The address of eSIM Go is no URL")
                : disconnected(operation, reason.cause)
            )
          )
        const text = yield* Answers.text(response, LISTS).pipe(
          Effect.mapError((error) =>
            error._tag === "TelcoCalls.TooLong"
              ? failure("Unknown", `The answer of eSIM Go to ${operation} is longer than ${error.longest} bytes`)
              : disconnected(operation, error)
          )
        )
        const { headers, status } = response
        if (status < 200 || status >= 300) {
          const retryAfterSeconds = waitOf(headers, yield* Clock.currentTimeMillis)
          return yield* refusal({
            operation,
            status,
            text: withoutKey(textOf(text)),
            retryAfterSeconds,
            isOrder: method === "POST" && path[0] === "orders"
          })
        }
        const value = Shapes.parse(text)
        return value === undefined ? yield* unreadable(operation) : value
      }).pipe(
        Effect.timeoutOrElse({
          duration: limit,
          orElse: () =>
            Effect.fail(failure("Unknown", `eSIM Go has not answered ${operation} within ${Duration.format(limit)}`))
        }),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        // A redirect would send the key to somebody else.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )

    const send = (operation: string, ask: Ask): Call<unknown> =>
      gate.run(operation, Effect.withSpan(post(operation, ask), `esim-go.${operation}`, { kind: "client" }))

    const organisation: Ask = { method: "GET", path: ["organisation"] }

    /**
     * 403 is a wrong key as well as an eSIM that is not the account's. A call of the account itself
     * tells them apart: nothing is taken for gone while the key is wrong.
     */
    const call = (operation: string, ask: Ask): Call<unknown> =>
      Effect.catchIf(
        send(operation, ask),
        (error) => error instanceof Forbidden,
        ({ message }) => {
          const why = `${message}; check the key, and the addresses that the account allows`
          const ofAccount = failure("NotDone", why, { isAnswered: true })
          return ask.isOfEsim === true
            ? Effect.matchEffect(send("organisation", organisation), {
                onFailure: () => Effect.fail(ofAccount),
                onSuccess: () => Effect.fail(failure("NotFound", message, { isAnswered: true }))
              })
            : Effect.fail(ofAccount)
        }
      )

    const ask = <S extends Schema.ConstraintDecoder<unknown>>(
      operation: string,
      of: Ask,
      schema: S
    ): Call<S["Type"]> => {
      const decode = Shapes.decode(schema)
      return Effect.flatMap(call(operation, of), (value) => {
        const answer = decode(value)
        return answer === undefined ? Effect.fail(unreadable(operation)) : Effect.succeed(answer)
      })
    }

    const list = <S extends Schema.ConstraintDecoder<unknown>>(
      operation: string,
      of: Ask,
      { name, schema, single }: { readonly name: string; readonly schema: S; readonly single?: string }
    ): Call<ReadonlyArray<S["Type"]>> => {
      const decode = Shapes.decode(schema)
      return Effect.flatMap(call(operation, of), (value) => {
        const all: Array<S["Type"]> = []
        for (const row of Shapes.rows(value, name, single) ?? [undefined]) {
          const one = decode(row)
          if (one === undefined) return Effect.fail(unreadable(operation))
          all.push(one)
        }
        return Effect.succeed(all)
      })
    }

    const esim = (iccid: string, ...rest: ReadonlyArray<string>) => ["esims", iccid, ...rest]

    /**
     * All rows of the pages of a list. How many rows a page has at most is not documented, so the
     * list ends with a page that has nothing new, or that is not there.
     */
    const pages = <A>(
      operation: string,
      read: (page: number) => Call<ReadonlyArray<A>>,
      keyOf: (row: A) => string
    ): Call<ReadonlyArray<A>> =>
      Effect.gen(function* () {
        const found = new Map<string, A>()
        for (let page = 1; page <= PAGES; page++) {
          const before = found.size
          const rows = yield* Effect.catchIf(
            read(page),
            ({ outcome }) => page > 1 && outcome === "NotFound",
            () => Effect.succeed([])
          )
          for (const row of rows) found.set(keyOf(row), row)
          if (found.size === before) return [...found.values()]
        }
        return yield* failure("Unknown", `eSIM Go has more than ${PAGES} pages of ${operation}`, { isAnswered: true })
      })

    const suspension = (iccid: string) =>
      ask("suspension", { method: "GET", path: esim(iccid, "suspend"), isOfEsim: true }, Shapes.Suspension)

    const balance = Effect.flatMap(call("organisation", organisation), (value) => {
      const [row] = Shapes.rows(value, "organisations", "balance") ?? []
      const found = Shapes.decode(Shapes.Organisation)(row)
      const amount = found === undefined ? null : Shapes.balanceFrom(found)
      return amount === null ? Effect.fail(unreadable("organisation")) : Effect.succeed(amount)
    })

    const api = AccountApi.AccountApi.of({
      quote: (request) =>
        Effect.flatMap(
          ask("validate", { method: "POST", path: ["orders"], body: orderBody("validate", request) }, Shapes.Quote),
          (quote) => {
            const amount = Shapes.quoteFrom(quote)
            if (quote.valid === false) {
              return Effect.fail(failure("Refused", "eSIM Go says that the order is not valid", { isAnswered: true }))
            }
            return amount === null ? Effect.fail(unreadable("validate")) : Effect.succeed(amount)
          }
        ),
      order: (request) =>
        Effect.map(
          ask(
            "order",
            {
              method: "POST",
              path: ["orders"],
              body: orderBody("transaction", request),
              isOfEsim: request.iccid !== null
            },
            Shapes.Order
          ),
          Shapes.orderFrom
        ),
      orders: (since) => {
        const createdAt = `gte:${new Date(since).toISOString()}`
        const query = { includeIccids: "true", limit: String(PAGE), createdAt }
        const of = { name: "orders", schema: Shapes.Order, single: "orderReference" }
        const read = (page: number) =>
          list("orders", { method: "GET", path: ["orders"], query: { ...query, page: String(page) } }, of)
        return Effect.map(
          pages("orders", read, ({ orderReference }) => orderReference),
          (orders) => orders.map(Shapes.orderFrom)
        )
      },
      orderOf: (reference) =>
        Effect.map(ask("orderOf", { method: "GET", path: ["orders", reference] }, Shapes.Order), Shapes.orderFrom),
      details: (iccid) =>
        Effect.map(
          ask("details", { method: "GET", path: esim(iccid), isOfEsim: true }, Shapes.Details),
          Shapes.detailsFrom
        ),
      assignments: (iccid) =>
        Effect.map(
          list(
            "assignments",
            {
              method: "GET",
              path: esim(iccid, "bundles"),
              query: { includeUsed: "true", limit: String(AccountApi.MOST_ASSIGNMENTS) },
              isOfEsim: true
            },
            { name: "bundles", schema: Shapes.Assignments }
          ),
          (bundles) => bundles.flatMap(Shapes.assignmentsFrom)
        ),
      revoke: ({ assignment: { assignmentId, name }, iccid, isRefunded }) =>
        Effect.map(
          ask(
            "revoke",
            {
              method: "DELETE",
              path: esim(iccid, "bundles", name, "assignments", assignmentId),
              query: { type: "transaction", refundToBalance: String(isRefunded) },
              isOfEsim: true
            },
            Shapes.Message
          ),
          ({ status }) => status ?? ""
        ),
      history: (iccid) =>
        Effect.map(
          list(
            "history",
            { method: "GET", path: esim(iccid, "history"), isOfEsim: true },
            { name: "actions", schema: Shapes.Action, single: "name" }
          ),
          (actions) =>
            actions.map(({ bundle, bundleName, date, name }) => ({
              action: name,
              bundle: bundleName ?? bundle ?? null,
              at: Shapes.instantOf(date)
            }))
        ),
      setSuspended: ({ iccid, isSuspended }) =>
        call("suspend", {
          method: "POST",
          path: esim(iccid, "suspend"),
          body: { suspend: isSuspended },
          isOfEsim: true
        }).pipe(
          Effect.asVoid,
          // Whether it is refused if it is so already, is not documented.
          Effect.catchIf(
            ({ outcome }) => outcome === "Refused",
            (first) =>
              Effect.flatMap(suspension(iccid), ({ suspended }) =>
                suspended === isSuspended ? Effect.void : Effect.fail(first)
              )
          )
        ),
      sendSms: ({ from, iccid, text }) =>
        Effect.asVoid(
          call("sms", { method: "POST", path: esim(iccid, "sms"), body: { message: text, from }, isOfEsim: true })
        ),
      bundles: Effect.gen(function* () {
        const { currency } = yield* balance
        const of = { name: "bundles", schema: Shapes.Bundle }
        const read = (page: number) =>
          list(
            "catalogue",
            { method: "GET", path: ["catalogue"], query: { perPage: String(PAGE), page: String(page) } },
            of
          )
        const rows = yield* pages("catalogue", read, ({ name }) => name)
        return rows.map((row) => Shapes.bundleFrom(row, currency))
      }),
      balance
    })
    return Context.make(AccountApi.AccountApi, api).pipe(Context.add(CallGate.CallGate, gate))
  })

/** eSIM Go at its address, and the gate that its calls pass. */
export const layer = (options: Options): Layer.Layer<AccountApi.AccountApi | CallGate.CallGate> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(FetchHttpClient.layer))
