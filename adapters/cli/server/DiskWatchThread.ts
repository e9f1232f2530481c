/**
 * A program: the thread of `DiskWatch.ts`. It ends the process if the main thread has not turned
 * for six seconds and the disk of the database has been full meanwhile. A main thread that is busy
 * for any other reason is left alone.
 */
import { statfsSync, writeSync } from "node:fs"
import { Session } from "node:inspector"
import { workerData } from "node:worker_threads"
import type { Watched } from "./DiskWatch.ts"

/**
 * The size of a file of PostgreSQL's log, in bytes: with less than this left, the next one cannot
 * be made.
 */
const LOG_FILE = 16 * 1_048_576

/** How often the thread checks, in milliseconds. */
const INTERVAL = 500

/** After how many checks without a turn in between: by count, since a machine may have slept. */
const CHECKS = 12

/** In milliseconds. */
const WAIT_LIMIT = 1_000

const { directory, turns }: Watched = workerData

const isFullNow = (): boolean => {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    return blocks > 0 && bavail * bsize < LOG_FILE
  } catch {
    return false
  }
}

const end = (): void => {
  writeSync(
    2,
    `The file system of ${directory} is full, and the embedded database hangs. The process ends; nothing that was answered is lost. Make room and start it again.\n`
  )
  // A process that is the first of its container cannot be killed from inside, so the main thread
  // is made to exit.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), WAIT_LIMIT)
  const session = new Session()
  session.connectToMainThread()
  session.post("Runtime.evaluate", { expression: "process.reallyExit(1)" })
}

let [known, checks, isFull] = [-1, 0, false]

const check = (): void => {
  const now = Atomics.load(turns, 0)
  if (now !== known) {
    ;[known, checks, isFull] = [now, 0, false]
    return
  }
  checks += 1
  isFull = isFull || isFullNow()
  if (!isFull || checks < CHECKS) return
  clearInterval(timer)
  end()
}

const timer = setInterval(check, INTERVAL)
