/**
 * Files that are named to a command.
 */
import { Effect, FileSystem } from "effect"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"

/** The failure of a command whose file cannot be read. */
export const unreadable = (path: string, reason: string): CommandFailed =>
  impossible(`${path} cannot be read (${reason}).`)

/** The text of a file. */
export const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFileString(path), ({ reason }) => unreadable(path, reason._tag))
})
