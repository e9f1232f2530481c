/**
 * Calls to a running server. Whatever goes wrong becomes one sentence: no server there, a token it refuses, a refusal
 * in the server's own words.
 */
import { Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import type { Connection } from "./Connection.ts"

export interface Call {
  readonly method: "GET" | "POST"
  /** Below the address of the server. */
  readonly path: string
  readonly body?: { readonly type: "application/json" | "text/csv"; readonly text: string }
}

/** A JSON body. */
export const json = (value: unknown): Call["body"] & {} => ({ type: "application/json", text: JSON.stringify(value) })

const Failure = Schema.Struct({ error: Schema.Literal(true), message: Schema.String, code: Schema.String })
const readFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure))

const requestOf = (connection: Connection, call: Call): HttpClientRequest.HttpClientRequest => {
  const address = connection.url + call.path
  const request = call.method === "GET" ? HttpClientRequest.get(address) : HttpClientRequest.post(address)
  const authorized = HttpClientRequest.bearerToken(request, connection.token)
  return call.body === undefined ? authorized : HttpClientRequest.bodyText(authorized, call.body.text, call.body.type)
}

const unreachable = (connection: Connection) => (error: HttpClientError.HttpClientError) => {
  const isTransport = error.reason._tag === "TransportError"
  return impossible(
    isTransport
      ? `No server answers at ${connection.url}: start one with \`npm start\`, or name its address with --url or SIMPLAN_URL.`
      : `The server at ${connection.url} broke off its answer.`
  )
}

const refusal = (connection: Connection, call: Call, status: number, text: string): CommandFailed => {
  const failure = Option.getOrUndefined(readFailure(text))
  if (failure === undefined) {
    return impossible(
      `What answers at ${connection.url} is not simplan: it says ${status} to ${call.method} ${call.path}.`
    )
  }
  if (status === 401) {
    return impossible(`The server at ${connection.url} refuses the token from ${connection.tokenFrom}.`)
  }
  return impossible(`The server refuses (${status} ${failure.code}): ${failure.message.replace(/\.?$/, ".")}`)
}

const isOff = (call: Call, status: number, text: string): boolean =>
  status === 404 && Option.getOrUndefined(readFailure(text))?.code === "route_not_found" && call.path !== "/"

const answer = (connection: Connection, call: Call, response: HttpClientResponse.HttpClientResponse) =>
  Effect.gen(function* () {
    const text = yield* Effect.mapError(response.text, unreachable(connection))
    if (response.status >= 200 && response.status < 300) return text
    if (isOff(call, response.status, text)) {
      const [area, variable] = call.path.startsWith("/telco/")
        ? (["telco", "SIMPLAN_TELCO_TOKEN"] as const)
        : (["management", "SIMPLAN_ADMIN_TOKEN"] as const)
      return yield* impossible(
        `The server at ${connection.url} has no ${area} API: it was started without ${variable}.`
      )
    }
    return yield* refusal(connection, call, response.status, text)
  })

/** Calls the server and decodes its whole answer. */
export const call = <A>(
  connection: Connection,
  schema: Schema.ConstraintDecoder<A>,
  request: Call
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const response = yield* client
      .execute(requestOf(connection, request))
      .pipe(Effect.mapError(unreachable(connection)))
    const text = yield* answer(connection, request, response)
    return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text), () =>
      impossible(`The server at ${connection.url} gave an answer that this version of simplan does not know.`)
    )
  })

/** The envelope of the management API. */
const enveloped = <A>(data: Schema.ConstraintDecoder<A>) => Schema.Struct({ data })

/** Calls the management API and decodes the `data` of its answer. */
export const data = <A>(
  connection: Connection,
  schema: Schema.ConstraintDecoder<A>,
  request: Call
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.map(call(connection, enveloped(schema), request), (body) => body.data)
