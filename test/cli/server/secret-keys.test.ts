/**
 * The commands on a database whose secrets are encrypted.
 */
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { inNewDirectory, simplan } from "../Terminal.ts"

inNewDirectory()
const database = Databases.forEachTest()

const key = randomBytes(32).toString("base64")

it("secrets are brought to a key, without which nothing starts from then on", async () => {
  const env = { SIMPLAN_DATABASE_URL: database() }
  const keyed = { ...env, SIMPLAN_SECRET_KEY: key }
  expect(await simplan(["migrate"], env)).toMatchObject({ code: 0 })
  expect(await simplan(["secrets", "reencrypt"], keyed)).toEqual({
    code: 0,
    out: "0 rows were changed: all secrets are encrypted with the first key of SIMPLAN_SECRET_KEY.\n",
    err: ""
  })
  expect(await simplan(["migrate"], keyed)).toMatchObject({ code: 0 })
  for (const command of ["migrate", "serve", "telco"]) {
    const refused = await simplan([command], { ...env, SIMPLAN_TELCO_BOOKS: database() })
    expect([command, refused.code, refused.out]).toEqual([command, 1, ""])
    expect(refused.err).toMatch(
      /cannot be used: Secrets in the database are encrypted with the key [0-9a-f]{16}, and SIMPLAN_SECRET_KEY.* is not set\.\n$/
    )
  }
})

it("one sentence says that there is no key, or nothing to encrypt", async () => {
  const misspelt = await simplan(["secrets", "reencrypt"], { SIMPLAN_SECRET_KEYS: "" })
  expect(misspelt.err).toBe("SIMPLAN_SECRET_KEYS is no setting: SIMPLAN_SECRET_KEY is the nearest.\n")
  const none = await simplan(["secrets", "reencrypt"], { SIMPLAN_DATABASE_URL: database() })
  expect(none).toEqual({ code: 1, out: "", err: "SIMPLAN_SECRET_KEY is not set: it has the key to encrypt with.\n" })
  const inMemory = { SIMPLAN_DATABASE_URL: "memory:", SIMPLAN_SECRET_KEY: key }
  expect((await simplan(["secrets", "reencrypt"], inMemory)).out).toBe("A store in memory has nothing to encrypt.\n")
})
