/**
 * The functions of ES2+ as JSON over HTTPS (SGP.22 sections 6.5.1 and 6.5.2) with mutual TLS, over
 * connections that are reused. If a proxy beside the service adds the certificate, it is HTTP or
 * HTTPS without one.
 *
 * No message contains the key. A call that certainly did not reach the SM-DP+ fails as `NotDone`;
 * one that may have reached it, as `Unknown`.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import * as Tls from "node:tls"
import { Clock, Data, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { Answers } from "../telco-calls/index.ts"
import * as Api from "./Api.ts"

/**
 * The key, the certificate or the authority cannot be used. The message contains nothing of them.
 */
export class InvalidCredentials extends Data.TaggedError("Es2plus.InvalidCredentials")<{
  /** What is wrong with key, certificate or root; it has no secret. */
  readonly message: string
}> {}

/** Where the SM-DP+ is, and how it knows the caller. */
export interface Options {
  /**
   * The address to which the names of the functions are appended, such as
   * `https://smdp.example/gsma/rsp2/es2plus`.
   */
  readonly url: string
  /** The client's private key, as PEM; none if a proxy has it. */
  readonly key?: Redacted.Redacted
  /**
   * The client's certificate, as PEM, with the certificates between it and the root after it; it
   * goes with the key.
   */
  readonly certificate?: string
  /**
   * The root that the SM-DP+'s certificate comes from, as PEM; those that Node knows, unless given.
   */
  readonly ca?: string
  /** The time limit of a whole call; 10 s unless given. */
  readonly timeout?: Duration.Input
  /** The version of SGP.22 that `X-Admin-Protocol` names (section 6.5.1); 2.2.0 unless given. */
  readonly version?: string
  /**
   * The `functionRequesterIdentifier` that the SM-DP+ knows the operator by; `simplan` unless
   * given.
   */
  readonly requester?: string
}

/** The longest answer that is read, in bytes. */
const LONGEST_ANSWER = 1_048_576

/**
 * For how long an unused connection is kept, in milliseconds. It is shorter than what servers
 * commonly keep: a call over a connection that the server is just closing would leave its outcome
 * unknown.
 */
const KEPT_MILLIS = 3_000

const credentials = ({ ca, certificate, key }: Options) =>
  Effect.try({
    try: () => {
      const own = key === undefined ? {} : { key: Redacted.value(key) }
      const options = {
        ...own,
        ...(certificate !== undefined && { cert: certificate }),
        ...(ca !== undefined && { ca })
      }
      if ((key === undefined) !== (certificate === undefined)) throw new Error("one of them is missing")
      Tls.createSecureContext(options)
      return options
    },
    catch: (error) =>
      new InvalidCredentials({
        message: `The key and the certificate for the SM-DP+ cannot be used together, or are not PEM (${Answers.codeOf(error) || "unknown error"})`
      })
  })

/** The SM-DP+ refuses the certificate in an alert, which may arrive after the handshake. */
const isRefusedByTls = (error: Error): boolean => /^ERR_SSL_.*_ALERT_/.test(Answers.codeOf(error))

/** An answer of HTTP, whatever its status. */
interface Received {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | undefined
}

interface Request {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly body: string | null
}

interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

const send = (agents: Agents, protocol: string, { body, method, url }: Request) =>
  Effect.callback<Received, Api.Failure>((resume) => {
    let isConnected = false
    const fail = (error: Error): void => {
      const why = Answers.reasonOf(error)
      const isNotDone = !isConnected || (isRefusedByTls(error) && !request.reusedSocket)
      const outcome = isNotDone ? "NotDone" : "Unknown"
      resume(Effect.fail(new Api.Failure({ outcome, message: `The SM-DP+ cannot be reached: ${why}` })))
    }
    const headers = {
      "x-admin-protocol": protocol,
      accept: "application/json",
      ...(body !== null && { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    const isSecure = url.protocol === "https:"
    const answered = (response: Http.IncomingMessage): void => {
      const parts: Array<Buffer> = []
      let bytes = 0
      response.on("data", (part: Buffer) => {
        bytes += part.length
        if (bytes > LONGEST_ANSWER) request.destroy(new Error("the answer is too long"))
        else parts.push(part)
      })
      response.on("error", fail)
      response.on("end", () =>
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            body: Buffer.concat(parts).toString("utf8"),
            retryAfter: response.headers["retry-after"]
          })
        )
      )
    }
    const request = isSecure
      ? Https.request(url, { agent: agents.https, method, headers }, answered)
      : Http.request(url, { agent: agents.http, method, headers }, answered)
    request.on("socket", (socket) => {
      // A connection that is used again, and one whose handshake is done, may carry the call.
      if (request.reusedSocket) isConnected = true
      else socket.once(isSecure ? "secureConnect" : "connect", () => (isConnected = true))
    })
    request.on("error", fail)
    request.end(body ?? undefined)
    return Effect.sync(() => request.destroy())
  })

