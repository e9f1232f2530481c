/**
 * `simplan key create`, `list`, `revoke ID` and `rotate ID`.
 */
import { ApiKey } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Typed from "../client/Typed.ts"
import * as Output from "../output/Output.ts"
import * as Organization from "./Organization.ts"

const create = Command.make(
  "create",
  {
    org: Organization.flag,
    name: Flag.String("name").pipe(Flag.withDescription("What the key is for"), Flag.withDefault("cli")),
    scope: Flag.Literals("scope", ApiKey.scopes).pipe(
      Flag.withDescription("full, or read for one that changes nothing"),
      Flag.withDefault("full")
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withMetavar("<instant>"),
      Flag.withDescription("When it stops being good, such as 2027-01-01T00:00:00Z (never, if left out)"),
      Flag.optional
    ),
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const organization = yield* Organization.path(connection, given.org)
    const { json, name, scope } = given
    const body = { name, scope, expires_at: Option.getOrUndefined(given.expiresAt) }
    yield* Management.create(connection, json, `${organization}/api-keys`, body)
    if (!json) yield* Output.note("The key is shown this once: keep it now.")
  })
).pipe(
  Command.withDescription("Create an API key for an organization and print it, this once."),
  Command.withExamples([
    { command: "simplan key create", description: "For the only organization" },
    { command: "simplan key create --org 0197… --name dashboard --scope read --expires-at 2027-01-01T00:00:00Z" }
  ])
)

const list = Command.make(
  "list",
  { org: Organization.flag, limit: Typed.limit, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    const fields = ["api_key_id", "scope", "hint", "revoked_at", "expires_at", "name"] as const
    yield* Typed.list(connection, { ...given, fields }, (client, page) =>
      client.organizations.keys({ params: { id }, query: page })
    )
  })
).pipe(Command.withDescription("List an organization's API keys, revoked ones included, without their secrets."))

const named = {
  key: Argument.String("ID").pipe(Argument.withDescription("Id of the key")),
  org: Organization.flag,
  ...Connection.flags
}

const revoke = Command.make(
  "revoke",
  named,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    yield* Typed.record(connection, given.json, (client) =>
      client.organizations.revokeKey({ params: { id, key_id: given.key } })
    )
  })
).pipe(Command.withDescription("Revoke an API key."))

const rotate = Command.make(
  "rotate",
  named,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    yield* Typed.record(connection, given.json, (client) =>
      client.organizations.rotateKey({ params: { id, key_id: given.key } })
    )
    if (!given.json) yield* Output.note("The key is shown this once: keep it now.")
  })
).pipe(Command.withDescription("Give an API key another secret and print it, this once."))

export const command = Command.make("key").pipe(
  Command.withDescription("API keys: what an organization calls /v3 with."),
  Command.withSubcommands([create, list, revoke, rotate])
)
