/**
 * `simplan org create NAME` and `simplan org list`.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Typed from "../client/Typed.ts"

const create = Command.make(
  "create",
  { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the organization")), ...Connection.flags },
  Effect.fnUntraced(function* ({ json, name, ...given }) {
    const connection = yield* Connection.toAdmin(given)
    yield* Management.create(connection, json, "/admin/v1/organizations", { name })
  })
).pipe(
  Command.withDescription("Create an organization and print its id."),
  Command.withExamples([{ command: 'simplan org create "Acme Mobile"' }])
)

const list = Command.make(
  "list",
  { limit: Typed.limit, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const fields = ["organization_id", "created_at", "name"] as const
    yield* Typed.list(connection, { ...given, fields }, (client, page) => client.organizations.list({ query: page }))
  })
).pipe(Command.withDescription("List the organizations, oldest first."))

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([create, list])
)
