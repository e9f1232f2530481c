/**
 * Serves any telco port over HTTP by the contract, with the contract's document at `/openapi.json`.
 *
 * Calls need the token, which is compared in constant time. A call is finished even if its caller
 * disconnects.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { Telco, TelcoPorts } from "simplan/ports"
import * as Contract from "./Contract.ts"

/** What the server knows its callers by. */
export interface Options {
  /** What callers send as `Authorization: Bearer`. */
  readonly token: Redacted.Redacted
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

const tokenLayer = (token: Redacted.Redacted): Layer.Layer<Contract.Token> => {
  const expected = digest(Redacted.value(token))
  return Layer.succeed(Contract.Token, {
    token: (httpEffect, { credential }) =>
      timingSafeEqual(expected, digest(Redacted.value(credential)))
        ? httpEffect
        : Effect.fail({ code: "unauthorized" as const, message: "The token is missing or not the right one" })
  })
}

const form = HttpApiMiddleware.layerSchemaErrorTransform(Contract.Form, ({ cause, kind }) =>
  Effect.fail({ code: "malformed" as const, message: `${kind}: ${cause.message}` })
)

type Answered<A> = Effect.Effect<A, typeof Contract.Refused.Type | typeof Contract.Unavailable.Type>

/** Finishes the call, and converts its errors to the wire. */
const finished = <A>(call: Effect.Effect<A, Telco.Refused | Telco.Unavailable>): Answered<A> =>
  Effect.mapError(Effect.uninterruptible(call), (error) =>
    error._tag === "Telco.Refused"
      ? {
          code: "refused" as const,
          message: error.message,
          ...(error.occupiedBy !== undefined && { occupied_by: error.occupiedBy })
        }
      : HttpApiSchema.withHeaders({
          body: { code: "unavailable" as const, message: error.message },
          headers: error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) }
        })
  )

const NOT_LISTED = Effect.succeed(null)

const handlers = HttpApiBuilder.group(
  Contract.Contract,
  "telco",
  Effect.fnUntraced(function* (handle) {
    const telco = yield* Telco.Telco
    return handle.handleAll({
      createPackage: ({ payload }) =>
        Effect.map(finished(telco.createPackage(Contract.orderFrom(payload))), Contract.telcoPackage),
      suspendPackage: ({ headers, payload: { iccid, package_id } }) =>
        finished(
          Effect.asVoid(telco.suspendPackage({ packageId: package_id, iccid, key: headers[Contract.IDEMPOTENCY_KEY] }))
        ),
      cancelPackage: ({ headers, payload: { confirmed, iccid, package_id, undone } }) =>
        finished(
          Effect.asVoid(
            telco.cancelPackage({
              packageId: package_id,
              iccid,
              key: headers[Contract.IDEMPOTENCY_KEY],
              ...(confirmed === true && { isConfirmed: true }),
              ...(undone === true && { isUndone: true })
            })
          )
        ),
      sendSms: ({ payload: { from, iccid, message_id, text } }) =>
        finished(Effect.asVoid(telco.sendSms({ messageId: message_id, iccid, from, text }))),
      releaseProfile: ({ headers, payload: { iccid } }) =>
        finished(telco.releaseProfile({ key: headers[Contract.IDEMPOTENCY_KEY], iccid })),
      setMobilePlan: ({ headers, payload: { applied, iccid } }) =>
        finished(telco.setMobilePlan({ key: headers[Contract.IDEMPOTENCY_KEY], iccid, applied })),
      setService: ({ headers, payload: { active, iccid } }) =>
        finished(TelcoPorts.setService(telco, { key: headers[Contract.IDEMPOTENCY_KEY], iccid, active })),
      listPackages: ({ payload: { iccid, only_attachments } }) => {
        const of = { iccid, ...(only_attachments !== undefined && { onlyAttachments: only_attachments }) }
        return Effect.map(finished(telco.listPackages?.(of) ?? NOT_LISTED), (ids) => ({ package_ids: ids }))
      },
      readUsage: ({ payload }) => Effect.map(finished(telco.readUsage?.(payload) ?? NOT_LISTED), Contract.usage)
    })
  })
)

/** The middlewares of the contract: the token, and the answer to malformed calls. */
export const guards = ({ token }: Options): Layer.Layer<Contract.Token | Contract.Form> =>
  Layer.merge(tokenLayer(token), form)

/** Adds the contract's routes to a router. */
export const routes = (options: Options) =>
  HttpApiBuilder.layer(Contract.Contract, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide(handlers),
    Layer.provide(guards(options)),
    Layer.provide(HttpServer.layerServices)
  )

/** How long a stop waits for current calls. */
const DRAIN = "5 seconds"

/** How long a stop takes calls that are on their way, in ms. */
const GRACE = 100

/**
 * An effect that ends when the server has no current call. From its begin on answers close their
 * connections.
 */
const idle = (server: Server) => {
  const open = new Set<ServerResponse>()
  let onIdle = (): void => {}
  let isStopping = false
  server.prependListener("request", (_, response) => {
    if (isStopping) response.setHeader("connection", "close")
    open.add(response)
    response.once("close", () => {
      open.delete(response)
      if (open.size === 0) onIdle()
    })
  })
  const ended = Effect.callback<void>((resume) => {
    onIdle = () => resume(Effect.void)
    if (open.size === 0) onIdle()
  })
  return Effect.sync(() => {
    isStopping = true
    for (const response of open) if (!response.headersSent) response.setHeader("connection", "close")
  }).pipe(Effect.andThen(Effect.sleep(GRACE)), Effect.andThen(ended))
}

/** Serves routes until the scope closes, and returns the address. Port 0 takes any free port. */
export const listen = <E>(
  at: { readonly host: string; readonly port: number },
  served: Layer.Layer<never, E, HttpRouter.HttpRouter>
): Effect.Effect<string, E | HttpServerError.ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const server = createServer()
    const context = yield* Layer.build(
      HttpRouter.serve(served, { disableListenLog: true, disableLogger: true }).pipe(
        Layer.provideMerge(NodeHttpServer.layer(() => server, at))
      )
    )
    const isIdle = idle(server)
    // Connections that clients keep open would delay the stop.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(isIdle, DRAIN).pipe(Effect.map(() => server.closeAllConnections()))
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const port = address._tag === "UnixPathAddress" ? at.port : address.port
    return `http://${at.host.includes(":") ? `[${at.host}]` : at.host}:${port}`
  })
