/**
 * Makes the calls of `PartnerApi` over HTTP. Bodies are multipart, as "Submit order" has them, but
 * for that of a refund, whose example is JSON.
 *
 * A call has a token ("Request access token"): one for all calls of this process, asked for once,
 * and renewed before its day is over, or once when Airalo does not know it any more. Such an answer
 * comes before anything is done, so the call is made again. Airalo gives three tokens a minute, so
 * one that could not be had is asked for again only after 20 seconds, or when the answer says.
 *
 * Neither token nor secret is in a message, log, span or metric. A redirect is not followed.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Clocks, Time } from "simplan/ports"
import { Answers, CallFailure, CallGate } from "../telco-calls/index.ts"
import * as Envelope from "./Envelope.ts"
import * as PartnerApi from "./PartnerApi.ts"
import * as PartnerCalls from "./PartnerCalls.ts"

/** Where Airalo is, who calls it, and how often. */
export interface Options extends Omit<CallGate.Options, "telco"> {
  /** The telco's name in metrics and messages; `airalo` by default. */
  readonly telco?: string
  /** The address; `URL` by default. */
  readonly url?: string
  /** The id of the application. */
  readonly clientId: string
  /** Its secret; in no message. */
  readonly clientSecret: Redacted.Redacted
  /** The time limit of a call, without its wait for a turn; 30 s by default. */
  readonly timeout?: Duration.Input
}

/** The address of version 2 ("Introduction"). */
export const URL = "https://partners-api.airalo.com/v2"

/** "Rate limits": 5 per second for each client. */
export const CALLS_PER_SECOND = 5

/** For how long a token is used, though its answer says a year: "Request access token". */
const TOKEN_LASTS = Time.DAY

/** How much of its time a token is used. */
const PART = 0.9

/** "Rate limits": three tokens a minute. */
const TOKEN_PAUSE = 20 * Time.SECOND

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

const failed = (outcome: CallFailure.Outcome, message: string, retryAfterSeconds?: number) =>
  new CallFailure.CallFailure({
    outcome,
    message,
    isAnswered: false,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
  })

const disconnected = (operation: string, error: unknown) => Answers.disconnected("Airalo", operation, error)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Token = Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.Finite })

