/**
 * `simplan org create NAME`.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"

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

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([create])
)
