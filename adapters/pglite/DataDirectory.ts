/**
 * The directory of a PGlite: what may be handed in as one, and its making where it is missing.
 */
import { constants } from "node:fs"
import { access, mkdir, readdir } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect, Result } from "effect"
import { Storage } from "simplan/ports"
import * as Opening from "./Opening.ts"

const ALLOWED = "a path such as ./data, where this process may write"

const refused = (shown: string, is: string, cause?: unknown): Storage.StorageError =>
  new Storage.StorageError({ message: `dataDir is ${shown}${is}, but must be ${ALLOWED}`, cause })

/** The absolute path of what was handed in. */
export const pathOf = (given: unknown): Result.Result<string, Storage.StorageError> => {
  if (typeof given !== "string") {
    return Result.fail(refused(given === null ? "null" : `of type ${typeof given}`, ""))
  }
  const isPath = given.trim() !== "" && !given.includes("\0")
  return isPath ? Result.succeed(resolve(given)) : Result.fail(refused(JSON.stringify(given), ""))
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: "which is a file or leads through one",
  EACCES: "where this process may not write",
  EPERM: "where this process may not write",
  EROFS: "which is on a file system that is read-only",
  ENOSPC: "which is on a file system that is full"
}

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "")

// Node's own option `recursive` tries for ever where a parent is there and takes no directory, as /proc.
const makeWithParents = async (path: string): Promise<void> => {
  const made = mkdir(path, { mode: 0o700 })
  const problem = await made.catch((cause: unknown) => cause)
  if (problem === undefined || codeOf(problem) === "EEXIST") return
  if (codeOf(problem) !== "ENOENT" || dirname(path) === path) throw problem
  await makeWithParents(dirname(path))
  await mkdir(path, { mode: 0o700 })
}

const failed =
  (path: string) =>
  (cause: unknown): Storage.StorageError => {
    const code = codeOf(cause)
    const reason = reasons[code] ?? `which cannot be made (${code || String(cause)})`
    return refused(JSON.stringify(path), `, ${reason}`, cause)
  }

/** Makes the directory unless it is there. Fails where this process may not write in it, or where it has other files. */
export const make = Effect.fnUntraced(function* (path: string): Effect.fn.Return<void, Storage.StorageError> {
  const names = yield* Effect.tryPromise({
    try: async () => {
      await makeWithParents(path)
      const found = await readdir(path)
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
      // An empty volume has this one.
      return found.filter((name) => name !== "lost+found")
    },
    catch: failed(path)
  })
  if (names.length > 0 && !Opening.isOurs(names)) {
    return yield* new Storage.StorageError({
      message: `dataDir is ${JSON.stringify(path)}, which has other files, but must be empty, missing, or a directory that simplan made`
    })
  }
})
