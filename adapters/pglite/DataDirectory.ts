/**
 * The directory of a PGlite: what may be handed in as one, its making if it is missing, its
 * lock, and the room that is left.
 *
 * One process has it at a time, and the operating system lets go of it when that process ends,
 * however it ends. Nothing has to be cleaned up, and no process id is ever compared.
 *
 * PostgreSQL ends its process if it cannot make the next file of its log, of 16 MB, and PGlite
 * then spins for ever instead. So no write begins with less than two of these files left: the
 * database reads on, and takes writes again as soon as there is room.
 */
import { createHash } from "node:crypto"
import { constants, statfsSync } from "node:fs"
import { access, mkdir, open, readdir, realpath, stat } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, resolve } from "node:path"
import { Effect, Result, type Scope } from "effect"
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

// In Jest an error of Node's modules is of another realm, and no `Error` here.
const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

// Node's own option `recursive` tries for ever if a parent is there and takes no directory, as
// /proc.
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

/**
 * Makes the directory unless it is there. Fails if this process may not write in it, or if it
 * has other files.
 */
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

const inUse = (directory: string): Storage.StorageError =>
  new Storage.StorageError({ message: `dataDir is ${JSON.stringify(directory)}, which is in use by another process` })

const notLockable = (directory: string, cause: unknown): Storage.StorageError =>
  new Storage.StorageError({ message: `dataDir is ${JSON.stringify(directory)}, which cannot be locked`, cause })

type Unlock = () => Promise<void>

const listen = (name: string): Promise<Unlock> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", reject)
    server.listen({ path: name }, () => {
      server.unref()
      resolve(() => new Promise((closed) => server.close(() => closed())))
    })
  })

// open(2) of macOS and the BSDs: O_RDWR, O_NONBLOCK, O_EXLOCK and O_CREAT.
const EXCLUSIVELY = 0x0002 | 0x0004 | 0x0020 | 0x0200

const lockFile = async (name: string): Promise<Unlock> => {
  const file = await open(name, EXCLUSIVELY, 0o600)
  return () => file.close()
}

const locked = async (directory: string): Promise<Unlock> => {
  const path = await realpath(directory)
  switch (process.platform) {
    case "linux":
    case "android": {
      const { dev, ino } = await stat(path, { bigint: true })
      return listen(`\0simplan-data-${dev}-${ino}`)
    }
    case "win32":
      return listen(`\\\\.\\pipe\\simplan-data-${createHash("sha256").update(path.toLowerCase()).digest("hex")}`)
    default:
      return lockFile(`${path}.lock`)
  }
}

/**
 * Locks a directory that exists, until the scope ends. If someone has it, fails at once.
 *
 * Node has no `flock`, so the lock is what each system does have: on Linux and Windows a local
 * socket with a name that is no file (the abstract namespace, a named pipe) and that only one
 * process can listen on; elsewhere a file beside the directory, opened with an exclusive lock. The
 * name is made of the directory's identity, so another path to it is no way around. The abstract
 * namespace belongs to a network namespace: containers that share a volume but no network are not
 * kept apart.
 */
export const lock = (directory: string): Effect.Effect<void, Storage.StorageError, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => locked(directory),
        catch: (cause) =>
          codeOf(cause) === "EADDRINUSE" || codeOf(cause) === "EAGAIN"
            ? inUse(directory)
            : notLockable(directory, cause)
      }),
      (unlock) => Effect.promise(unlock)
    )
  )

const MB = 1_048_576

/** What a write needs, in bytes. */
const LEAST = 32 * MB

/** What the files of a new database need, in bytes. */
const NEW = 64 * MB

/** How many bytes are left; infinitely many if the file system does not say. */
const left = (path: string): number => {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    return blocks === 0 ? Infinity : bavail * bsize
  } catch {
    return Infinity
  }
}

const enough = (path: string, least: number): Effect.Effect<void, Storage.StorageError> =>
  Effect.suspend(() => {
    const found = left(path)
    if (found >= least) return Effect.void
    const message = `The file system of ${path} has ${Math.floor(found / MB)} MB left, and has to have ${least / MB} MB for writes`
    return Effect.fail(new Storage.StorageError({ message }))
  })

/** Fails while there is no room for a write. */
export const roomForWrites = (path: string): Effect.Effect<void, Storage.StorageError> => enough(path, LEAST)

/** Fails if there is no room to open the database, or to make it. */
export const roomForOpening = (path: string, isNew: boolean): Effect.Effect<void, Storage.StorageError> =>
  enough(path, isNew ? LEAST + NEW : LEAST)
