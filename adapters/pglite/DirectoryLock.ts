/**
 * The lock on a data directory: one process at a time, and the operating system lets go of it when that process ends,
 * however it ends. Nothing has to be cleaned up, and no process id is ever compared.
 *
 * Node has no `flock`, so the lock is what each system does have: on Linux and Windows a local socket with a name that
 * is no file (the abstract namespace, a named pipe) and that only one process can listen on; elsewhere a file beside
 * the directory, opened with an exclusive lock. The name is made of the directory's identity, so another path to it is
 * no way around. The abstract namespace belongs to a network namespace: containers that share a volume but no network
 * are not kept apart.
 */
import { createHash } from "node:crypto"
import { open, realpath, stat } from "node:fs/promises"
import { createServer } from "node:net"
import { Effect, type Scope } from "effect"
import { Storage } from "simplan/ports"

const inUse = (directory: string): Storage.StorageError =>
  new Storage.StorageError({ message: `dataDir is ${JSON.stringify(directory)}, which is in use by another process` })

const refused = (directory: string, cause: unknown): Storage.StorageError =>
  new Storage.StorageError({ message: `dataDir is ${JSON.stringify(directory)}, which cannot be locked`, cause })

const code = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

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

const lock = async (directory: string): Promise<Unlock> => {
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

/** Locks a directory that exists, until the scope ends. Where someone has it, fails at once. */
export const acquire = (directory: string): Effect.Effect<void, Storage.StorageError, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => lock(directory),
        catch: (cause) =>
          code(cause) === "EADDRINUSE" || code(cause) === "EAGAIN" ? inUse(directory) : refused(directory, cause)
      }),
      (unlock) => Effect.promise(unlock)
    )
  )
