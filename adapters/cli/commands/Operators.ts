/**
 * `simplan operator create NAME`, `list`, `rotate ID` and `delete ID`.
 */
import { Operator } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const shownOnce = Output.note("The token is shown this once: keep it now.")

const create = Command.make(
  "create",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("Name of the operator, which the audit log shows")),
    role: Flag.Literals("role", Operator.roles).pipe(
      Flag.withDescription("read, support for retries and replays too, or admin for everything")
    ),
    org: Flags.optionalId("org", "Id of the only organization that the operator sees (all, if left out)").pipe(
      Flag.withAlias("organization")
    ),
    expiresAt: Flags.instant("expires-at", "When its tokens stop being good (never, if left out)").pipe(
      Flag.withAlias("expires")
    ),
    ...Connection.flags
  },
  Effect.fnUntraced(function* ({ expiresAt, json, name, org, role, ...given }) {
    const connection = yield* Connection.openAdmin(given)
    const payload = {
      name,
      role,
      ...(Option.isSome(org) && { organization_id: org.value }),
      ...(Option.isSome(expiresAt) && { expires_at: expiresAt.value })
    }
    yield* Calls.record(connection, json, (client) => client.serviceOperators.create({ payload }))
    if (!json) yield* shownOnce
  })
).pipe(
  Command.withDescription("Create an operator and print its token, this once."),
  Command.withExamples([
    { command: "simplan operator create Ada --role support" },
    { command: 'simplan operator create "Acme desk" --role read --org 0197… --expires-at 2027-01-01T00:00:00Z' }
  ])
)

const operators = Flags.of(Api.groups.serviceOperators.endpoints.list)

const list = Command.make(
  "list",
  { ...operators.flags, ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const filter = yield* operators.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.serviceOperators.list({ query: { ...filter, ...page } }),
      (operator) => operator,
      ["operator_id", "name", "role", "organization_id", "hint", "expires_at", "deleted_at"]
    )
  })
).pipe(Command.withDescription("List the operators, deleted ones included, without their tokens."))

const named = { operator: Flags.id("Id of the operator"), ...Connection.flags }

const rotate = Command.make(
  "rotate",
  named,
  Effect.fnUntraced(function* ({ json, operator, ...given }) {
    const connection = yield* Connection.openAdmin(given)
    const params = { operator_id: operator }
    yield* Calls.record(connection, json, (client) => client.serviceOperators.rotate({ params }))
    if (!json) yield* shownOnce
  })
).pipe(
  Command.withDescription("Give an operator another token and print it, this once; the one before goes on for 24 h.")
)

const remove = Command.make(
  "delete",
  named,
  Effect.fnUntraced(function* ({ json, operator, ...given }) {
    const connection = yield* Connection.openAdmin(given)
    const params = { operator_id: operator }
    yield* Calls.record(connection, json, (client) => client.serviceOperators.remove({ params }))
  })
).pipe(Command.withDescription("Delete an operator: its tokens end."))

export const command = Command.make("operator").pipe(
  Command.withDescription("Operators: who may use the management API, and for what."),
  Command.withSubcommands([create, list, rotate, remove])
)
