// The five faults that queue libraries are compared by. Each is given once a part of the work is
// done.
import { setTimeout as sleep } from "node:timers/promises"

/** How long no query of the pool's connections comes to an end, in milliseconds. */
const EXHAUSTED = 10_000

export const all = {
  "nothing fails": async () => {},
  "`kill -9` of a worker": async ({ workers }) => workers.kill(),
  "`kill -9` of the database": ({ postgres }) => postgres.act("shoot"),
  "restart of the database": ({ postgres }) => postgres.act("reopen"),
  "backends terminated": async ({ database, postgres }) => {
    for (let times = 0; times < 3; times++) {
      await postgres.query(
        "postgres",
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`
      )
      await sleep(500)
    }
  },
  // Every connection waits for the table of jobs, until the pool has none that is free.
  "pool exhausted": ({ database, postgres, table }) =>
    postgres.query(
      database,
      "begin",
      `lock table ${table} in access exclusive mode`,
      `select pg_sleep(${EXHAUSTED / 1_000})`,
      "commit"
    )
}
