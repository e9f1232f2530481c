/**
 * Calls of the management API by the typed client, with failures as one sentence each.
 */
import { Effect, Stream } from "effect"
import { Flag } from "effect/cli"
import { type HttpClient, HttpClientError } from "effect/http"
import { ApiError, Client } from "../../client/index.ts"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Table from "../output/Table.ts"
import type * as Connection from "./Connection.ts"
import * as Management from "./Management.ts"

type Row = Readonly<Record<string, unknown>>

const failed =
  (connection: Connection.Connection) =>
  (error: unknown): CommandFailed => {
    if (error instanceof ApiError) {
      return Management.refused(connection, "/admin/v1", error.status, error)
    }
    if (HttpClientError.isHttpClientError(error)) return Management.unreachable(connection)(error)
    return impossible(`The server at ${connection.url} gave an answer that this version of simplan does not know.`)
  }

/** Calls the management API with the client. */
export const call = <A>(
  connection: Connection.Connection,
  use: (client: Client.Client) => Effect.Effect<A, unknown>
): Effect.Effect<A, CommandFailed, HttpClient.HttpClient> =>
  Effect.flatMap(Client.make({ url: connection.url, adminToken: connection.token, retries: 1 }), (client) =>
    Effect.mapError(use(client), failed(connection))
  )

/** The flag of every list. */
export const limit = Flag.Int("limit").pipe(Flag.withDescription("How many are listed at most"), Flag.withDefault(100))

/** Prints the items of a list in pages: as a table of some fields, or each as a line of JSON. */
export const list = <Item extends Row>(
  connection: Connection.Connection,
  options: { readonly json: boolean; readonly limit: number; readonly fields: ReadonlyArray<keyof Item & string> },
  pages: (client: Client.Client, page: { readonly page?: string }) => Effect.Effect<Client.Page<Item>, unknown>
) =>
  Effect.gen(function* () {
    const rows = yield* call(connection, (client) =>
      Stream.runCollect(
        Stream.take(
          Client.stream((page) => pages(client, page)),
          options.limit
        )
      )
    )
    const { columns } = yield* Effect.service(Output.Output)
    if (options.json) {
      for (const row of rows) yield* Output.print(JSON.stringify(row))
    } else {
      yield* rows.length === 0 ? Output.note("There are none.") : Output.print(Table.of(rows, options.fields, columns))
    }
  })

/** Prints the record that a call gives. */
export const record = (
  connection: Connection.Connection,
  json: boolean,
  use: (client: Client.Client) => Effect.Effect<{ readonly data: Row }, unknown>
) => Effect.flatMap(call(connection, use), ({ data }) => Output.record(data, json))
