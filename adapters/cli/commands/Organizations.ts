/**
 * `simplan org create NAME` and `org list`; `simplan key create`, `list`, `revoke ID` and
 * `rotate ID`.
 */
import { ApiKey } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const create = Command.make(
  "create",
  { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the organization")), ...Connection.flags },
  Effect.fnUntraced(function* ({ json, name, ...given }) {
    const connection = yield* Connection.openAdmin(given)
    yield* Calls.record(connection, json, (client) => client.organizations.create({ payload: { name } }))
  })
).pipe(
  Command.withDescription("Create an organization and print its id."),
  Command.withExamples([{ command: 'simplan org create "Acme Mobile"' }])
)

const organizations = Flags.of(Api.groups.organizations.endpoints.list)

const list = Command.make(
  "list",
  { ...organizations.flags, ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const filter = yield* organizations.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.organizations.list({ query: { ...filter, ...page } }),
      (organization) => organization,
      ["organization_id", "name", "created_at"]
    )
  })
).pipe(Command.withDescription("List the organizations, oldest first."))

export const org = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([create, list])
)

const shownOnce = Output.note("The key is shown this once: keep it now.")

const createKey = Command.make(
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
    const { connection, id } = yield* Calls.openOrganization(given)
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

const keys = Flags.of(Api.groups.organizations.endpoints.keys)

const listKeys = Command.make(
  "list",
  { ...keys.flags, ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const filter = yield* keys.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.organizations.keys({ params: { id }, query: { ...filter, ...page } }),
      (one) => one,
      ["api_key_id", "name", "scope", "hint", "last_used_at", "revoked_at", "expires_at"]
    )
  })
).pipe(Command.withDescription("List an organization's API keys, revoked ones included, without their secrets."))

const named = { key: Flags.id("Id of the key"), ...Flags.organization }

const revoke = Command.make(
  "revoke",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const params = { id, api_key_id: given.key }
    yield* Calls.record(connection, given.json, (client) => client.organizations.revokeKey({ params }))
  })
).pipe(Command.withDescription("Revoke an API key."))

const rotation = Flags.of(Api.groups.organizations.endpoints.rotateKey)

const rotate = Command.make(
  "rotate",
  { ...named, ...rotation.flags },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const params = { id, api_key_id: given.key }
    const query = yield* rotation.read(given)
    yield* Calls.record(connection, given.json, (client) => client.organizations.rotateKey({ params, query }))
    if (!given.json) yield* shownOnce
  })
).pipe(
  Command.withDescription(
    "Give an API key another secret and print it, this once; the one before ends, or goes on for a while."
  ),
  Command.withExamples([
    { command: "simplan key rotate 0197… --overlap-hours 24", description: "The secret before goes on for a day" }
  ])
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys: what an organization calls /v3 with."),
  Command.withSubcommands([createKey, listKeys, revoke, rotate])
)
