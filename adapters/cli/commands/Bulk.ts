/**
 * `simplan subscriptions bulk pause`, `resume`, `suspend` and `delete`;
 * `simplan sims bulk withdraw`, `restore` and `set-label`: each acts on all that its filters take,
 * of one organization (rule W15).
 *
 * What came of each is printed as it comes, so that memory does not grow with their number. The
 * same command again goes on where one has broken off: what is so already stays so.
 */
import { Effect, type Option, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import { BulkAction } from "simplan/ports"
import * as Calls from "../client/Calls.ts"
import { type CommandFailed, misused, impossible } from "../output/CommandFailed.ts"
import * as Flags from "./Flags.ts"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { Client } from "../../client/index.ts"
import * as Output from "../output/Output.ts"
import type { Connection } from "../client/Connection.ts"

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

interface Format {
  readonly json: boolean
}

/**
 * Does it, and prints what came of each: with `json` a line for each, else those that were refused
 * and the counts.
 */
export const run = (connection: Connection, ask: Ask, { json }: Format) =>
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
export const preview = (connection: Connection, ask: Ask, { json }: Format) =>
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

const { act, actOnSims } = Api.groups.bulk.endpoints

/** Fields of the bodies that say what is done, and not to which. */
const SETTINGS = ["new_label", "reason"]

const flags = {
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("All that the organization has; has to be given where no filter is"),
    Flag.withDefault(false)
  ),
  dryRun: Flags.dryRun("Say how many there are, what would come of them, and which would be refused; do nothing"),
  ...Flags.organization
}

interface Given extends Calls.Given {
  readonly filter: Readonly<Record<string, Option.Option<string>>>
  readonly all: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

/**
 * Asks for it, or what would come of it. `bodyOf` makes the body of what is given and of more
 * fields.
 */
const carryOut = Effect.fnUntraced(function* <Body>(
  given: Given,
  bodyOf: (others: object) => Effect.Effect<Body, CommandFailed>,
  ask: (id: string, body: Body) => Ask
) {
  const { all, dryRun, filter } = given
  const filters = Object.entries(filter).filter(([name, { _tag }]) => _tag === "Some" && !SETTINGS.includes(name))
  if (filters.length === 0 && !all) return yield* misused("Say which, such as --label Green, or --all.")
  const body = yield* bodyOf(all ? { all } : {})
  const { connection, id } = yield* Calls.openOrganization(given)
  yield* (dryRun ? preview : run)(connection, ask(id, body), given)
})

const onSubscriptions = (action: BulkAction.Action, description: string) => {
  const body = Flags.ofBody(act, ["action", "all"])
  return Command.make(action, { ...body.flags, ...flags }, (given) =>
    carryOut(
      given,
      (others) => body.read(given, { action, ...others }),
      (id, payload) => (client, query) => client.bulk.act({ params: { id }, query, payload })
    )
  ).pipe(Command.withDescription(description))
}

const onSims = (action: BulkAction.SimAction, description: string, leftOut: ReadonlyArray<string>) => {
  const body = Flags.ofBody(actOnSims, ["action", "all", ...leftOut])
  return Command.make(action.replaceAll("_", "-"), { ...body.flags, ...flags }, (given) =>
    carryOut(
      given,
      (others) => body.read(given, { action, ...others }),
      (id, payload) => (client, query) => client.bulk.actOnSims({ params: { id }, query, payload })
    )
  ).pipe(Command.withDescription(description))
}

const AGAIN = "The same command again goes on where one has broken off."

export const subscriptions = Command.make("bulk").pipe(
  Command.withDescription(`Act on all subscriptions of an organization that the filters take. ${AGAIN}`),
  Command.withShortDescription("Pause, resume, suspend or delete all that filters take"),
  Command.withSubcommands([
    onSubscriptions("pause", "Pause all that match: their SIMs have no service until they are resumed.").pipe(
      Command.withExamples([
        { command: "simplan subscriptions bulk pause --label Green --dry-run", description: "How many there are" },
        { command: "simplan subscriptions bulk pause --search 'reseller 7' --audit-reason unpaid" }
      ])
    ),
    onSubscriptions("resume", "Resume all that match: their SIMs have service again."),
    onSubscriptions("suspend", "Suspend the plan of --plan-id on all that match, for good.").pipe(
      Command.withExamples([{ command: "simplan subscriptions bulk suspend --plan-id PLAN --dry-run" }])
    ),
    onSubscriptions("delete", "Delete all that match. Where an eSIM was downloaded it is refused.")
  ])
)

export const sims = Command.make("bulk").pipe(
  Command.withDescription(`Correct all SIMs of an organization that the filters take. ${AGAIN}`),
  Command.withShortDescription("Withdraw, restore or label all that filters take"),
  Command.withSubcommands([
    onSims("withdraw", "Withdraw all that match. One that a subscription has is refused.", ["new_label"]).pipe(
      Command.withExamples([{ command: "simplan sims bulk withdraw --reason lost --search 894450 --dry-run" }])
    ),
    onSims("restore", "Put all that match back into stock.", ["new_label", "reason"]),
    onSims("set_label", "Set the label of all that match.", ["reason"]).pipe(
      Command.withExamples([{ command: "simplan sims bulk set-label --new-label Blue --label Green --status free" }])
    )
  ])
)
