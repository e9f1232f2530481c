/**
 * A short round of `npm run test:faults`: three servers on one PostgreSQL while things go wrong.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as Round from "./Round.ts"

let main: string
let database: Databases.Database

beforeAll(async () => {
  main = (await BuiltCopy.shared()).main
  database = await Databases.create()
}, 120_000)
afterAll(() => database?.drop())

describe("three servers on one PostgreSQL, with faults", () => {
  it("lose nothing that they acknowledged, and do nothing twice", async () => {
    const seed = Date.now() % 2 ** 31
    const outcome = await Round.run({
      main,
      seed,
      millis: 4_000,
      clients: 6,
      database: { url: database.url, restart: null }
    })
    console.log(`seed ${seed}: ${Round.summary(outcome)}`)
    expect(outcome.problems).toEqual([])
    expect(outcome.answers).toBeGreaterThan(0)
  }, 240_000)
})
