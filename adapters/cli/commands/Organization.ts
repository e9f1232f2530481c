/**
 * The organization of a command of the management API: the one that `--org` names, or the only one.
 */
import { Effect, Option } from "effect"
import * as Connection from "../client/Connection.ts"
import * as Typed from "../client/Typed.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Flags from "./Flags.ts"

/** The flags of every command that is about an organization. */
export const flags = {
  org: Flags.optionalId("org", "Id of the organization; may be left out where there is only one"),
  ...Connection.flags
}

export interface Given extends Connection.Given {
  readonly org: Option.Option<string>
}

/** How many organizations are named where one has to be chosen. */
const SOME = 5

const only = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const { data, next_page } = yield* Typed.call(connection, (client) => client.organizations.list({ query: {} }))
  const [first, ...others] = data
  if (first === undefined)
    return yield* misused("There is no organization yet: make one with `simplan org create NAME`.")
  if (others.length > 0) {
    const some = data.slice(0, SOME).map((one) => `${one.organization_id} (${one.name})`)
    const count = next_page === null ? String(data.length) : `more than ${data.length}`
    const rest = data.length > SOME ? " and others (`simplan org list`)" : ""
    return yield* misused(`There are ${count} organizations, so name one with --org: ${some.join(", ")}${rest}.`)
  }
  return first.organization_id
})

/** The connection to the management API, and the id of the organization. */
export const open = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.toAdmin(given)
  return { connection, id: Option.isSome(given.org) ? given.org.value : yield* only(connection) }
})
