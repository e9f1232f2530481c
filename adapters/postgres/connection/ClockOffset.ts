/**
 * One machine time for all processes on a database: the database's.
 *
 * Leases and claims are compared with the machine time of whoever asks, and two machines seldom agree. So the machine
 * times of a process are moved by how far its clock is from the database's on their way in; none ever comes back out.
 * Business time, where it follows the machine's, is moved likewise by who tells it.
 */
import { Effect, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Jobs, type Outbox, Storage } from "simplan"
import type { Sql } from "./Database.ts"

/** How many milliseconds the database is ahead. */
export interface Offset {
  readonly current: number
}

interface Measurement {
  /** The database's time less that of the machine's clock that only goes forward, in milliseconds. */
  readonly offset: number
  /** How far that may be off: half of the round trip. */
  readonly error: number
}

// The only statement that asks the database for its time. It is compared with a clock of the machine that nobody sets,
// so that setting the machine's time changes nothing, neither now nor later.
const measure = (sql: Sql): Effect.Effect<Measurement, SqlError> =>
  Effect.gen(function* () {
    const before = performance.now()
    const [row] = yield* sql<{ readonly now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
    const after = performance.now()
    return { offset: (row?.now ?? Date.now()) - (before + after) / 2, error: (after - before) / 2 }
  })

/** Believes a measurement where it says something that the one before does not allow for, or says it more exactly. */
const believed = (known: Measurement, measured: Measurement): Measurement =>
  measured.error < known.error || Math.abs(measured.offset - known.offset) > measured.error ? measured : known

/** By how much the offset changes at least when it does, so that two instants of this machine stay as far apart. */
const STEP = 20

const INTERVAL = "15 seconds"

/** Measures the offset, and again as long as the scope lasts. */
export const follow = (sql: Sql): Effect.Effect<Offset, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    let known = yield* measure(sql)
    // The first ones wait for connections and caches.
    for (let times = 0; times < 2; times++) known = believed(known, yield* measure(sql))
    const again = Effect.map(measure(sql), (measured) => {
      known = believed(known, measured)
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(Effect.ignore(again), INTERVAL), Schedule.forever))
    let told = Number.NaN
    return {
      get current() {
        const offset = known.offset + performance.now() - Date.now()
        if (!(Math.abs(offset - told) < STEP)) told = Math.round(offset)
        return told
      }
    }
  })

export interface Ports {
  readonly storage: Storage.Storage["Service"]
  readonly jobs: Jobs.Jobs["Service"]
  readonly outbox: Outbox.Outbox["Service"]
}

/** The ports with every machine time moved by the offset. */
export const moved = ({ jobs, outbox, storage }: Ports, offset: Offset): Ports => {
  const at = <A extends { readonly machineNow: number }>(asked: A): A => ({
    ...asked,
    machineNow: asked.machineNow + offset.current
  })
  const held = <A extends { readonly machineNow: number; readonly until: number }>(asked: A): A => ({
    ...at(asked),
    until: asked.until + offset.current
  })
  const renewed = <A extends { readonly until: number }>(asked: A): A => ({
    ...asked,
    until: asked.until + offset.current
  })
  const leased = (commit: Storage.Commit): Storage.Commit => {
    const put = commit.jobs?.put
    if (put === undefined) return commit
    const shifted = put.map(({ job, lease }) => ({
      job,
      lease: lease === null ? null : { ...lease, until: lease.until + offset.current }
    }))
    return { ...commit, jobs: { ...commit.jobs, put: shifted } }
  }
  return {
    storage: {
      ...Storage.reads(storage),
      commit: (commit) => Effect.suspend(() => storage.commit(leased(commit))),
      sims: {
        import: storage.sims.import,
        page: storage.sims.page,
        reserve: (asked) => Effect.suspend(() => storage.sims.reserve(held(asked))),
        release: storage.sims.release,
        smdpHistory: storage.sims.smdpHistory
      },
      virtualClock: storage.virtualClock,
      clockOffset: Effect.sync(() => offset.current),
      watch: storage.watch,
      purge: storage.purge,
      ready: storage.ready
    },
    jobs: {
      claim: (asked) => Effect.suspend(() => jobs.claim(held(asked))),
      renew: (asked) => Effect.suspend(() => jobs.renew(renewed(asked))),
      pending: (asked) => Effect.suspend(() => jobs.pending(at(asked))),
      lanes: (asked) => Effect.suspend(() => jobs.lanes(at(asked))),
      backlog: (asked) => Effect.suspend(() => jobs.backlog(at(asked))),
      release: jobs.release,
      handBack: jobs.handBack
    },
    outbox: {
      claim: (asked) => Effect.suspend(() => outbox.claim(held(asked))),
      renew: (asked) => Effect.suspend(() => outbox.renew(renewed(asked))),
      pending: (asked) => Effect.suspend(() => outbox.pending(at(asked))),
      lanes: (asked) => Effect.suspend(() => outbox.lanes(at(asked))),
      backlog: (asked) => Effect.suspend(() => outbox.backlog(at(asked))),
      release: outbox.release,
      handBack: outbox.handBack
    }
  }
}
