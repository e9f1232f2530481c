/**
 * `simplan org create NAME` and `simplan org list`.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"

const create = Command.make(
  "create",
  { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the organization")), ...Connection.flags },
  Effect.fnUntraced(function* ({ json, name, ...given }) {
    const connection = yield* Connection.toAdmin(given)
    yield* Calls.record(connection, json, (client) => client.organizations.create({ payload: { name } }))
  })
).pipe(
  Command.withDescription("Create an organization and print its id."),
  Command.withExamples([{ command: 'simplan org create "Acme Mobile"' }])
)

const list = Command.make(
  "list",
  { ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    yield* Lists.print(
      connection,
      given,
      (client, query) => client.organizations.list({ query }),
      ({ created_at, name, organization_id }) => ({ organization_id, name, created_at })
    )
  })
).pipe(Command.withDescription("List the organizations, oldest first."))

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([create, list])
)
