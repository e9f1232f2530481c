/**
 * Round after round for the time given, in turns on a PostgreSQL with three processes and on an
 * embedded database with one. `run.mjs` says how to start it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Keeper from "../setup/databases/keeper.ts"
import * as Database from "./Database.ts"
import * as Round from "./Round.ts"

const setting = (name: string): number => Number(process.env[name])
const [seconds, seed, each] = [setting("FAULTS_SECONDS"), setting("FAULTS_SEED"), setting("FAULTS_EACH")]
const only = process.env["FAULTS_ONLY"]
const telco = process.env["FAULTS_TELCO"] === "ocs" ? "ocs" : "simulator"

let main: string
let postgres: Keeper.Kept

beforeAll(async () => {
  main = (await BuiltCopy.shared()).main
  postgres = await Keeper.start()
}, 300_000)
afterAll(() => postgres?.stop())

/** A new database on the round's server. */
const create = async (name: string): Promise<string> => {
  const session = Database.onServer(postgres.url)
  await session.query(`create database ${name}`)
  await session.close()
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.toString()
}

describe("servers with faults", () => {
  it(`lose nothing that they acknowledged, and do nothing twice, for ${seconds} s`, async () => {
    const until = Date.now() + seconds * 1_000
    const all: Array<Round.Outcome> = []
    const failed: Array<string> = []
    for (let round = 0; Date.now() < until; round++) {
      // Three processes find more than one does.
      // What waits is made due in the database, which has to be open for it.
      const isEmbedded = telco === "simulator" && (only === "pglite" || (only !== "postgres" && round % 4 === 3))
      const database = isEmbedded ? null : { url: await create(`round_${round}`), restart: postgres.restart }
      const outcome = await Round.run({ main, seed: seed + round, millis: each * 1_000, clients: 16, database, telco })
      all.push(outcome)
      const kind = isEmbedded ? "PGlite, one process" : "PostgreSQL, three processes"
      console.log(`seed ${seed + round}, ${kind}: ${Round.summary(outcome)}`)
      for (const problem of outcome.problems) console.log(`  ${problem}`)
      failed.push(...outcome.problems.map((problem) => `seed ${seed + round}: ${problem}`))
    }
    const sum = (part: "requests" | "answers") => all.reduce((total, one) => total + one[part], 0)
    console.log(
      `${all.length} rounds, ${sum("requests")} requests, ${sum("answers")} answers, ${failed.length} problems`
    )
    expect(failed).toEqual([])
  })

  it.skipIf(only === "pglite" || telco === "ocs")(
    "lose nothing either when their primary is lost and its standby takes over",
    async () => {
      const pair = await Keeper.start()
      try {
        const standby = new URL(await pair.addStandby())
        const hosts = pair.url.replace(/@([^/]+)/, `@$1,${standby.host}`)
        const failOver = async (): Promise<string> => {
          await pair.kill()
          const session = Database.onServer(standby.toString())
          await session.query("select pg_promote()")
          await session.close()
          return standby.toString()
        }
        const url = `${hosts}?target_session_attrs=read-write`
        const database = { url, restart: null, failOver }
        const outcome = await Round.run({ main, seed, millis: each * 1_000, clients: 16, database, telco })
        console.log(`seed ${seed}, a primary and its standby: ${Round.summary(outcome)}`)
        expect(outcome.problems).toEqual([])
        expect(outcome.answers).toBeGreaterThan(0)
      } finally {
        await pair.stop()
      }
    }
  )
})
