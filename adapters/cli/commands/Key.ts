/**
 * `simplan key create`, `list`, `revoke ID` and `rotate ID`.
 */
import { ApiKey } from "simplan/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const shownOnce = Output.note("The key is shown this once: keep it now.")

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("What the key is for"), Flag.withDefault("cli")),
    scope: Flag.Literals("scope", ApiKey.scopes).pipe(
      Flag.withDescription("full, or read for one that changes nothing"),
      Flag.withDefault("full")
    ),
    expiresAt: Flags.instant("expires-at", "When it stops being good (never, if left out)"),
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    const { expiresAt, json, name, scope } = given
    const payload = { name, scope, ...(Option.isSome(expiresAt) && { expires_at: expiresAt.value }) }
    yield* Calls.record(connection, json, (client) => client.organizations.createKey({ params: { id }, payload }))
    if (!json) yield* shownOnce
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
  { ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Lists.print(
      connection,
      given,
      (client, query) => client.organizations.keys({ params: { id }, query }),
      ({ api_key_id, expires_at, hint, name, revoked_at, scope }) => ({
        api_key_id,
        name,
        scope,
        hint,
        revoked_at,
        expires_at
      })
    )
  })
).pipe(Command.withDescription("List an organization's API keys, revoked ones included, without their secrets."))

const named = { key: Flags.id("Id of the key"), ...Flags.organization }

const revoke = Command.make(
  "revoke",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Calls.record(connection, given.json, (client) =>
      client.organizations.revokeKey({ params: { id, key_id: given.key } })
    )
  })
).pipe(Command.withDescription("Revoke an API key."))

const rotate = Command.make(
  "rotate",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Calls.record(connection, given.json, (client) =>
      client.organizations.rotateKey({ params: { id, key_id: given.key } })
    )
    if (!given.json) yield* shownOnce
  })
).pipe(Command.withDescription("Give an API key another secret and print it, this once."))

export const command = Command.make("key").pipe(
  Command.withDescription("API keys: what an organization calls /v3 with."),
  Command.withSubcommands([create, list, revoke, rotate])
)
