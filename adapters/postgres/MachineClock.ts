/**
 * One machine time for all processes on a database: the database's.
 *
 * Leases and claims are compared with the machine time of whoever asks, and two machines seldom agree. So the machine
 * times of a process are moved by how far its clock is from the database's on their way in; none ever comes back out.
 */
import { Effect, Schedule } from "effect"
import { Jobs, Outbox, Storage } from "simplan"
import type { Sql } from "./Database.ts"

/** How many milliseconds the database is ahead. */
export interface Offset {
  current: number
}

// The only statement that asks the database for its time. It is compared with the machine's own clock, not Effect's,
// which a test may have put elsewhere; half the round trip is taken for the way back.
const measure = (sql: Sql) =>
  Effect.gen(function* () {
    const before = Date.now()
    const [row] = yield* sql<{ readonly now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
    const after = Date.now()
    return Math.round((row?.now ?? after) - (before + after) / 2)
  })

/** Measures the offset, and again every minute until the scope ends. */
export const follow = (sql: Sql) =>
  Effect.gen(function* () {
    const offset: Offset = { current: yield* measure(sql) }
    const again = Effect.map(measure(sql), (measured) => {
      offset.current = measured
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(Effect.ignore(again), "1 minute"), Schedule.forever))
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
    storage: Storage.Storage.of({
      ...storage,
      commit: (commit) => Effect.suspend(() => storage.commit(leased(commit))),
      claimSim: (asked) => Effect.suspend(() => storage.claimSim(held(asked)))
    }),
    jobs: Jobs.Jobs.of({
      ...jobs,
      claim: (asked) => Effect.suspend(() => jobs.claim(held(asked))),
      renew: (asked) => Effect.suspend(() => jobs.renew(renewed(asked))),
      backlog: (asked) => Effect.suspend(() => jobs.backlog(at(asked))),
      pending: (asked) => Effect.suspend(() => jobs.pending(at(asked)))
    }),
    outbox: Outbox.Outbox.of({
      ...outbox,
      claim: (asked) => Effect.suspend(() => outbox.claim(held(asked))),
      renew: (asked) => Effect.suspend(() => outbox.renew(renewed(asked))),
      backlog: (asked) => Effect.suspend(() => outbox.backlog(at(asked))),
      pending: (asked) => Effect.suspend(() => outbox.pending(at(asked)))
    })
  }
}
