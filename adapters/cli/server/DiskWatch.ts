/**
 * The second line against a full disk. The embedded database runs in the main thread, and spins
 * there for ever if it meets a disk without room, as when another program takes the last of it
 * during a write: the process answers no request and no signal. A thread of its own notices that,
 * and ends the process with a sentence.
 *
 * The main thread counts its turns in memory that the two share.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"

/** What the thread is given. */
export interface Watched {
  /** Of the database. */
  readonly directory: string
  /** How often the main thread has turned, in its only element. */
  readonly turns: Int32Array
}

/** Not there among the sources. */
const program = join(dirname(fileURLToPath(import.meta.url)), "DiskWatchThread.js")

/** How often the main thread shows that it turns, in milliseconds. */
const INTERVAL = 250

const start = (directory: string) => {
  const turns = new Int32Array(new SharedArrayBuffer(4))
  const timer = setInterval(() => Atomics.add(turns, 0, 1), INTERVAL).unref()
  const workerData: Watched = { directory, turns }
  const thread = new Worker(program, { workerData })
  thread.unref()
  // Without the thread the server does its work all the same.
  thread.on("error", (error) => process.stderr.write(`The disk is not watched: ${error.message}\n`))
  return async (): Promise<void> => {
    clearInterval(timer)
    await thread.terminate()
  }
}

/** Watches the main thread and the disk of an embedded database, until the scope ends. */
export const watch = (directory: string): Effect.Effect<void, never, Scope.Scope> =>
  existsSync(program)
    ? Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => start(directory)),
          (stop) => Effect.promise(stop)
        )
      )
    : Effect.void
