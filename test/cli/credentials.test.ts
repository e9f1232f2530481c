import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, type FileSystem, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as Credentials from "../../adapters/cli/settings/Credentials.ts"
import { inNewDirectory } from "./Terminal.ts"

inNewDirectory()

const run = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(NodeServices.layer)))

const none = { adminToken: null, telcoToken: null }

describe("credentials", () => {
  it("are readable by their owner only, even if the directory was readable by others", async () => {
    mkdirSync(".simplan")
    chmodSync(".simplan", 0o755)
    await run(Credentials.change((kept) => ({ ...kept, url: "http://127.0.0.1:1" })))
    expect(statSync(".simplan").mode & 0o777).toBe(0o700)
    expect(statSync(Credentials.FILE).mode & 0o777).toBe(0o600)
    expect(readdirSync(".simplan")).toEqual(["credentials.json"])
  })

  it("are not written without a change", async () => {
    await run(Credentials.change((kept) => kept))
    expect(readdirSync(".")).toEqual([])
  })

  it("are not changed if they are damaged", async () => {
    mkdirSync(".simplan")
    writeFileSync(Credentials.FILE, "{ torn")
    await expect(run(Credentials.read)).rejects.toMatchObject({
      message: expect.stringMatching(/^\.simplan\/credentials\.json is not what simplan wrote there; .+\.$/)
    })
    expect(readFileSync(Credentials.FILE, "utf8")).toBe("{ torn")
  })
})

describe("the tokens", () => {
  it("are generated once, even by several processes that start at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => run(Credentials.tokensOf(none))))
    const values = new Set(all.map(({ admin, telco }) => JSON.stringify([admin, telco].map(reveal))))
    expect(values.size).toBe(1)
    expect(await run(Credentials.tokensOf(none))).toEqual(all[0])
    expect(readdirSync(".simplan")).toEqual(["credentials.json"])
  })

  it("are not generated if one of them is set; the other one is off", async () => {
    const value = Redacted.make("set")
    expect(await run(Credentials.tokensOf({ ...none, adminToken: value }))).toEqual({
      admin: { _tag: "Set", value },
      telco: { _tag: "Off" }
    })
    expect(readdirSync(".")).toEqual([])
  })
})

const reveal = (token: Credentials.Token): string => {
  const value = Credentials.value(token)
  return value === undefined ? "" : Redacted.value(value)
}
