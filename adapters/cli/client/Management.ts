/**
 * Calls to a running server. Every failure becomes one sentence: no server answers, the server refuses the token, or the
 * server refuses the request.
 */
import { Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { type CommandFailed, impossible, sentence } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import type * as Connection from "./Connection.ts"

export interface Call {
  readonly method: "GET" | "POST"
  /** Relative to the server's address. */
  readonly path: string
  readonly body?: { readonly type: "application/json" | "text/csv"; readonly text: string }
}

/** A POST with a JSON body. */
export const post = (path: string, body: unknown): Call => ({
  method: "POST",
  path,
  body: { type: "application/json", text: JSON.stringify(body) }
})

const Failure = Schema.Struct({ error: Schema.Literal(true), message: Schema.String, code: Schema.String })
const decodeFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure))

const requestOf = ({ token, url }: Connection.Connection, { body, method, path }: Call) => {
  const request = HttpClientRequest.bearerToken(HttpClientRequest.make(method)(url + path), token)
  return body === undefined ? request : HttpClientRequest.bodyText(request, body.text, body.type)
}

/** Nobody answers, or the answer broke off. */
export const unreachable =
  ({ url }: Connection.Connection) =>
  ({ reason }: HttpClientError.HttpClientError): CommandFailed =>
    impossible(
      reason._tag === "TransportError"
        ? `No server answers at ${url}: start one with \`npm start\`, or name its address with --url or SIMPLAN_URL.`
        : `The server at ${url} broke off its answer.`
    )

/** The server's refusal of a call of a path. */
export const refused = (
  { tokenFrom, url }: Connection.Connection,
  path: string,
  status: number,
  failure: { readonly code: string; readonly message: string }
): CommandFailed => {
  if (failure.code === "") return impossible(`What answers at ${url} is not simplan: it says ${status} to ${path}.`)
  if (status === 404 && failure.code === "route_not_found") {
    return impossible(
      path.startsWith("/telco/")
        ? `The server at ${url} has no telco API: it was started without SIMPLAN_TELCO_TOKEN.`
        : `The server at ${url} has no management API: it was started without SIMPLAN_ADMIN_TOKEN, or with ` +
            `SIMPLAN_ADMIN_PORT, whose address --url or SIMPLAN_ADMIN_URL names.`
    )
  }
  return impossible(
    status === 401
      ? `The server at ${url} refuses the token from ${tokenFrom}.`
      : `The server refuses (${status} ${failure.code}): ${sentence(failure.message)}`
  )
}

const refusal = (connection: Connection.Connection, { method, path }: Call, status: number, text: string) => {
  const failure = Option.getOrUndefined(decodeFailure(text))
  return failure === undefined
    ? impossible(`What answers at ${connection.url} is not simplan: it says ${status} to ${method} ${path}.`)
    : refused(connection, path, status, failure)
}

/** Calls the server and decodes its answer. */
export const call = <A>(
  connection: Connection.Connection,
  schema: Schema.ConstraintDecoder<A>,
  request: Call
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { status, text } = yield* client.execute(requestOf(connection, request)).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
      Effect.mapError(unreachable(connection))
    )
    if (status < 200 || status >= 300) return yield* refusal(connection, request, status, text)
    return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text), () =>
      impossible(`The server at ${connection.url} gave an answer that this version of simplan does not know.`)
    )
  })

/** Calls the management API and decodes the `data` of its answer. */
export const data = <A>(
  connection: Connection.Connection,
  schema: Schema.ConstraintDecoder<A>,
  request: Call
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.map(call(connection, Schema.Struct({ data: schema }), request), (body) => body.data)

const Record = Schema.Record(Schema.String, Schema.Json)

/** Posts to the management API and prints the record that it returns. */
export const create = (connection: Connection.Connection, json: boolean, path: string, body: unknown) =>
  Effect.flatMap(data(connection, Record, post(path, body)), (record) => Output.record(record, json))
