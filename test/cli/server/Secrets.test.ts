import { describe, expect, it } from "vitest"
import * as Secrets from "../../../adapters/cli/settings/Secrets.ts"

const key = `simplan_${"a1B2".repeat(13)}`

describe("a log line", () => {
  const lines: ReadonlyArray<readonly [line: string, logged: string]> = [
    [`the key ${key} was used`, "the key simplan_*** was used"],
    [`GET /v3/sims?page=1&key=${key}&label=Green`, "GET /v3/sims?page=1&key=***&label=Green"],
    ["GET /v3/sims?key=anything", "GET /v3/sims?key=***"],
    ['{"authorization":"Bearer abc.def-ghi"}', '{"authorization":"Bearer ***"}'],
    ["signed by whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "signed by whsec_***"],
    ["postgres://me:pass@word@db/simplan refused", "postgres://me:***@db/simplan refused"],
    ["simplan_data is no key, nor is monkey=1", "simplan_data is no key, nor is monkey=1"]
  ]
  for (const [line, logged] of lines) {
    it(`is written as ${logged}`, () => {
      expect(Secrets.redact(line)).toBe(logged)
    })
  }

  it("is written without registered secrets, in any form", () => {
    Secrets.register('an "odd" token/1')
    Secrets.registerPassword("postgres://me:p%40ss-word@db/simplan?password=second-one")
    Secrets.register("me")
    const secrets = ['an "odd" token/1', "an%20%22odd%22%20token%2F1", "p@ss-word", "p%40ss-word", "second-one"]
    const line = JSON.stringify({ secrets, of: "me" })
    expect(Secrets.redact(line)).toBe('{"secrets":["***","***","***","***","***"],"of":"me"}')
  })
})
