/**
 * Implements simplan's `Telco` port over HTTP on Node, by the contract in `Contract`.
 *
 * Only an answer 422 in the contract's form is a refusal. Every other failure, including a wrong
 * address, a wrong token and no answer in time, is `Unavailable`, so that the call is repeated with
 * the same key. A bridge that was written before there was a list of packages lists none, and one
 * that answers 400 to a field that it does not know is asked again without. Connections are reused.
 * No message contains the token.
 */
import { Clock, Duration, Effect, Layer, type Redacted, Schema } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Telco } from "simplan/ports"
import { Answers } from "../telco-calls/index.ts"
import * as Contract from "./Contract.ts"

/** Where the bridge is, and how it knows the caller. */
export interface Options {
  /**
   * The address to which the contract's paths are appended, such as `https://bridge.example/telco`.
   */
  readonly url: string
  /** Sent as `Authorization: Bearer`; it is in no error and no log. */
  readonly token: Redacted.Redacted
  /** The time limit of a whole call; 10 s by default. */
  readonly timeout?: Duration.Input
  /**
   * Whether the bridge has the call that pauses SIMs and resumes them (rule S7); false by default.
   */
  readonly pauses?: boolean | undefined
}

type Response = HttpClientResponse.HttpClientResponse
type Call<A> = Effect.Effect<A, Telco.Refused | Telco.Unavailable>

const decodePackage = Schema.decodeUnknownEffect(Schema.fromJsonString(Contract.Package))
const decodeListed = Schema.decodeUnknownEffect(Schema.fromJsonString(Contract.Listed))
const decodeUsage = Schema.decodeUnknownEffect(Schema.fromJsonString(Contract.UsageOfPackages))
const decodeRefusal = Schema.decodeUnknownEffect(Schema.fromJsonString(Contract.Refused))

const unavailable = (message: string, retryAfterSeconds?: number): Telco.Unavailable =>
  new Telco.Unavailable({ message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })

/** Failures without a refusal or an answer of the telco. */
type Broken =
  | HttpClientError.HttpClientError
  | Answers.TooLong
  | typeof Contract.Unauthorized.Type
  | typeof Contract.Malformed.Type

/** The message leaves the request out, because its headers contain the token. */
const broken = (error: Broken): Telco.Unavailable => {
  if ("code" in error) return unavailable(error.message)
  if ("longest" in error) return unavailable(`The telco's answer is longer than ${error.longest} bytes`)
  return unavailable(`The telco cannot be reached: ${Answers.reasonOf(error.reason.cause)}`)
}

const decoded = <A>(response: Response, decode: (text: string) => Effect.Effect<A, unknown>, otherwise: string) =>
  Effect.flatMap(Effect.mapError(Answers.text(response), broken), (text) =>
    Effect.mapError(decode(text), () => unavailable(otherwise))
  )

/** The error of a status other than 2xx. */
const failure = Effect.fnUntraced(function* (response: Response) {
  const { headers, status } = response
  if (status === 422) {
    const { message, occupied_by } = yield* decoded(
      response,
      decodeRefusal,
      "The telco answers 422, but not in the form of a refusal"
    )
    return yield* new Telco.Refused({ message, ...(occupied_by !== undefined && { occupiedBy: occupied_by }) })
  }
  yield* Answers.discard(response)
  const now = yield* Clock.currentTimeMillis
  return yield* unavailable(`The telco answers ${status}`, Answers.retryAfterSeconds(headers["retry-after"], now))
})

const isTransport = (error: Broken): error is HttpClientError.HttpClientError =>
  "reason" in error && error.reason._tag === "TransportError"

/** Whether no connection was made, so that the telco has certainly not been asked. */
const isUnsent = ({ reason }: HttpClientError.HttpClientError): boolean => Answers.isUnsent(reason.cause)

const unsent = (error: HttpClientError.HttpClientError): Telco.Unavailable =>
  new Telco.Unavailable({ message: broken(error).message, isDone: false })

const isDone = ({ status }: Response): boolean => status >= 200 && status < 300

// The body is read to its end, so that the connection can be used again. How long it is does not
// matter.
const done = (response: Response): Call<void> =>
  isDone(response)
    ? Answers.text(response).pipe(
        // Failure: it was done, whatever the body says; the connection is closed.
        Effect.catchTag("TelcoCalls.TooLong", () => Effect.void),
        Effect.asVoid,
        Effect.mapError(broken)
      )
    : failure(response)

const telcoPackage = (response: Response): Call<Telco.TelcoPackage> =>
  isDone(response)
    ? Effect.map(
        decoded(response, decodePackage, "The telco answers with something else than a package"),
        Contract.telcoPackageFrom
      )
    : failure(response)

/** What a bridge answers that has no such call. */
const isUnknownCall = ({ status }: Response): boolean => [400, 404, 405, 501].includes(status)

