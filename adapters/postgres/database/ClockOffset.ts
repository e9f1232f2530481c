/**
 * One machine time for all processes on a database: the database's.
 *
 * Leases and claims compare machine times, and the clocks of two machines differ. So every machine
 * time that a process passes to the database is corrected by the offset of its clock. No machine
 * time comes back. A business clock that follows the machine's is corrected by its own layer.
 *
 * Setting a machine's clock changes nothing: machine times are monotonic. If the database's own
 * clock is set, the processes notice one after the other. Until all have, each of them claims by
 * the earlier of the two times, and makes its leases by the later one, so that no process takes
 * what another one holds (rule W13).
 */
import { Clock, Effect, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { Clocks } from "simplan/ports"

/**
 * By how many milliseconds the database's clock is ahead: for leases of the machine's monotonic
 * time.
 */
export interface Offset extends Clocks.LeaseOffset {
  /** Of this machine's clock. */
  readonly current: number
}

export interface Measurement {
  /** The database's time minus the machine's monotonic time, in milliseconds. */
  readonly offset: number
  /** The error of the measurement at most: half of the round trip. */
  readonly error: number
}

// The only statement that asks the database for its time. The comparison uses the machine's
// monotonic clock, so setting the machine's time changes nothing.
const measure = (sql: SqlClient.SqlClient): Effect.Effect<Measurement, SqlError> =>
  Effect.gen(function* () {
    const before = performance.now()
    // As text: how many digits a floating-point number has is a setting.
    const [row] = yield* sql<{ readonly now: string }>`
      select (extract(epoch from clock_timestamp()) * 1000)::numeric::text as now`
    const after = performance.now()
    return { offset: Number(row?.now ?? Date.now()) - (before + after) / 2, error: (after - before) / 2 }
  })

/** Takes a new measurement that is more exact than the one before, or that contradicts it. */
const believed = (known: Measurement, measured: Measurement): Measurement =>
  measured.error < known.error || Math.abs(measured.offset - known.offset) > measured.error ? measured : known

/**
 * The smallest change of an offset. Smaller ones are ignored, so that intervals keep their length.
 */
const STEP = 20

/** From this change of an offset on, the database's clock was set; in milliseconds. */
const SET = 1_000

/**
 * Whether the database's clock was set between two measurements: they differ by more than their
 * errors, and not by little.
 */
export const wasSet = (earlier: Measurement, later: Measurement): boolean =>
  Math.abs(later.offset - earlier.offset) >= Math.max(SET, later.error + earlier.error)

const INTERVAL = "15 seconds"

/**
 * After how many milliseconds all processes have noticed that the clock was set, and have renewed
 * their leases by it.
 */
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
 * The offsets from a first measurement on. The two of leases are equal to the millisecond, except
 * in the minute after the database's clock was set. `elapsed` is the time that the measurements are
 * relative to.
 */
export const make = (first: Measurement, clock: Clock.Clock, elapsed = () => performance.now()): Followed => {
  let known = first
  /** What was measured before the database's clock was set, and until when it counts. */
  let earlier: ReadonlyArray<{ readonly offset: number; readonly until: number }> = []
  const machineTime = inSteps(() => known.offset + elapsed() - Clocks.monotonicNowUnsafe(clock))
  const ofClock = inSteps(() => known.offset + elapsed() - Date.now())
  /** How far each offset that counts is ahead of the present one, which is the first. */
  const ahead = (): ReadonlyArray<number> => {
    if (earlier.length > 0) {
      const now = Clocks.monotonicNowUnsafe(clock)
      earlier = earlier.filter(({ until }) => until > now)
    }
    return [0, ...earlier.map(({ offset }) => Math.round(offset - known.offset))]
  }
  return {
    take: (measured) => {
      const before = known
      known = believed(before, measured)
      if (!wasSet(before, known)) return
      earlier = [...earlier, { offset: before.offset, until: Clocks.monotonicNowUnsafe(clock) + NOTICED }]
    },
    get current() {
      return ofClock()
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
export const follow = (sql: SqlClient.SqlClient): Effect.Effect<Offset, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const offset = make(yield* measure(sql), yield* Clock.Clock)
    const again = Effect.map(measure(sql), offset.take)
    // The first measurements include the time for connections and caches.
    yield* Effect.repeat(again, { times: 3 })
    // Failure: the next measurement.
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(Effect.ignore(again), INTERVAL), Schedule.forever))
    return offset
  })

/**
 * By how much the database's clock is ahead of this machine's: nothing if both are of one
 * machine.
 */
export const current = (offset: Offset | null): Effect.Effect<number> => Effect.sync(() => offset?.current ?? 0)

interface Asked {
  readonly machineNow: number
}

interface Ending {
  readonly until: number
}

/** What is asked at a machine time, by the database's clock. */
export const at = <A extends Asked>(offset: Clocks.LeaseOffset, asked: A): A => ({
  ...asked,
  machineNow: asked.machineNow + offset.ofClaims
})

/** When a lease ends, by the database's clock. */
export const endOf = (offset: Clocks.LeaseOffset, lease: Ending): number => lease.until + offset.ofLeases

/** What is claimed at a machine time, and until when, by the database's clock. */
export const claimed = <A extends Asked & Ending>(offset: Clocks.LeaseOffset, claim: A): A => ({
  ...claim,
  machineNow: claim.machineNow + offset.ofClaims,
  until: endOf(offset, claim)
})
