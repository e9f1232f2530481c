/**
 * Acts on all subscriptions or SIMs of an organization that a filter takes (rule W15). What came of each is printed as it comes, so that
 * memory does not grow with their number. The same command again goes on where one has broken off: what is so already stays so.
 */
import { Effect, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { BulkAction } from "simplan/ports"
import type { Client } from "../../client/index.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Calls from "./Calls.ts"
import type { Connection } from "./Connection.ts"

const Result = Schema.Struct({
  iccid: Schema.String,
  subscription_id: Schema.optionalKey(Schema.String),
  result: Schema.Literals(BulkAction.outcomes),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})

type Result = typeof Result.Type

const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Result))

/** What the server answers: a text where results come by lines. */
type Answer =
  | string
  | {
      readonly data: ReadonlyArray<Result>
      readonly preview?: Readonly<Record<BulkAction.Outcome, number>> & Output.Row
    }

/** A request of a bulk action. */
export type Ask = (client: Client.Client, query: ReturnType<typeof Calls.trying>) => Effect.Effect<Answer, unknown>

const JSON_LINES = "application/x-ndjson"

/** Has the results come by lines. Each goes to `see` as it comes, and the client gets an answer without any. */
const byLines =
  (see: (result: Result) => Effect.Effect<void>) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequest(HttpClientRequest.setHeader("accept", JSON_LINES)),
      HttpClient.transformResponse((answer) =>
        Effect.flatMap(answer, (response) => {
          if (response.status !== 200) return Effect.succeed(response)
          const nothing = new Response("", { headers: { "content-type": JSON_LINES } })
          return response.stream.pipe(
            Stream.decodeText,
            Stream.splitLines,
            Stream.filter((line) => line !== ""),
            Stream.mapEffect((line) => Effect.orDie(decodeLine(line))),
            Stream.runForEach(see),
            Effect.as(HttpClientResponse.fromWeb(response.request, nothing))
          )
        })
      )
    )

/** What a person has to know of; null of those where all went well. */
const inWords = ({ code, iccid, message = "", result }: Result): string | null => {
  if (code === undefined) return null
  return Output.text(`${result === "refused" ? "refused" : "changed in part"} (${iccid}): ${message}`)
}

const print = (result: Result, json: boolean): Effect.Effect<void> => {
  if (json) return Output.print(JSON.stringify(result))
  const words = inWords(result)
  return words === null ? Effect.void : Output.print(words)
}

interface Given {
  readonly json: boolean
}

/** Does it, and prints what came of each: with `json` a line for each, else those that were refused and the counts. */
export const run = (connection: Connection, ask: Ask, { json }: Given) =>
  Effect.gen(function* () {
    const counts = { changed: 0, unchanged: 0, refused: 0 } satisfies Record<BulkAction.Outcome, number>
    const see = (result: Result) => {
      counts[result.result] += 1
      return print(result, json)
    }
    yield* Effect.mapError(
      Calls.call(connection, (client) => ask(client, {}), byLines(see)),
      (error) => {
        const done = counts.changed + counts.unchanged + counts.refused
        return done === 0
          ? error
          : impossible(`${error.message} ${done} are done; the same command again does the others.`)
      }
    )
    if (!json) yield* Output.record(counts, false)
    if (counts.refused > 0) return yield* impossible(`${counts.refused} were refused.`)
  })

/** Says what would come of it, with the first refusals. */
export const preview = (connection: Connection, ask: Ask, { json }: Given) =>
  Effect.gen(function* () {
    const answer = yield* Calls.call(connection, (client) => ask(client, Calls.trying(true)))
    if (typeof answer === "string" || answer.preview === undefined) {
      return yield* impossible("The server is of a version that previews no bulk actions.")
    }
    const { data, preview } = answer
    if (json) return yield* Output.print(JSON.stringify({ ...preview, refusals: data }))
    for (const result of data) yield* print(result, false)
    yield* Output.record(preview, false)
    if (preview.refused > 0) return yield* impossible(`${preview.refused} would be refused.`)
  })
