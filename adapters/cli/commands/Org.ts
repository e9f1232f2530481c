/**
 * `simplan org create NAME`.
 */
import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Output from "../output/Output.ts"

const Record = Schema.Record(Schema.String, Schema.Json)

const create = Command.make(
  "create",
  { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the organization")), ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const organization = yield* Management.data(connection, Record, {
      method: "POST",
      path: "/admin/v1/organizations",
      body: Management.json({ name: given.name })
    })
    yield* Output.record(organization, given.json)
  })
).pipe(
  Command.withDescription("Create an organization and print its id."),
  Command.withExamples([{ command: 'simplan org create "Acme Mobile"' }])
)

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([create])
)
