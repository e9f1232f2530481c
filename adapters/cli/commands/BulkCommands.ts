/**
 * `simplan subscriptions bulk pause`, `resume`, `suspend` and `delete`;
 * `simplan sims bulk withdraw`, `restore` and `set-label`: each acts on all that its filters take,
 * of one organization (rule W15).
 *
 * What came of each is printed as it comes, so that memory does not grow with their number. The
 * same command again goes on from where one has broken off: what is so already stays.
 */
import { Effect, Schema, Stream } from "effect"
import { Command } from "effect/cli"
import { BulkAction } from "simplan/ports"
import * as Calls from "../client/Calls.ts"
import { misused, impossible } from "../output/CommandFailed.ts"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { Client } from "../../client/index.ts"
import * as Output from "../output/Output.ts"
import type { Connection } from "../client/Connection.ts"
import * as Operations from "./Operations.ts"

const Result = Schema.Struct({
  iccid: Schema.String,
  subscription_id: Schema.optionalKey(Schema.String),
  result: Schema.Literals(BulkAction.outcomes),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})

type Result = typeof Result.Type

const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Result))

/** A request of a bulk action. */
type Ask = (client: Client.Client) => Effect.Effect<Operations.Answer<"bulk.act" | "bulk.actOnSims">, unknown>

const JSON_LINES = "application/x-ndjson"

/**
 * Has the results come by lines. Each goes to `see` as it comes, and the client gets an answer
 * without any.
 */
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

/** What a person has to know of; null of those that went well as a whole. */
const inWords = ({ code, iccid, message = "", result }: Result): string | null => {
  if (code === undefined) return null
  return Output.text(`${result === "refused" ? "refused" : "changed in part"} (${iccid}): ${message}`)
}

const print = (result: Result, json: boolean): Effect.Effect<void> => {
  if (json) return Output.print(JSON.stringify(result))
  const words = inWords(result)
  return words === null ? Effect.void : Output.print(words)
}

/**
 * Does it, and prints what came of each: with `json` a line for each, else those that were refused
 * and the counts.
 */
const run = (connection: Connection, ask: Ask, json: boolean) =>
  Effect.gen(function* () {
    const counts = { changed: 0, unchanged: 0, refused: 0 } satisfies Record<BulkAction.Outcome, number>
    const see = (result: Result) => {
      counts[result.result] += 1
      return print(result, json)
    }
    yield* Effect.mapError(Calls.call(connection, ask, byLines(see)), (error) => {
      const done = counts.changed + counts.unchanged + counts.refused
      return done === 0
        ? error
        : impossible(`${error.message} ${done} are done; the same command again does the others.`)
    })
    if (!json) yield* Output.record(counts, false)
    if (counts.refused > 0) return yield* impossible(`${counts.refused} were refused.`)
  })

/** Says what would come of it, with the first refusals. */
const preview = (connection: Connection, ask: Ask, json: boolean) =>
  Effect.gen(function* () {
    const { data, preview } = yield* Calls.call(connection, ask)
    if (preview === undefined) return yield* impossible("The server is of a version that previews no bulk actions.")
    if (json) return yield* Output.print(JSON.stringify({ ...preview, refusals: data }))
    for (const result of data) yield* print(result, false)
    yield* Output.record(preview, false)
    if (preview.refused > 0) return yield* impossible(`${preview.refused} would be refused.`)
  })

/** Fields of the bodies that say what is done, and not to which. */
const SETTINGS = ["action", "new_label", "reason"]

const acting = (
  operation: "bulk.act" | "bulk.actOnSims",
  action: BulkAction.Action | BulkAction.SimAction,
  says: string,
  examples: Operations.Options["examples"] = [],
  unused: ReadonlyArray<string> = []
) => {
  const fixed = { ...Object.fromEntries(unused.map((field) => [field, undefined])), action }
  return Operations.make(
    action.replaceAll("_", "-"),
    operation,
    { says, examples, fixed },
    {},
    Effect.fnUntraced(function* ({ json, open, sent }) {
      const isFiltered = Object.keys(sent.payload ?? {}).some((field) => !SETTINGS.includes(field))
      if (!isFiltered) return yield* misused("Say which, such as --label Green, or --all.")
      const { call, connection } = yield* open
      yield* (sent.query["dry_run"] === undefined ? run : preview)(connection, call, json)
    })
  )
}

const AGAIN = "The same command again goes on where one has broken off."

export const subscriptions = Command.make("bulk").pipe(
  Command.withDescription(`Act on all subscriptions of an organization that the filters take. ${AGAIN}`),
  Command.withShortDescription("Pause, resume, suspend or delete all that filters take"),
  Command.withSubcommands([
    acting("bulk.act", "pause", "Pause all that match: their SIMs have no service until they are resumed.", [
      { command: "simplan subscriptions bulk pause --label Green --dry-run", description: "How many there are" },
      { command: "simplan subscriptions bulk pause --search 'reseller 7' --audit-reason unpaid" }
    ]),
    acting("bulk.act", "resume", "Resume all that match: their SIMs have service again."),
    acting("bulk.act", "suspend", "Suspend the plan of --plan-id on all that match, for good.", [
      { command: "simplan subscriptions bulk suspend --plan-id PLAN --dry-run" }
    ]),
    acting("bulk.act", "delete", "Delete all that match. Where an eSIM was downloaded it is refused.")
  ])
)

export const sims = Command.make("bulk").pipe(
  Command.withDescription(`Correct all SIMs of an organization that the filters take. ${AGAIN}`),
  Command.withShortDescription("Withdraw, restore or label all that filters take"),
  Command.withSubcommands([
    acting(
      "bulk.actOnSims",
      "withdraw",
      "Withdraw all that match. One that a subscription has is refused.",
      [{ command: "simplan sims bulk withdraw --reason lost --search 894450 --dry-run" }],
      ["new_label"]
    ),
    acting("bulk.actOnSims", "restore", "Put all that match back into stock.", [], ["new_label", "reason"]),
    acting(
      "bulk.actOnSims",
      "set_label",
      "Set the label of all that match.",
      [{ command: "simplan sims bulk set-label --new-label Blue --label Green --status free" }],
      ["reason"]
    )
  ])
)