/**
 * Sends requests in time, over one pool of mutually authenticated connections. They are closed with
 * the scope.
 */
const connect = Effect.fnUntraced(function* (options: Options) {
  const { timeout = "10 seconds", version = "2.2.0" } = options
  const tls = yield* credentials(options)
  const agents = yield* Effect.acquireRelease(
    Effect.sync(() => ({
      http: new Http.Agent({ keepAlive: true, timeout: KEPT_MILLIS }),
      https: new Https.Agent({ ...tls, keepAlive: true, timeout: KEPT_MILLIS, minVersion: "TLSv1.2" })
    })),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )
  const limit = Duration.fromInputUnsafe(timeout)
  return (request: Request) =>
    Effect.timeoutOrElse(send(agents, `gsma/rsp/v${version}`, request), {
      duration: limit,
      orElse: () =>
        new Api.Failure({
          outcome: "Unknown",
          message: `The SM-DP+ has not answered within ${Duration.toSeconds(limit)} s`
        })
    })
})

const Answer = Schema.Struct({
  header: Schema.Struct({ functionExecutionStatus: Api.ExecutionStatus }),
  matchingId: Api.Text
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/**
 * What a status other than 200 means: 4xx never reached the function, and most often the settings
 * are at fault.
 */
const outcomeOf = (status: number): Api.Outcome =>
  status >= 300 && status < 500 && status !== 408 ? "NotDone" : "Unknown"

/** The functions over HTTPS. Fails if the key and the certificate cannot be used. */
export const layer = (options: Options): Layer.Layer<Api.Api, InvalidCredentials> =>
  Layer.effect(
    Api.Api,
    Effect.gen(function* () {
      const { requester = "simplan" } = options
      const base = options.url.replace(/\/+$/, "")
      const request = yield* connect(options)

      const call = Effect.fn("TelcoEs2plus.call")(function* (
        operation: string,
        { callId, iccid }: Api.Of,
        input: object
      ) {
        const header = { functionRequesterIdentifier: requester, functionCallIdentifier: callId }
        const body = JSON.stringify({ header, iccid: Api.iccidToWire(iccid), ...input })
        const answer = yield* request({ url: new URL(`${base}/${operation}`), method: "POST", body })
        if (answer.status !== 200) {
          const retryAfterSeconds = Answers.retryAfterSeconds(answer.retryAfter, yield* Clock.currentTimeMillis)
          return yield* new Api.Failure({
            outcome: outcomeOf(answer.status),
            message: `The SM-DP+ answers ${operation} with the HTTP status ${answer.status}`,
            ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
          })
        }
        const { header: head, matchingId } = yield* Effect.mapError(
          decode(answer.body),
          () =>
            new Api.Failure({
              outcome: "Unknown",
              message: `The SM-DP+ answers ${operation}, but not in the form of ES2+`
            })
        )
        const failure = Api.failure(operation, head.functionExecutionStatus)
        if (failure !== undefined) return yield* failure
        return matchingId ?? null
      })

      const matching = (matchingId: string | null) => (matchingId === null ? {} : { matchingId })

      return Api.Api.of({
        downloadOrder: (of) => Effect.asVoid(call("downloadOrder", of, {})),
        confirmOrder: ({ isReleased, matchingId, ...of }) =>
          call("confirmOrder", of, { ...matching(matchingId), releaseFlag: isReleased }),
        cancelOrder: ({ finalStatus, matchingId, ...of }) =>
          Effect.asVoid(call("cancelOrder", of, { ...matching(matchingId), finalProfileStatusIndicator: finalStatus })),
        releaseProfile: (of) => Effect.asVoid(call("releaseProfile", of, {})),
        check: Effect.flatMap(request({ url: new URL(base), method: "GET", body: null }), ({ status }) =>
          status === 401 || status === 403
            ? new Api.Failure({
                outcome: "NotDone",
                message: `The SM-DP+ refuses the certificate: HTTP status ${status}`
              })
            : Effect.void
        )
      })
    })
  )
