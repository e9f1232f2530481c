/**
 * Flags and arguments that several commands share: ids, files, instants, and the organization that a command of the
 * management API is about.
 */
import { isAbsolute, relative } from "node:path"
import { TextLimit, Time } from "simplan/ports"
import { Argument, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"

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

/** The flag of a command that can be tried out. */
export const dryRun = (description: string) =>
  Flag.Boolean("dry-run").pipe(Flag.withDescription(description), Flag.withDefault(false))

const fromHere = (path: string): string => {
  const short = relative("", path)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short
}

/** An argument with a file, which shells complete. */
export const file = (description: string) =>
  Argument.Path("FILE").pipe(Argument.withDescription(description), Argument.map(fromHere))

/** The flags of every command that is about an organization. */
export const organization = {
  org: optionalId("org", "Id of the organization; may be left out where there is only one"),
  ...Connection.flags
}
