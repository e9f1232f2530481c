/**
 * A server on an embedded database is killed again and again in the middle of writes, and nothing
 * else goes wrong. Whatever it acknowledged is there afterwards, nothing is there twice, and what
 * was asked for again had one effect.
 */
import { describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Round from "./Round.ts"

const KILLS = 25

describe("a server that is killed in the middle of writes", () => {
  it(`loses nothing that it acknowledged, and does nothing twice, in ${KILLS} kills`, async () => {
    const { main } = await BuiltCopy.shared()
    const seed = Date.now() % 2 ** 31
    const outcome = await Round.run({ main, seed, kills: KILLS, clients: 5, database: null })
    console.log(`seed ${seed}: ${Round.summary(outcome)}`)
    expect(outcome.problems).toEqual([])
    expect(outcome.done).toBeGreaterThan(KILLS)
  })
})
