/**
 * Notifications of an SM-DP+ reach the history that `/v3` shows, over the real services in memory.
 */
import { Effect } from "effect"
import { Reports, Sims } from "simplan"
import { Storage } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import { DownloadProgress } from "../../adapters/telco-es2plus/index.ts"
import * as World from "../scenarios/World.ts"

let world: Awaited<ReturnType<typeof World.make>>
let iccids: ReadonlyArray<string>
let next = 0

beforeEach(async () => {
  world = await World.make()
  iccids = await world.importSims(30)
  next = 0
})

/** An eSIM that nothing was reported about yet. */
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

  it("of the points before the installation, and of those that SGP.22 does not number, reports nothing that /v3 shows", async () => {
    const iccid = fresh()
    for (const notificationPointId of [1, 2, 3, 5, 6, 99]) {
      expect(await take(notification(iccid, { notificationPointId }))).toEqual(done)
    }
    expect((await info(iccid)).history).toEqual([])
  })

  it("is mapped by the operator's changes to the table, and otherwise by the table", async () => {
    const iccid = fresh()
    const options: DownloadProgress.Options = { states: { "3": "BPP Installation", "5": "Delete", "101": "Enable" } }
    for (const notificationPointId of [3, 4, 101, 5]) await take(notification(iccid, { notificationPointId }), options)
    expect((await info(iccid)).history.map(({ state }) => state).sort()).toEqual([
      "BPP Installation",
      "BPP Installation",
      "Delete",
      "Enable"
    ])
    await take(notification(iccid), { states: { "4": null } })
    expect((await info(iccid)).history).toHaveLength(4)
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
      { timestamp: "2026-13-01T12:00:00" },
      { notificationPointId: "four" },
      { notificationPointId: undefined },
      { notificationPointStatus: undefined },
      { notificationPointStatus: "Executed-Success" }
    ]) {
      expect((await take(notification(iccid, changes))).status).toBe(400)
    }
    expect((await take(null)).status).toBe(400)
  })

  it("may write its time without a zone, which is that of the settings, also where clocks are put back", async () => {
    const iccid = fresh()
    const options = { timeZone: "Europe/Paris" }
    const at = async (timestamp: string) => {
      await take(notification(iccid, { timestamp }), options)
      return (await info(iccid)).history.at(-1)?.modifiedAt
    }
    expect(await at("2025-07-01T14:00:00")).toBe(Date.UTC(2025, 6, 1, 12))
    expect(await at("2025-10-26T02:30:00")).toBe(Date.UTC(2025, 9, 26, 0, 30))
    expect(await at("2026-01-31T12:30:00.5")).toBe(Date.UTC(2026, 0, 31, 11, 30, 0, 500))
    expect(await at("2026-01-31T11:45:00Z")).toBe(Date.UTC(2026, 0, 31, 11, 45))
    expect(await at("2026-01-31T13:00:00+01:00")).toBe(Date.UTC(2026, 0, 31, 12))
  })

  it("may write its time without a zone, which is UTC, or in other forms of ISO 8601", async () => {
    const times = [
      "2026-01-31T12:00:00",
      "2026-01-31 12:00:00",
      "2026-01-31T12:00",
      "2026-01-31T12:00:00.000000",
      "2026-01-31T13:00:00+0100",
      "2026-01-31T13:00:00+01"
    ]
    for (const timestamp of times) {
      const iccid = fresh()
      expect(await take(notification(iccid, { timestamp }))).toEqual(done)
      expect((await info(iccid)).current?.modifiedAt, timestamp).toBe(Date.UTC(2026, 0, 31, 12))
    }
  })

  it("that cannot be stored is answered 503, so that it comes again", async () => {
    const failing = Effect.provideService(DownloadProgress.make(), Reports.Reports, {
      take: () => Effect.fail(new Storage.StorageError({ message: "down" }))
    })
    const taken = Effect.flatMap(failing, (progress) => progress.take(notification(fresh())))
    expect(await Effect.runPromise(taken)).toEqual({ status: 503, message: "The storage is not available" })
  })
})

/** `HandleNotification` of version 3: an event in place of the point. */
const event = (iccid: string, notificationEvent: unknown, changes: Record<string, unknown> = {}) => {
  const { notificationPointId: _, notificationPointStatus: notificationEventStatus, ...common } = notification(iccid)
  return {
    ...common,
    notificationEvent,
    notificationEventStatus,
    notificationReceiverIdentifier: "mno",
    notificationIdentifier: "1",
    ...changes
  }
}

describe("A notification of version 3 (handleNotification)", () => {
  it("has its event by number, which is that of the point in version 2, and counts once beside one of version 2", async () => {
    const iccid = fresh()
    expect(await take(event(iccid, 4))).toEqual(done)
    await take(event(iccid, "4"))
    await take(notification(iccid))
    const { current, history } = await info(iccid)
    expect(current?.state).toBe("BPP Installation")
    expect(history).toHaveLength(1)
  })

  it("may name its event, of which enabling, disabling and deletion are states too", async () => {
    const named = {
      "BPP installation": "BPP Installation",
      notificationInstall: "BPP Installation",
      Enable: "Enable",
      notificationLocalDisable: "Disable",
      "Profile Deletion": "Delete"
    }
    const iccid = fresh()
    for (const name of Object.keys(named)) expect(await take(event(iccid, name))).toEqual(done)
    expect((await info(iccid)).history.map(({ state }) => state).sort()).toEqual(Object.values(named).sort())
  })

  it("of an event that is no state reports nothing, unless the operator's table has it", async () => {
    const iccid = fresh()
    for (const name of ["Device Change Request", 5, "BPP download"])
      expect(await take(event(iccid, name))).toEqual(done)
    expect((await info(iccid)).history).toEqual([])
    const options: DownloadProgress.Options = { states: { "BPP Download": "BPP Installation" } }
    await take(event(iccid, "BPP download"), options)
    expect((await info(iccid)).current?.state).toBe("BPP Installation")
  })

  it("that failed stays in the history with its codes; one without an event or a status is answered 400", async () => {
    const iccid = fresh()
    const statusCodeData = { subjectCode: "8.10", reasonCode: "4.2", message: "no memory" }
    await take(event(iccid, 4, { notificationEventStatus: { status: "Failed", statusCodeData } }))
    const { current, history } = await info(iccid)
    expect([current, history.map(({ modificationResult }) => modificationResult)]).toEqual([
      null,
      ["Failed 8.10/4.2: no memory"]
    ])
    for (const changes of [{ notificationEvent: undefined }, { notificationEventStatus: undefined }, { iccid: "1" }]) {
      expect((await take(event(iccid, 4, changes))).status).toBe(400)
    }
    const refused = [{ iccid: "1" }, { timestamp: "yesterday" }].map(async (changes) => take(event(iccid, 4, changes)))
    expect((await Promise.all(refused)).map(({ message }) => message?.replace(/\s+/g, " "))).toEqual([
      'is no ICCID at ["iccid"]',
      'is no date and time at ["timestamp"]'
    ])
  })
})
