/**
 * Requests at random, on memory and on PostgreSQL: for some seconds, or for as long as
 * `npm run test:fuzz` says.
 */
import { Redacted } from "effect"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as Run from "./Run.ts"

const millis = Number(process.env["FUZZ_MILLIS"] ?? 1_500)
const seed = Number(process.env["FUZZ_SEED"] ?? 1)

describe("a planted fault is found", () => {
  const faults: ReadonlyArray<readonly [what: string, planted: NonNullable<Run.Options["planted"]>, found: string]> = [
    [
      "a field of another type",
      ({ method }, status, text) =>
        method === "POST" && status < 300 ? text.replace('"error":false', '"error":0') : text,
      "error must be boolean"
    ],
    [
      "an error without its code",
      (_, status, text) => (status === 404 ? text.replace(/"code":/, '"kode":') : text),
      "must have required property 'code'"
    ]
  ]

  it.each(faults)("%s", { timeout: 120_000 }, async (_, planted, found) => {
    const { problems } = await Run.run({ seed: 1, millis: 20_000, planted, storage: Memory.layer })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(found)
  })
})

describe("any request is answered as the document says, and leaves all in order", () => {
  const url = Databases.forEachTest()

  it.each(["memory", "PostgreSQL"])("on %s", { timeout: millis + 120_000 }, async (name) => {
    const storage = name === "memory" ? Memory.layer : Postgres.layer({ url: Redacted.make(url()) })
    const outcome = await Run.run({ seed, millis, storage })
    console.log(`${name}, seed ${seed}: ${Run.summary(outcome)}`)
    expect(outcome.problems).toEqual([])
    for (const status of [200, 400, 404]) expect(outcome.statuses[status], String(status)).toBeGreaterThan(0)
    expect(outcome.repeated).toBeGreaterThan(0)
  })
})