/**
 * The answer to a call that a bridge may do without. One that answers 2xx to any call does without
 * it too.
 */
const optional =
  <Wire, A>(decode: (text: string) => Effect.Effect<Wire, unknown>, from: (wire: Wire) => A | null) =>
  (response: Response): Call<A | null> => {
    if (!isDone(response) && !isUnknownCall(response)) return failure(response)
    return Effect.flatMap(Effect.mapError(Answers.text(response), broken), (text) =>
      Effect.match(isDone(response) ? decode(text) : Effect.fail(null), { onSuccess: from, onFailure: () => null })
    )
  }

const listed = optional(decodeListed, ({ package_ids }) => package_ids)

const usage = optional(decodeUsage, Contract.usageFrom)

const make = ({ pauses = false, timeout = "10 seconds", token, url }: Options) =>
  Effect.gen(function* () {
    const client = yield* HttpApiClient.make(Contract.Contract, {
      baseUrl: url,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
    })
    const limit = Duration.fromInputUnsafe(timeout)

    const send = <A>(request: Effect.Effect<Response, Broken>, read: (response: Response) => Call<A>): Call<A> =>
      // A reused connection may close during the first attempt. The idempotency key makes the
      // second one safe.
      Effect.catchIf(request, isTransport, (first) =>
        isUnsent(first) ? Effect.fail(unsent(first)) : Effect.mapError(request, broken)
      ).pipe(
        Effect.mapError((error) => (error instanceof Telco.Unavailable ? error : broken(error))),
        Effect.flatMap(read),
        Effect.timeoutOrElse({
          duration: limit,
          orElse: () => Effect.fail(unavailable(`The telco has not answered within ${Duration.format(limit)}`))
        }),
        // After a redirect a page that somebody else answers by 200 would count as done.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )

    const bodyOf = <P>(key: string, payload: P) => ({
      headers: { [Contract.IDEMPOTENCY_KEY]: key },
      payload,
      responseMode: "response-only" as const
    })

    /**
     * Makes a call with fields that the bridge may not know, and once more without them if it
     * answers 400.
     */
    const extended = <P extends object, More extends object, A>(
      payload: P,
      more: More,
      call: (payload: P | (P & More)) => Effect.Effect<Response, Broken>,
      read: (response: Response) => Call<A>
    ): Call<A> =>
      send(call({ ...payload, ...more }), (response) =>
        response.status === 400 && Object.keys(more).length > 0
          ? Effect.andThen(Answers.discard(response), send(call(payload), read))
          : read(response)
      )

    return Telco.Telco.of({
      createPackage: (order) => {
        const { onlyAttachments, packageId } = order
        const more = onlyAttachments === undefined ? {} : { only_attachments: onlyAttachments }
        const call = (payload: typeof Contract.Order.Type) => client.createPackage(bodyOf(packageId, payload))
        return extended(Contract.order(order), more, call, telcoPackage)
      },
      suspendPackage: ({ iccid, packageId, key = packageId }) =>
        send(client.suspendPackage(bodyOf(`${key}:suspend`, { package_id: packageId, iccid })), done),
      cancelPackage: ({ iccid, isConfirmed, isUndone, packageId, key = packageId }) => {
        const more = { ...(isConfirmed && { confirmed: true }), ...(isUndone && { undone: true }) }
        const call = (payload: typeof Contract.Cancellation.Type) =>
          client.cancelPackage(bodyOf(`${key}:cancel`, payload))
        return extended({ package_id: packageId, iccid }, more, call, done)
      },
      sendSms: ({ from, iccid, messageId, text }) =>
        send(client.sendSms(bodyOf(messageId, { message_id: messageId, iccid, from, text })), done),
      releaseProfile: ({ iccid, key }) => send(client.releaseProfile(bodyOf(key, { iccid })), done),
      ...(pauses && {
        setService: ({ active, iccid, key }) => send(client.setService(bodyOf(key, { iccid, active })), done)
      }),
      setMobilePlan: ({ applied, iccid, key }) => send(client.setMobilePlan(bodyOf(key, { iccid, applied })), done),
      listPackages: ({ iccid, onlyAttachments }) => {
        const more = onlyAttachments === undefined ? {} : { only_attachments: onlyAttachments }
        const call = (payload: typeof Contract.Listing.Type) =>
          client.listPackages({ payload, responseMode: "response-only" })
        return extended({ iccid }, more, call, listed)
      },
      readUsage: (of) => send(client.readUsage({ payload: of, responseMode: "response-only" }), usage)
    })
  })

/** The telco at the URL. */
export const layer = (options: Options): Layer.Layer<Telco.Telco> =>
  Layer.effect(Telco.Telco, make(options)).pipe(Layer.provide(FetchHttpClient.layer))
