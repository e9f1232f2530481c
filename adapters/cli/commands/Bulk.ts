/**
 * `simplan subscriptions bulk pause`, `resume`, `suspend` and `delete`; `simplan sims bulk withdraw`, `restore` and `set-label`: each acts
 * on all that its filters take, of one organization (rule W15).
 */
import { Effect, type Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import type { BulkAction } from "simplan/ports"
import * as BulkActions from "../client/BulkActions.ts"
import * as Organization from "../client/Organization.ts"
import { type CommandFailed, misused } from "../output/CommandFailed.ts"
import * as Filters from "./Filters.ts"
import * as Flags from "./Flags.ts"

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

interface Given extends Organization.Given {
  readonly filter: Readonly<Record<string, Option.Option<string>>>
  readonly all: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

/** Asks for it, or what would come of it. `bodyOf` makes the body of what is given and of more fields. */
const carryOut = Effect.fnUntraced(function* <Body>(
  given: Given,
  bodyOf: (others: object) => Effect.Effect<Body, CommandFailed>,
  ask: (id: string, body: Body) => BulkActions.Ask
) {
  const { all, dryRun, filter } = given
  const filters = Object.entries(filter).filter(([name, { _tag }]) => _tag === "Some" && !SETTINGS.includes(name))
  if (filters.length === 0 && !all) return yield* misused("Say which, such as --label Green, or --all.")
  const body = yield* bodyOf(all ? { all } : {})
  const { connection, id } = yield* Organization.open(given)
  yield* (dryRun ? BulkActions.preview : BulkActions.run)(connection, ask(id, body), given)
})

const onSubscriptions = (action: BulkAction.Action, description: string) => {
  const body = Filters.ofBody(act, ["action", "all"])
  return Command.make(action, { ...body.flags, ...flags }, (given) =>
    carryOut(
      given,
      (others) => body.read(given, { action, ...others }),
      (id, payload) => (client, query) => client.bulk.act({ params: { id }, query, payload })
    )
  ).pipe(Command.withDescription(description))
}

const onSims = (action: BulkAction.SimAction, description: string, leftOut: ReadonlyArray<string>) => {
  const body = Filters.ofBody(actOnSims, ["action", "all", ...leftOut])
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