const make = ({
  callsPerSecond = CALLS_PER_SECOND,
  clientId,
  clientSecret,
  telco = "airalo",
  timeout = "30 seconds",
  url = URL,
  ...limits
}: Options) =>
  Effect.gen(function* () {
    const base = url.replace(/\/+$/, "")
    const limit = Duration.fromInputUnsafe(timeout)
    const gate = yield* CallGate.make({ ...limits, callsPerSecond, telco })
    const client = yield* HttpClient.HttpClient
    const turn = yield* Semaphore.make(1)
    let held: { readonly token: string; readonly until: number } | null = null
    let pause = { until: Number.NEGATIVE_INFINITY, message: "" }

    const withoutSecrets = (text: string): string =>
      [held?.token ?? "", Redacted.value(clientSecret)].reduce(
        (cut, secret) => (secret === "" ? cut : cut.replaceAll(secret, "…")),
        text
      )

    const requestOf = ({ form, json, method, path, query = {} }: PartnerCalls.Request, token: string | null) => {
      const asked = HttpClientRequest.make(method)(`${base}/${path}`, {
        urlParams: query,
        acceptJson: true,
        ...(token !== null && { headers: { authorization: `Bearer ${token}` } })
      })
      if (form !== undefined) return HttpClientRequest.bodyFormDataRecord(asked, form)
      return json === undefined ? asked : HttpClientRequest.bodyJsonUnsafe(asked, json)
    }

    /** Sends a request and reads its answer, whatever it says. */
    const send = (request: PartnerCalls.Request, token: string | null): Call<Envelope.Received> =>
      Effect.gen(function* () {
        const { longest = Answers.LONGEST, name } = request
        const response = yield* Effect.mapError(client.execute(requestOf(request, token)), ({ reason }) =>
          reason._tag === "InvalidUrlError"
            ? failed("NotDone", "The address of Airalo is no URL")
            : disconnected(name, reason.cause)
        )
        const text = yield* Effect.mapError(Answers.text(response, longest), (error) =>
          error._tag === "TelcoCalls.TooLong"
            ? failed("Unknown", `The answer of Airalo to ${name} is longer than ${longest} bytes`)
            : disconnected(name, error)
        )
        const { headers, status } = response
        const now = yield* Clock.currentTimeMillis
        return {
          status,
          body: parsed(text),
          retryAfterSeconds: Answers.retryAfterSeconds(headers["retry-after"], now)
        }
      }).pipe(
        Effect.timeoutOrElse({
          duration: limit,
          orElse: () =>
            Effect.fail(failed("Unknown", `Airalo has not answered ${request.name} within ${Duration.format(limit)}`))
        }),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )

    /** A span has the outcome of its call, so none has a token in the open. */
    const inSpan = <A>({ name }: PartnerCalls.Request, call: Call<A>): Call<A> =>
      Effect.withSpan(call, `airalo.${name}`, { kind: "client" })

    /** What an answer has of data; its failure if it is not done. */
    const dataOf = (request: PartnerCalls.Request, received: Envelope.Received): Call<Envelope.Done> =>
      Envelope.isDone(received)
        ? Effect.succeed(received.body)
        : Effect.fail(Envelope.failureOf(request, received, withoutSecrets))

    const tokenRequest: PartnerCalls.Request = {
      name: "token",
      method: "POST",
      path: "token",
      form: { client_id: clientId, client_secret: Redacted.value(clientSecret), grant_type: "client_credentials" }
    }

    const newToken = Effect.gen(function* () {
      const answer = yield* dataOf(tokenRequest, yield* send(tokenRequest, null))
      const { access_token, expires_in } = yield* PartnerCalls.decoded(tokenRequest, Token, answer.data)
      return { token: Redacted.make(access_token), lasts: Math.min(TOKEN_LASTS, expires_in * Time.SECOND) }
    })

    /** A token, another one than that which was not known. Without one nothing was asked for. */
    const token = (unknown: string | null): Call<string> =>
      turn.withPermit(
        Effect.gen(function* () {
          const now = yield* Clocks.monotonicNow
          if (held !== null && held.token !== unknown && now < held.until) return held.token
          if (now < pause.until) {
            return yield* failed("NotDone", pause.message, Math.ceil((pause.until - now) / Time.SECOND))
          }
          const asking = gate.run("token", inSpan(tokenRequest, newToken))
          const found = yield* Effect.mapError(asking, (failure) => {
            const { isAnswered, message, retryAfterSeconds = 0 } = failure
            const wait = Math.max(TOKEN_PAUSE, retryAfterSeconds * Time.SECOND)
            if (isAnswered === true) pause = { until: now + wait, message }
            return new CallFailure.CallFailure({ ...failure, message: failure.message, outcome: "NotDone" })
          })
          held = { token: Redacted.value(found.token), until: now + found.lasts * PART }
          return held.token
        })
      )

    /** What an answer has; null: Airalo does not know the token. */
    const asked = (request: PartnerCalls.Request, token: string): Call<Envelope.Done | null> =>
      gate.run(
        request.name,
        inSpan(
          request,
          Effect.flatMap(send(request, token), (received) =>
            received.status === 401 ? Effect.succeed(null) : dataOf(request, received)
          )
        )
      )

    const ask = Effect.fnUntraced(function* (request: PartnerCalls.Request) {
      const first = yield* token(null)
      const answer = yield* asked(request, first)
      if (answer !== null) return answer
      const again = yield* asked(request, yield* token(first))
      if (again !== null) return again
      const refused = { status: 401, body: undefined, retryAfterSeconds: undefined }
      return yield* Envelope.failureOf(request, refused, withoutSecrets)
    })

    const api = PartnerCalls.make(ask)
    return Context.make(PartnerApi.PartnerApi, api).pipe(Context.add(CallGate.CallGate, gate))
  })

/** Airalo at the address, and the gate that its calls pass. */
export const layer = (options: Options): Layer.Layer<PartnerApi.PartnerApi | CallGate.CallGate> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(FetchHttpClient.layer))
