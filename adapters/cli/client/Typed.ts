/**
 * Calls of a running server by the typed client, with failures as one sentence each.
 */
import { Effect, identity } from "effect"
import { HttpClient } from "effect/http"
import { Client } from "../../client/index.ts"
import type { CommandFailed } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import type { Connection } from "./Connection.ts"
import * as Failures from "./Failures.ts"

const RETRIES = 1

const options = ({ api, secret, url }: Connection) => ({
  url,
  retries: RETRIES,
  ...(api === "admin" ? { adminToken: secret } : api === "telco" ? { telcoToken: secret } : { key: secret })
})

/** Calls the server with the client. `through` may read answers in a way of its own, before the client decodes them. */
export const call = <A>(
  connection: Connection,
  use: (client: Client.Client) => Effect.Effect<A, unknown>,
  through: (client: HttpClient.HttpClient) => HttpClient.HttpClient = identity
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    let isSent = false
    const watched = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) => {
      isSent = true
      return request
    })
    const client = yield* Effect.provideService(
      Client.make(options(connection)),
      HttpClient.HttpClient,
      through(watched)
    )
    return yield* Effect.mapError(use(client), (error) => Failures.of(connection, error, isSent))
  })

/** Prints the record that a call gives. */
export const record = (
  connection: Connection,
  json: boolean,
  use: (client: Client.Client) => Effect.Effect<{ readonly data: Output.Row }, unknown>
) => Effect.flatMap(call(connection, use), ({ data }) => Output.record(data, json))
