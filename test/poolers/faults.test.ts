/**
 * Three servers behind a pooler in transaction mode, which is killed, stands still and has all its
 * sessions taken while everything else goes wrong too.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Database from "../faults/Database.ts"
import * as Round from "../faults/Round.ts"
import * as Keeper from "../setup/databases/keeper.ts"
import * as PgBouncer from "./PgBouncer.ts"

const SESSIONS = 12

let main: string
let postgres: Keeper.Kept

beforeAll(async () => {
  main = (await BuiltCopy.shared()).main
  postgres = await Keeper.start()
}, 300_000)
afterAll(() => postgres?.stop())

const millis = Number(process.env["POOLERS_SECONDS"] ?? "20") * 1_000

describe("three servers behind a pooler, with faults", () => {
  it.each(PgBouncer.builds.map((build, index) => [build.version, build, index] as const))(
    "lose nothing that they acknowledged, and do nothing twice: PgBouncer %s",
    async (_, build, index) => {
      const session = Database.onServer(postgres.url)
      await session.query(`create database round_${index}`)
      await session.close()
      const url = Object.assign(new URL(postgres.url), { pathname: `/round_${index}` }).href
      const settings = ["pool_mode = transaction", `default_pool_size = ${SESSIONS}`, "max_client_conn = 1000"]
      const bouncer = await PgBouncer.start(url, settings, build)
      try {
        const seed = Number(process.env["POOLERS_SEED"] ?? Date.now() % 2 ** 31)
        const pooler = { ...bouncer, sessions: SESSIONS }
        const database = { url, restart: postgres.restart, pooler }
        const outcome = await Round.run({ main, seed, millis, clients: 16, database })
        console.log(`PgBouncer ${build.version}, seed ${seed}: ${Round.summary(outcome)}`)
        expect(outcome.problems).toEqual([])
        expect(outcome.answers).toBeGreaterThan(0)
      } finally {
        await bouncer.stop()
      }
    },
    600_000
  )
})
