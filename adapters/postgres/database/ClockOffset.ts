/**
 * One machine time for all processes on a database: the database's.
 *
 * Leases and claims compare machine times, and the clocks of two machines differ. So every machine time that a process
 * passes to the database is corrected by the offset of its clock. No machine time comes back. A business clock that
 * follows the machine's is corrected by its own layer.
 *
 * Setting a machine's clock changes nothing: machine times are monotonic. Where the database's own clock is set, the
 * processes notice one after the other. Until all have, each of them claims by the earlier of the two times, and makes its
 * leases by the later one, so that no process takes what another one holds (rule W13).
 */
import { Clock, Effect, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Jobs, type LeaseOffset, MonotonicTime, type Outbox, Storage } from "simplan/ports"
import type { Sql } from "./Database.ts"

/** By how many milliseconds the database's clock is ahead: for leases of the machine's monotonic time. */
export interface Offset extends LeaseOffset.LeaseOffset {
  /** Of this machine's clock. */
  readonly current: number
}

export interface Measurement {
  /** The database's time minus the machine's monotonic time, in milliseconds. */
  readonly offset: number
  /** The error of the measurement at most: half of the round trip. */
  readonly error: number
}

// The only statement that asks the database for its time. The comparison uses the machine's monotonic clock, so setting
// the machine's time changes nothing.
const measure = (sql: Sql): Effect.Effect<Measurement, SqlError> =>
  Effect.gen(function* () {
    const before = performance.now()
    const [row] = yield* sql<{ readonly now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
    const after = performance.now()
    return { offset: (row?.now ?? Date.now()) - (before + after) / 2, error: (after - before) / 2 }
  })

/** Takes a new measurement that is more exact than the one before, or that contradicts it. */
const believed = (known: Measurement, measured: Measurement): Measurement =>
  measured.error < known.error || Math.abs(measured.offset - known.offset) > measured.error ? measured : known

/** The smallest change of an offset. Smaller ones are ignored, so that intervals keep their length. */
const STEP = 20

/** From this change of an offset on, the database's clock was set; in milliseconds. */
const SET = 1_000

/** Whether the database's clock was set between two measurements: they differ by more than their errors, and not by little. */
export const wasSet = (earlier: Measurement, later: Measurement): boolean =>
  Math.abs(later.offset - earlier.offset) >= Math.max(SET, later.error + earlier.error)

const INTERVAL = "15 seconds"

/** After how many milliseconds all processes have noticed that the clock was set, and have renewed their leases by it. */
const NOTICED = 60_000

/** A value that changes by a step at least. */
const inSteps = (value: () => number): (() => number) => {
  let stepped = Number.NaN
  return () => {
    const now = value()
    if (!(Math.abs(now - stepped) < STEP)) stepped = Math.round(now)
    return stepped
  }
}

/** The offsets of a process, by what it has measured. */
export interface Followed extends Offset {
  /** Takes a new measurement. */
  readonly take: (measured: Measurement) => void
}

/**
 * The offsets from a first measurement on. The two of leases are equal to the millisecond, except in the minute after the
 * database's clock was set. `elapsed` is the time that the measurements are relative to.
 */
export const make = (first: Measurement, clock: Clock.Clock, elapsed = () => performance.now()): Followed => {
  let known = first
  /** What was measured before the database's clock was set, and until when it counts. */
  let earlier: ReadonlyArray<{ readonly offset: number; readonly until: number }> = []
  const machineTime = inSteps(() => known.offset + elapsed() - MonotonicTime.nowUnsafe(clock))
  const current = inSteps(() => known.offset + elapsed() - Date.now())
  /** How far each offset that counts is ahead of the present one, which is the first. */
  const ahead = (): ReadonlyArray<number> => {
    if (earlier.length > 0) {
      const now = MonotonicTime.nowUnsafe(clock)
      earlier = earlier.filter(({ until }) => until > now)
    }
    return [0, ...earlier.map(({ offset }) => Math.round(offset - known.offset))]
  }
  return {
    take: (measured) => {
      const before = known
      known = believed(before, measured)
      if (!wasSet(before, known)) return
      earlier = [...earlier, { offset: before.offset, until: MonotonicTime.nowUnsafe(clock) + NOTICED }]
    },
    get current() {
      return current()
    },
    get ofClaims() {
      return machineTime() + Math.min(...ahead())
    },
    get ofLeases() {
      return machineTime() + Math.max(...ahead())
    }
  }
}

/** Measures the offset, repeatedly until the scope ends. */
export const follow = (sql: Sql): Effect.Effect<Offset, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const offset = make(yield* measure(sql), yield* Clock.Clock)
    const again = Effect.map(measure(sql), offset.take)
    // The first measurements include the time for connections and caches.
    yield* Effect.repeat(again, { times: 3 })
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(Effect.ignore(again), INTERVAL), Schedule.forever))
    return offset
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
    machineNow: asked.machineNow + offset.ofClaims
  })
  const held = <A extends { readonly machineNow: number; readonly until: number }>(asked: A): A => ({
    ...at(asked),
    until: asked.until + offset.ofLeases
  })
  const renewed = <A extends { readonly until: number }>(asked: A): A => ({
    ...asked,
    until: asked.until + offset.ofLeases
  })
  const leased = <A extends { readonly lease?: Storage.Lease | null }>(asked: A): A =>
    asked.lease ? { ...asked, lease: renewed(asked.lease) } : asked
  const committed = (commit: Storage.Commit): Storage.Commit => {
    const { put, retried } = commit.jobs ?? {}
    if (put === undefined && retried === undefined) return commit
    const shifted = {
      ...(put !== undefined && { put: put.map(leased) }),
      ...(retried !== undefined && { retried: retried.map(leased) })
    }
    return { ...commit, jobs: { ...commit.jobs, ...shifted } }
  }
  return {
    storage: {
      ...Storage.reads(storage),
      commit: (commit) => Effect.suspend(() => storage.commit(committed(commit))),
      sims: {
        get: storage.sims.get,
        import: storage.sims.import,
        page: storage.sims.page,
        reserve: (asked) => Effect.suspend(() => storage.sims.reserve(held(asked))),
        release: storage.sims.release,
        stock: storage.sims.stock,
        identities: storage.sims.identities,
        smdpHistory: storage.sims.smdpHistory
      },
      virtualClock: storage.virtualClock,
      clockOffset: Effect.sync(() => offset.current),
      watch: storage.watch,
      purge: storage.purge,
      purgeAudit: storage.purgeAudit,
      purgeEvents: storage.purgeEvents,
      ready: storage.ready,
      probe: storage.probe
    },
    jobs: {
      claim: (asked) => Effect.suspend(() => jobs.claim(held(asked))),
      renew: (asked) => Effect.suspend(() => jobs.renew(renewed(asked))),
      pending: (asked) => Effect.suspend(() => jobs.pending(at(asked))),
      partitions: (asked) => Effect.suspend(() => jobs.partitions(at(asked))),
      backlog: (asked) => Effect.suspend(() => jobs.backlog(at(asked))),
      release: jobs.release,
      handBack: jobs.handBack
    },
    outbox: {
      claim: (asked) => Effect.suspend(() => outbox.claim(held(asked))),
      claimForHandler: (asked) => Effect.suspend(() => outbox.claimForHandler(held(asked))),
      pendingForHandler: (asked) => Effect.suspend(() => outbox.pendingForHandler(at(asked))),
      renew: (asked) => Effect.suspend(() => outbox.renew(renewed(asked))),
      pending: (asked) => Effect.suspend(() => outbox.pending(at(asked))),
      partitions: (asked) => Effect.suspend(() => outbox.partitions(at(asked))),
      backlog: (asked) => Effect.suspend(() => outbox.backlog(at(asked))),
      release: outbox.release,
      handBack: outbox.handBack
    }
  }
}
