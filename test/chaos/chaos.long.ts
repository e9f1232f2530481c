/**
 * Three servers behind a pooler, on a primary with a synchronous standby, while everything fails
 * together for the time given. `run.mjs` says how to start it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Database from "../faults/Database.ts"
import * as Round from "../faults/Round.ts"
import * as PgBouncer from "../poolers/PgBouncer.ts"
import * as Keeper from "../setup/databases/keeper.ts"
import * as Course from "./Course.ts"

const setting = (name: string): number => Number(process.env[name])
const [seconds, seed, rows] = [setting("CHAOS_SECONDS"), setting("CHAOS_SEED"), setting("CHAOS_ROWS")]

/** It starts again as soon as the database is there. */
const POOLER = [
  "pool_mode = transaction",
  "default_pool_size = 30",
  "max_client_conn = 1000",
  "max_prepared_statements = 200",
  "server_login_retry = 1"
]

/** The newest that is given; what an older one does not know is left out. */
const build = PgBouncer.builds.at(-1)
const knows = Number(build?.version.split(".")[1] ?? 0) >= 21
const settings = POOLER.filter((line) => knows || !line.startsWith("max_prepared"))

let main: string
let pair: Keeper.Kept

beforeAll(async () => {
  main = (await BuiltCopy.shared()).main
  pair = await Keeper.start({ shared_buffers: "1GB" })
}, 300_000)
afterAll(() => pair?.stop())

describe("three servers, while everything fails together", () => {
  it(`serve the innocent in time, and do what is due afterwards, each thing once, in ${seconds} s`, async () => {
    const standby = await pair.addStandby()
    const hosts = pair.url.replace(/@([^/]+)/, `@$1,${new URL(standby).host}`)
    const bouncer = build === undefined ? null : await PgBouncer.start(pair.url, settings, build)
    const failOver = async (): Promise<string> => {
      await pair.kill()
      const session = Database.onServer(standby)
      await session.query("select pg_promote()")
      await session.close()
      bouncer?.follow(standby)
      return standby
    }
    const { restart } = pair
    const say = (line: string): void => console.log(line)
    const millis = seconds * 1_000
    try {
      const outcome = await Round.run({
        main,
        seed,
        clients: 8,
        database: {
          url: `${hosts}?target_session_attrs=read-write`,
          restart,
          failOver,
          ...(bouncer !== null && { pooler: { ...bouncer, sessions: 0 } })
        },
        course: {
          receivers: Course.RECEIVERS,
          env: Course.env,
          on: Course.on({ seed, millis, rows, failOver, restart, databaseUrl: pair.url, say })
        }
      })
      say(`seed ${seed}, ${bouncer === null ? "no pooler" : `PgBouncer ${build?.version}`}: ${Round.summary(outcome)}`)
      for (const problem of outcome.problems) say(`  ${problem}`)
      expect(outcome.problems).toEqual([])
      expect(outcome.answers).toBeGreaterThan(0)
    } finally {
      await bouncer?.stop()
    }
  })
})
