/** The comparison of all SIMs with the telcos by the command line, against a real server. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Telcos from "../http/Telcos.ts"
import * as World from "../http/World.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()

/**
 * A server whose telco `x` has a comparison that ends once it was asked for how far it is, and `y`
 * has none.
 */
const compared = async (unanswered = 0) => {
  const { telcos } = Telcos.make()
  const telco = telcos.get("x") ?? expect.fail()
  const requestedAt = Date.UTC(2026, 0, 10)
  let begun = 0
  const comparison: typeof telco.comparison = {
    begin: Effect.sync(() => {
      begun++
      return { requestedAt, compared: 0, unanswered: 0, doneAt: null }
    }),
    progress: Effect.sync(() =>
      begun === 0 ? null : { requestedAt, compared: 4, unanswered, doneAt: requestedAt + 1_000 }
    )
  }
  const world = await World.forTest({ telcos: new Map([...telcos, ["x", { ...telco, comparison }]]) })
  const run = (...args: ReadonlyArray<string>) =>
    simplan(["telco", "compare", ...args, "--url", world.url, "--token", World.ADMIN_TOKEN])
  return { run, begun: () => begun }
}

const none = { telco: "x", requested_at: null, compared: 0, unanswered: 0, done_at: null }
const times = { requested_at: "2026-01-10T00:00:00.000Z", done_at: "2026-01-10T00:00:01.000Z" }

it("says how far the last one is, and begins none", async () => {
  const { begun, run } = await compared()
  const { code, err, out } = await run("--json")
  expect([code, err, JSON.parse(out), begun()]).toEqual([0, "", [none], 0])
})

it("begins one with --now, and waits for its end", async () => {
  const { begun, run } = await compared()
  const { code, err, out } = await run("--now", "--json")
  expect([code, err, JSON.parse(out), begun()]).toEqual([0, "", [{ ...none, ...times, compared: 4 }], 1])
  const table = await run()
  expect([table.code, begun()]).toEqual([0, 1])
  expect(table.out).toMatch(/^telco +requested_at +compared +unanswered +done_at\nx +\S+ +4 +0 +\S+\n$/)
})

it("ends with 1 where the telco has not answered of some SIMs", async () => {
  const { run } = await compared(2)
  expect(await run("--now")).toMatchObject({
    code: 1,
    err: "The telco has not answered of 2 SIMs: compare again once it does.\n"
  })
  expect((await run()).code).toBe(0)
})
