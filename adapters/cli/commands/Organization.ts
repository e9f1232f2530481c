/**
 * The organization of a command: the one that `--org` names, or the only one.
 */
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../output/CommandFailed.ts"
import type { Connection } from "../client/Connection.ts"
import * as Management from "../client/Management.ts"

export const flag = Flag.String("org").pipe(
  Flag.withMetavar("<id>"),
  Flag.withDescription("Id of the organization; may be left out where there is only one"),
  Flag.optional
)

const Organizations = Schema.Array(Schema.Struct({ organization_id: Schema.String, name: Schema.String }))

/** The id of the organization. */
export const id = Effect.fnUntraced(function* (connection: Connection, given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const all = yield* Management.data(connection, Organizations, { method: "GET", path: "/admin/v1/organizations" })
  const [only, ...others] = all
  if (only === undefined)
    return yield* misused("There is no organization yet: make one with `simplan org create NAME`.")
  if (others.length > 0) {
    const some = all.slice(0, 5).map((one) => `${one.organization_id} (${one.name})`)
    const rest = all.length > some.length ? ` and ${all.length - some.length} more` : ""
    return yield* misused(`There are ${all.length} organizations, so name one with --org: ${some.join(", ")}${rest}.`)
  }
  return only.organization_id
})

/** The path of the organization in the management API. */
export const path = (connection: Connection, given: Option.Option<string>) =>
  Effect.map(id(connection, given), (id) => `/admin/v1/organizations/${encodeURIComponent(id)}`)
