/**
 * The organization that a command of the management API is about. Where `--org` does not name it, the server is asked: if it
 * has one only, it is that one.
 */
import { Effect, Option } from "effect"
import { misused } from "../output/CommandFailed.ts"
import * as Calls from "./Calls.ts"
import * as Connection from "./Connection.ts"

export interface Given extends Connection.Given {
  readonly org: Option.Option<string>
}

/** How many organizations are named where one has to be chosen. */
const SOME = 5

const only = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const { data, next_page } = yield* Calls.call(connection, (client) => client.organizations.list({ query: {} }))
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

/** The connection to the management API, and the id of the organization: the one that `--org` names, or the only one. */
export const open = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.openAdmin(given)
  return { connection, id: Option.isSome(given.org) ? given.org.value : yield* only(connection) }
})
