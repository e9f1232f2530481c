/**
 * Corrections of many SIMs at once (rule I9): requests take turns, so that others wait for one batch however many rows are sent.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Stream } from "effect"
import { Organizations, SimCorrections } from "simplan"
import { expect, it } from "vitest"
import { make } from "../World.ts"

const BATCH = 500

it("of all requests one batch is under way at a time", async () => {
  const world = await make()
  const other = await world.run(Organizations.Organizations.use((of) => of.create({ name: "Other Ltd" })))
  const own = await world.importSims(3 * BATCH)
  const rowsOf = (iccids: ReadonlyArray<string>) =>
    Stream.fromIterable(iccids.map((iccid) => ({ iccid, label: "Blue" })))
  const correct = (organizationId: string, iccids: ReadonlyArray<string>) =>
    SimCorrections.SimCorrections.use((of) =>
      Stream.runCollect(of.correctAll({ organizationId, rows: rowsOf(iccids), dryRun: false }))
    )
  let [underWay, most] = [0, 0]
  world.beforeCommit(async () => {
    underWay += 1
    most = Math.max(most, underWay)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    underWay -= 1
  })

  const results = await world.run(
    Effect.all(
      [correct(world.organizationId, own), correct(world.organizationId, own), correct(other.organizationId, own)],
      {
        concurrency: "unbounded"
      }
    )
  )

  expect(most).toBe(1)
  const [first = [], second = [], others = []] = results.map((rows) => rows.map(({ result }) => result))
  expect([...first, ...second].filter((result) => result === "corrected")).toHaveLength(own.length)
  expect([...first, ...second].filter((result) => result === "unchanged")).toHaveLength(own.length)
  expect(new Set(others)).toEqual(new Set(["refused"]))
})
