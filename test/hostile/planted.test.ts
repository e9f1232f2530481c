/**
 * `npm run test:hostile` finds faults that are planted into a server.
 */
import { describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Run from "./Run.ts"

describe("a planted fault is found, and the attack is named", () => {
  it.each([
    ["memory", /^seed 1: GET \/healthz: memory rose by \d+ MB$/],
    ["end", /^seed 1: GET \/healthz: the server ended with 7/],
    ["failure", /^seed 1: GET \/healthz: an innocent ".+" failed: 500/]
  ])("%s", { timeout: 240_000 }, async (planted, found) => {
    const { main } = await BuiltCopy.shared()
    const { problems } = await Run.run({
      main,
      planted,
      databaseUrl: "memory:",
      seed: 1,
      millis: 2_000,
      isShort: true,
      isAlone: false,
      only: "GET /healthz",
      withOperators: false,
      print: () => {}
    })
    expect(problems).toContainEqual(expect.stringMatching(found))
  })
})
