/** Notifications of an SM-DP+ reach the history that `/v3` shows, over the real services in memory. */
import { Effect } from "effect"
import { Reports, Sims } from "simplan"
import { Storage } from "simplan/ports"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DownloadProgress } from "../../adapters/telco-es2plus/index.ts"
import * as World from "../scenarios/World.ts"

let world: Awaited<ReturnType<typeof World.make>>
let iccids: ReadonlyArray<string>
let next = 0

beforeAll(async () => {
  world = await World.make()
  iccids = await world.importSims(12)
})

afterAll(() => world.close())

/** An eSIM that nothing was told about yet. */
const fresh = () => iccids[next++] ?? ""

const notification = (iccid: string, changes: Record<string, unknown> = {}) => ({
  header: { functionRequesterIdentifier: "smdp", functionCallIdentifier: "first" },
  eid: "89049032000000000000000000000001",
  iccid,
  profileType: "consumer",
  timestamp: "2026-01-31T13:00:00+01:00",
  notificationPointId: 4,
  notificationPointStatus: { status: "Executed-Success" },
  ...changes
})

const take = (body: unknown, options: DownloadProgress.Options = {}) =>
  world.run(Effect.flatMap(DownloadProgress.make(options), (progress) => progress.take(body)))

const info = (iccid: string) =>
  world.run(Sims.Sims.use((of) => of.smdpInfo({ organizationId: world.organizationId, iccid })))

const done = { status: 204, message: null }

describe("A notification of the SM-DP+", () => {
  it("of an installed profile is its current status, at the instant that it names", async () => {
    const iccid = fresh()
    expect(await take(notification(iccid))).toEqual(done)
    const { current, history } = await info(iccid)
    expect(current).toEqual({ state: "BPP Installation", modifiedAt: Date.UTC(2026, 0, 31, 12) })
    expect(history.map(({ modificationResult }) => modificationResult)).toEqual(["Executed-Success"])
  })

  it("counts once, also when it comes again as another call, padded or with its point as text", async () => {
    const iccid = fresh()
    const header = { functionRequesterIdentifier: "smdp", functionCallIdentifier: "second" }
    await take(notification(iccid))
    await take(notification(iccid))
    await take(notification(iccid, { header }))
    await take(notification(`${iccid}F`, { notificationPointId: "4", timestamp: "2026-01-31T12:00:00Z" }))
    expect((await info(iccid)).history).toHaveLength(1)
    await take(notification(iccid, { timestamp: "2026-01-31T13:00:01+01:00" }))
    expect((await info(iccid)).history).toHaveLength(2)
  })

  it("of a failed installation stays in the history with its codes, and is no status", async () => {
    const iccid = fresh()
    const statusCodeData = { subjectCode: "8.10", reasonCode: "4.2", message: "no memory" }
    await take(notification(iccid, { notificationPointStatus: { status: "Failed", statusCodeData } }))
    const { current, history } = await info(iccid)
    expect(current).toBeNull()
    expect(history.map(({ modificationResult }) => modificationResult)).toEqual(["Failed 8.10/4.2: no memory"])
  })

  it("of the points before the installation tells nothing that /v3 shows", async () => {
    const iccid = fresh()
    for (const notificationPointId of [1, 2, 3, 99]) {
      expect(await take(notification(iccid, { notificationPointId }))).toEqual(done)
    }
    expect((await info(iccid)).history).toEqual([])
  })

  it("is mapped by the operator's changes to the table, and otherwise by the table", async () => {
    const iccid = fresh()
    const options: DownloadProgress.Options = { states: { "3": "BPP Installation", "4": null, "101": "Enable" } }
    for (const notificationPointId of [3, 4, 101, 5]) await take(notification(iccid, { notificationPointId }), options)
    expect((await info(iccid)).history.map(({ state }) => state).sort()).toEqual([
      "BPP Installation",
      "Delete",
      "Enable"
    ])
  })

  it("is answered 204 where the app rejects it: an unknown SIM, a time ahead of the clock", async () => {
    const iccid = fresh()
    expect(await take(notification("8900000000000000000"))).toEqual(done)
    expect(await take(notification(iccid, { timestamp: "2026-02-01T12:00:00Z" }))).toEqual(done)
    expect((await info(iccid)).history).toEqual([])
  })

  it("in another form is answered 400", async () => {
    const iccid = fresh()
    for (const changes of [
      { iccid: "123" },
      { timestamp: "yesterday" },
      { notificationPointId: "four" },
      { notificationPointStatus: "Executed-Success" }
    ]) {
      expect((await take(notification(iccid, changes))).status).toBe(400)
    }
    expect((await take(null)).status).toBe(400)
  })

  it("that cannot be stored is answered 503, so that it comes again", async () => {
    const failing = Effect.provideService(DownloadProgress.make(), Reports.Reports, {
      take: () => Effect.fail(new Storage.StorageError({ message: "down" }))
    })
    const taken = Effect.flatMap(failing, (progress) => progress.take(notification(fresh())))
    expect(await Effect.runPromise(taken)).toEqual({ status: 503, message: "The storage is not available" })
  })
})
