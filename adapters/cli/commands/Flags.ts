/**
 * Flags and arguments that several commands share: ids, files, instants, and the organization that a command of the
 * management API is about.
 */
import { isAbsolute, relative } from "node:path"
import { TextLimit, Time } from "simplan/ports"
import { Effect, FileSystem, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import { impossible, misused } from "../output/CommandFailed.ts"

// The path of a request ends at an empty id, and is another one with a dot or two.
const isId = (id: string): boolean => !/^\.{0,2}$/.test(id) && TextLimit.isWithin(id, TextLimit.ID)

/** An argument with an id. */
export const id = (description: string, name = "ID") =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filter(isId, () => "an id")
  )

/** An optional flag with an id. */
export const optionalId = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<id>"),
    Flag.withDescription(description),
    Flag.filter(isId, () => "an id"),
    Flag.optional
  )

/** An optional flag with an instant (rule W8). */
export const instant = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<instant>"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => Time.fromIso(text) !== undefined,
      () => "an instant with a zone, such as 2026-01-31T12:00:00Z"
    ),
    Flag.optional
  )

const fromHere = (path: string): string => {
  const short = relative("", path)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short
}

/** The text of a file that is named to a command. */
export const readFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
    impossible(`${path} cannot be read (${reason._tag}).`)
  )
})

/** An argument with a file, which shells complete. */
export const file = (description: string) =>
  Argument.Path("FILE").pipe(Argument.withDescription(description), Argument.map(fromHere))

/** The flags of every command that is about an organization. */
export const organization = {
  org: optionalId("org", "Id of the organization; may be left out where there is only one"),
  ...Connection.flags
}

interface Given extends Connection.Given {
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
export const openOrganization = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.toAdmin(given)
  return { connection, id: Option.isSome(given.org) ? given.org.value : yield* only(connection) }
})
