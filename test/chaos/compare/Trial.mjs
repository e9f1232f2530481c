// One library under one fault: its units are added, two workers do them, and when a part is done
// the fault strikes. A worker that has ended is started again at once, as a supervisor does.
import { setTimeout as sleep } from "node:timers/promises"
import * as Effects from "./Effects.mjs"

const WORKERS = 2

/** The part of the units that is done before the fault. */
const BEFORE = 0.2

/** How long a repetition is waited for at the end, in milliseconds. */
const QUIET = 2_000

/** Keeps the workers running; `ends` counts those that ended though they were not killed. */
const supervise = async (start) => {
  let isWanted = true
  let ends = 0
  const running = new Set()
  const keep = async () => {
    while (isWanted) {
      let worker
      try {
        worker = await start()
      } catch {
        await sleep(200)
        continue
      }
      if (!isWanted) {
        worker.child.kill("SIGKILL")
        return
      }
      running.add(worker)
      await worker.ended
      running.delete(worker)
      if (isWanted && !worker.isKilled) ends += 1
    }
  }
  const kept = Array.from({ length: WORKERS }, keep)
  while (running.size < WORKERS) await sleep(20)
  return {
    ends: () => ends,
    kill: () => {
      const [worker] = running
      worker.isKilled = true
      worker.child.kill("SIGKILL")
    },
    stop: async () => {
      isWanted = false
      for (const worker of running) worker.child.kill("SIGKILL")
      await Promise.all(kept)
    }
  }
}

/**
 * What came of it. What is left when nothing was done for `waitMillis` is made to expire, as if the
 * time for which its dead worker holds it had passed: only then is it known what is done a second
 * time.
 */
export const run = async ({ count, fault, library, postgres, waitMillis }) => {
  const database = await postgres.create("compared")
  const url = postgres.urlOf(database)
  const query = (...statements) => postgres.query(database, ...statements)
  const left = async () => (await query(library.left)).map((one) => ({ ...one, seconds: Number(one.seconds ?? 0) }))
  const effects = await Effects.start()
  let workers
  try {
    await library.add(url, count, query)
    workers = await supervise(() => library.work(url, effects.url))
    while (effects.done() < BEFORE * count) await sleep(10)
    const began = Date.now()
    await fault({ workers, postgres, database, table: library.table })
    /** Returns when nothing is left, or when nothing was done for so long. */
    const finished = async (since) => {
      while (Date.now() < Math.max(since, effects.last()) + waitMillis && (await left()).length > 0) await sleep(100)
    }
    await finished(began)
    const held = await left()
    const seconds = (Math.max(effects.last(), began) - began) / 1_000
    const hold = Math.max(0, ...held.map((one) => one.seconds))
    if (held.length > 0 && library.expire !== undefined) {
      await query(library.expire)
      await finished(Date.now())
    }
    await sleep(QUIET)
    return {
      lost: count - effects.done(),
      doubled: effects.doubled(),
      seconds: held.length === 0 ? seconds : waitMillis / 1_000 + hold,
      held: held.reduce((sum, one) => sum + one.count, 0),
      left: (await left()).length,
      ends: workers.ends()
    }
  } finally {
    await workers?.stop()
    await postgres.drop(database)
    await effects.stop()
  }
}
