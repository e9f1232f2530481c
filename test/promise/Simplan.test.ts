/**
 * The service with Promises: its groups of methods, over the storage in memory and a virtual clock.
 */
import { Effect, Layer } from "effect"
import { runInNewContext } from "node:vm"
import * as Memory from "simplan/memory"
import { Jobs, Storage } from "simplan/ports"
import { TelcoRefused, createSimplan, type Options, type Simplan, type Telco } from "simplan/promise"
import { afterEach, describe, expect, it, vi } from "vitest"
import { make, plan, selling, stocked, telco } from "./World.ts"

const start = new Date("2026-01-31T12:00:00Z")

let simplan: Simplan

const open = (options: Partial<Options> = {}): Simplan => {
  simplan = make({ clock: { start }, ...options })
  return simplan
}

afterEach(() => simplan.close())

describe("subscriptions", () => {
  it("put a SIM into service and follow its use", async () => {
    const { organizationId, planId } = await selling(open())
    const created = await simplan.subscriptions.create({ organizationId, planId, metadata: "first" })
    expect(created).toMatchObject({ organizationId, metadata: "first", createdAt: start, activationAt: null })
    const { iccid } = created.sim
    expect(await simplan.clock.advanceBy({ by: "1 hour" })).toEqual({ now: new Date("2026-01-31T13:00:00Z") })
    const report = { id: "r1", type: "usage", iccid, occurredAt: "2026-01-31T13:00:00Z", totalBytes: 5 } as const
    expect(await simplan.reports.take({ reports: [report, report] })).toEqual({
      accepted: 1,
      duplicates: 1,
      rejected: []
    })
    const attachments = await simplan.attachments.list({ organizationId, iccid }).toArray()
    expect(attachments).toMatchObject([{ state: "ACTIVE", usedBytes: 5, terms: { recurrence: null } }])
    expect(attachments[0]?.activationAt).toEqual(new Date("2026-01-31T13:00:00Z"))
    const seen: Array<string> = []
    for await (const { metadata } of simplan.subscriptions.list({ organizationId })) seen.push(metadata)
    expect(seen).toEqual(["first"])
    expect(await simplan.subscriptions.get({ organizationId, iccid })).toMatchObject({ sim: { iccid } })
    expect(await simplan.subscriptions.lastOperator({ organizationId, iccid })).toBeNull()
    await simplan.subscriptions.pause({ organizationId, iccid })
    const pausedAt = new Date("2026-01-31T13:00:00Z")
    expect(await simplan.subscriptions.get({ organizationId, iccid })).toMatchObject({ pausedAt })
    const paused = { state: "ACTIVE", reason: { code: "paused", at: pausedAt } }
    expect(await simplan.attachments.list({ organizationId, iccid }).toArray()).toMatchObject([paused])
    const listed = (status: "active" | "paused") => simplan.subscriptions.list({ organizationId, status }).toArray()
    expect([await listed("active"), await listed("paused")]).toMatchObject([[], [{ sim: { iccid } }]])
    await simplan.subscriptions.resume({ organizationId, iccid })
    expect([await listed("active"), await listed("paused")]).toMatchObject([[{ sim: { iccid } }], []])
    const whats: Array<string> = []
    for await (const { what } of simplan.subscriptions.history({ organizationId, iccid })) whats.push(what)
    expect(whats.filter((what) => what.startsWith("subscription."))).toEqual(
      expect.arrayContaining(["subscription.resume", "subscription.pause", "subscription.create"])
    )
    expect(await simplan.subscriptions.get({ organizationId, iccid })).toMatchObject({ pausedAt: null })
    const { attachmentId } = created
    const used = { organizationId, from: "2026-01-31", to: "2026-01-31" }
    const byAll = simplan.usage.ofSim({ ...used, iccid, by: ["attachment", "day", "country"] })
    expect(await byAll.toArray()).toEqual([{ day: "2026-01-31", countryIso2: null, attachmentId, usedBytes: 5 }])
    expect(await simplan.usage.ofSim({ ...used, iccid }).toArray()).toEqual([{ day: "2026-01-31", usedBytes: 5 }])
    expect(await simplan.usage.ofOrganization({ ...used, by: "sim" }).toArray()).toEqual([{ iccid, usedBytes: 5 }])
    expect(await simplan.usage.ofOrganization(used).toArray()).toEqual([{ day: "2026-01-31", usedBytes: 5 }])
    const byCountry = simplan.usage.ofOrganization({ organizationId, to: "2026-01-31", by: "country" })
    expect(await byCountry.toArray()).toEqual([{ countryIso2: null, usedBytes: 5 }])
    const byAllGroups = simplan.usage.ofOrganization({ ...used, by: ["country", "plan", "label", "month"] })
    expect(await byAllGroups.toArray()).toEqual([
      { month: "2026-01", countryIso2: null, planId, label: "Green", usedBytes: 5 }
    ])
    const groups = "must be one of day, month, country, plan, label, sim"
    const list = "must be sim, or a list of day or month, country, plan, label"
    for (const [by, message] of [
      [["day", "month"], list],
      [["sim", "day"], list],
      [[], list],
      [["week"], groups],
      ["week", groups],
      [5, "by must be day or month"]
    ]) {
      // @ts-expect-error: not all are groups
      const read = async () => simplan.usage.ofOrganization({ ...used, by }).toArray()
      await expect(read()).rejects.toMatchObject({
        name: "InvalidFieldError",
        message: expect.stringContaining(String(message))
      })
    }
    await expect(simplan.usage.ofOrganization({ ...used, from: "2026-02-01" }).toArray()).rejects.toMatchObject({
      name: "InvalidFieldError"
    })
    await expect(simplan.usage.ofSim({ ...used, iccid: "77" }).toArray()).rejects.toMatchObject({
      name: "NotFoundError"
    })
    await simplan.attachments.suspend({ organizationId, iccid, attachmentId })
    expect(await simplan.attachments.get({ organizationId, iccid, id: planId })).toMatchObject({ state: "SUSPENDED" })
  })

  it("move to another eSIM, with what is left of their plans (S8)", async () => {
    const { organizationId } = await stocked(open())
    const { planId } = await plan(simplan, organizationId)
    const { attachmentId, sim } = await simplan.subscriptions.create({ organizationId, planId, metadata: "first" })
    const { iccid } = sim
    const report = { id: "r1", type: "usage", iccid, occurredAt: start, totalBytes: 5 } as const
    await simplan.reports.take({ reports: [report] })
    const foreseen = await simplan.subscriptions.previewReplace({ organizationId, iccid })
    expect(foreseen).toMatchObject({
      packages: [{ packageId: `${attachmentId}:0:1` }],
      cancelledPackages: [{ packageId: `${attachmentId}:0` }]
    })
    const moved = await simplan.subscriptions.replace({ organizationId, iccid })
    expect(moved).toEqual({ ...foreseen.replaced, replacedIccid: iccid })
    expect((await simplan.attachments.list({ organizationId, iccid: moved.sim.iccid }).toArray())[0]).toMatchObject({
      attachmentId,
      usedBytes: 5
    })
    await expect(simplan.subscriptions.replace({ organizationId, iccid })).rejects.toMatchObject({
      name: "NotFoundError"
    })
  })

  it("are on SIMs with tags, by which both are listed (I14)", async () => {
    const { organizationId, planId } = await selling(open())
    const [first, second] = await simplan.sims.list({ organizationId }).toArray()
    expect(first?.tags).toEqual([])
    const of = { organizationId, iccid: first?.iccid ?? "" }
    const preview = await simplan.sims.previewUpdate({ ...of, tags: ["VIP"] })
    expect(preview).toMatchObject({ sim: { tags: ["VIP"] }, changed: ["tags"] })
    expect((await simplan.sims.update({ ...of, tags: ["VIP", "airport"] })).tags).toEqual(["airport", "VIP"])
    await expect(simplan.sims.update({ ...of, tags: ["a", "A"] })).rejects.toMatchObject({ field: "tags" })
    const rows = [
      { iccid: second?.iccid ?? "", tags: ["x"] },
      { iccid: of.iccid, tags: ["a;b"] }
    ]
    expect(await simplan.sims.updateMany({ organizationId, rows }).toArray()).toMatchObject([
      { result: "corrected" },
      { result: "refused", refusal: { code: "invalid_field" } }
    ])
    await simplan.subscriptions.create({ organizationId, planId, iccid: of.iccid })
    const tag = "vip"
    expect(await simplan.sims.list({ organizationId, tag }).toArray()).toMatchObject([{ iccid: of.iccid }])
    expect(await simplan.subscriptions.list({ organizationId, tag }).toArray()).toMatchObject([
      { sim: { iccid: of.iccid } }
    ])
    expect(await simplan.bulk.list({ organizationId, tag: "X" }).toArray()).toEqual([])
    expect((await simplan.sims.update({ ...of, tags: [] })).tags).toEqual([])
  })

  it("are given no SIM that is withdrawn, until it is available again (I9)", async () => {
    const { organizationId, planId } = await selling(open())
    const [first] = await simplan.sims.list({ organizationId }).toArray()
    const iccid = first?.iccid ?? ""
    const of = { organizationId, iccid }
    const withdrawn = await simplan.sims.update({ ...of, status: "withdrawn", reason: "lost" })
    expect(withdrawn).toMatchObject({ iccid, status: "withdrawn", withdrawnReason: "lost", used: true })
    await expect(simplan.subscriptions.create({ organizationId, planId, iccid })).rejects.toMatchObject({
      name: "SimWithdrawnError",
      code: "sim_withdrawn"
    })
    const ifVersion = (first?.version ?? 0) + 1
    expect(withdrawn.version).toBe(ifVersion)
    const outdated = { ...of, status: "available", ifVersion: ifVersion - 1 } as const
    const error = { name: "ChangedMeanwhileError", version: ifVersion }
    await expect(simplan.sims.update(outdated)).rejects.toMatchObject(error)
    await expect(simplan.sims.previewUpdate(outdated)).rejects.toMatchObject(error)
    const updated = await simplan.sims.update(
      { ...of, status: "available", lpa: "LPA:1$smdp.example$NEW", ifVersion },
      { idempotencyKey: "k" }
    )
    expect(updated).toMatchObject({ status: "available", withdrawnReason: null, lpa: "LPA:1$smdp.example$NEW" })
    await simplan.subscriptions.create({ organizationId, planId, iccid })
    await expect(simplan.sims.update({ ...of, label: "Blue" })).rejects.toMatchObject({ name: "SimInUseError" })
  })

  it("are of SIMs that are corrected many at once (I9)", async () => {
    const { organizationId } = await stocked(open())
    const all = await simplan.sims.list({ organizationId }).toArray()
    const rows = [
      ...all.map(({ iccid }) => ({ iccid, label: "Blue" as const })),
      { iccid: "12", label: "Blue" as const }
    ]
    const tried = await simplan.sims.updateMany({ organizationId, rows, dryRun: true }).toArray()
    const done = await simplan.sims.updateMany({ organizationId, rows }).toArray()
    expect(done).toEqual(tried)
    expect(done.slice(0, -1).every(({ refusal, result }) => result === "corrected" && refusal === null)).toBe(true)
    expect(done.at(-1)).toMatchObject({ row: rows.length, result: "refused", refusal: { code: "invalid_field" } })
    const again = await simplan.sims.updateMany({ organizationId, rows: rows.slice(0, 1) }).toArray()
    expect(again).toMatchObject([{ row: 1, result: "unchanged" }])
    expect(await simplan.sims.list({ organizationId, label: "Blue" }).toArray()).toHaveLength(all.length)
    const options = { idempotencyKey: "rows-1" }
    const red = rows.map(({ iccid }) => ({ iccid, label: "Red" as const }))
    const once = await simplan.sims.updateMany({ organizationId, rows: red }, options).toArray()
    expect(once.map(({ result }) => result)).toEqual([...all.map(() => "corrected"), "refused"])
    expect(once.at(-1)).toEqual({ ...done.at(-1) })
    expect(await simplan.sims.updateMany({ organizationId, rows: red }, options).toArray()).toEqual(once)
    await expect(simplan.sims.updateMany({ organizationId, rows }, options).toArray()).rejects.toMatchObject({
      code: "idempotency_key_reused"
    })
    await expect(
      simplan.sims
        .updateMany({
          organizationId,
          rows: (function* () {
            throw new RangeError("mine")
          })()
        })
        .toArray()
    ).rejects.toThrow("mine")
  })

  it("act on all subscriptions or SIMs that a filter takes (W15)", async () => {
    const { organizationId, planId } = await selling(open())
    const sims = await simplan.sims.list({ organizationId }).toArray()
    const [first = "", second = "", free = ""] = sims.map(({ iccid }) => iccid)
    for (const iccid of [first, second]) {
      await simplan.subscriptions.create({ organizationId, planId, iccid, metadata: `order ${iccid}` })
    }
    const suspension = { organizationId, action: "suspend", planId, search: "order" } as const
    const counts = { matching: 2, changed: 2, unchanged: 0, refused: 0, hasMore: false, refusals: [] }
    const preview = await simplan.bulk.previewAct(suspension)
    expect(preview).toEqual({ ...counts, createdUntil: expect.any(Date) })
    const taken = await simplan.bulk
      .list({ organizationId, planId, createdUntil: preview.createdUntil })
      .page({ size: 1 })
    expect(taken).toEqual({
      items: [await simplan.subscriptions.get({ organizationId, iccid: first })],
      next: taken.next
    })
    const results = await simplan.bulk.act({ ...suspension, createdUntil: preview.createdUntil }).toArray()
    expect(results).toMatchObject([first, second].map((iccid) => ({ iccid, result: "changed", refusal: null })))
    expect(await simplan.bulk.list({ organizationId, planId }).toArray()).toEqual([])

    const withdrawal = { organizationId, action: "withdraw", reason: "broken", isEsim: true } as const
    const refusal = { code: "sim_in_use", message: expect.stringContaining(first) }
    expect(await simplan.bulk.previewActOnSims(withdrawal)).toMatchObject({
      ...{ matching: 3, changed: 1, refused: 2 },
      refusals: [{ iccid: first, result: "refused", refusal }, { iccid: second }]
    })
    const request = { actor: "user 7", reason: "recalled" }
    expect(await simplan.bulk.actOnSims(withdrawal, { request }).toArray()).toMatchObject([
      { iccid: first, result: "refused", refusal },
      { iccid: second },
      { iccid: free, result: "changed", refusal: null }
    ])
    const entries = await simplan.auditLog.list({ organizationId, action: "sim.withdraw" }).toArray()
    expect(entries).toMatchObject([{ iccid: free, ...request }])

    const wrong = [
      [() => simplan.bulk.act({ organizationId, action: "pause" }), "bulk.act: all must be true where"],
      [() => simplan.bulk.act({ organizationId, action: "pause", all: false }), "bulk.act: all must be true where"],
      [() => simplan.bulk.actOnSims({ ...withdrawal, action: "restore" }), "bulk.actOnSims: reason must be absent"],
      [
        () => simplan.bulk.actOnSims({ organizationId, action: "set_label", all: true }),
        "bulk.actOnSims: newLabel must say"
      ]
    ] as const
    for (const [call, message] of wrong) expect(call).toThrow(message)
    await expect(simplan.bulk.previewAct({ organizationId, action: "suspend", all: true })).rejects.toMatchObject({
      ...{ code: "invalid_field", field: "planId" },
      message: "bulk.previewAct: planId must say which plan is suspended"
    })
    await expect(
      simplan.bulk.act({ organizationId: "none", action: "pause", all: true }).toArray()
    ).rejects.toMatchObject({ code: "organization_not_found" })
  })

  it("take a period as Dates and as texts, and no metadata", async () => {
    const { organizationId, planId } = await selling(open())
    const activePeriod = { start: new Date("2026-02-01T00:00:00Z"), end: "2026-02-02T00:00:00+01:00" }
    const created = await simplan.subscriptions.create({ organizationId, planId, activePeriod })
    expect(created).toMatchObject({
      metadata: "",
      activationAt: new Date("2026-02-01T00:00:00Z"),
      expirationAt: new Date("2026-02-01T23:00:00Z")
    })
    await simplan.subscriptions.remove({ organizationId, iccid: created.sim.iccid })
    expect(await simplan.subscriptions.list({ organizationId }).toArray()).toEqual([])
  })

  it("take values of other realms, as those of Jest", async () => {
    const foreign = (text: string, of: object = {}) => runInNewContext(text, of)
    const { organizationId, planId } = await selling(
      open({ clock: { start: foreign(`new Date("${start.toISOString()}")`) } })
    )
    const activePeriod = foreign('({ start: new Date("2026-02-01T00:00:00Z"), end: new Date("2026-03-01T00:00:00Z") })')
    const order = { organizationId, planId, activePeriod }
    const { activationAt } = await simplan.subscriptions.create(order, { idempotencyKey: "once" })
    expect(activationAt).toEqual(new Date("2026-02-01T00:00:00Z"))
    // The fingerprint of a foreign date is that of its text.
    const texts = { start: "2026-02-01T00:00:00Z", end: "2026-03-01T00:00:00Z" }
    const again = await simplan.subscriptions.create({ ...order, activePeriod: texts }, { idempotencyKey: "once" })
    expect(again.activationAt).toEqual(activationAt)

    const rows = foreign('new Set([{ iccid: "8944500000000000014", label: "Green", isEsim: true }])')
    expect(await simplan.sims.import({ organizationId, rows })).toMatchObject({ imported: 1 })
    const listeners = new Set<() => void>()
    const signal = foreign("({ aborted: false, reason: undefined, addEventListener, removeEventListener })", {
      addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener)
    })
    expect(await simplan.plans.get({ organizationId, planId }, { signal })).toMatchObject({ planId })
    expect(listeners.size).toBe(0)
    const reason = foreign('Object.assign(new Error("enough"), { name: "AbortError" })')
    await expect(
      simplan.plans.get({ organizationId, planId }, { signal: { ...signal, aborted: true, reason } })
    ).rejects.toBe(reason)
    await expect(simplan.plans.get({ organizationId, planId }, { signal: foreign("({})") })).rejects.toThrow(
      /signal must be an AbortSignal/
    )
  })

  it("take an error of another realm for what it is", async () => {
    const failing = runInNewContext(
      'async () => { throw Object.assign(new Error("no route"), { code: "ECONNREFUSED" }) }'
    )
    const { organizationId, planId } = await selling(open({ telco: telco({ createPackage: failing }), logger: false }))
    await expect(simplan.subscriptions.create({ organizationId, planId })).rejects.toMatchObject({
      name: "TelcoUnavailableError",
      cause: { message: "no route" }
    })
  })

  it("leave jobs that wait for their telco, which can be tried at once (S6)", async () => {
    let isDown = true
    const cancelPackage = async () => {
      if (isDown) throw new Error("no route")
    }
    const { organizationId, planId } = await selling(open({ telco: telco({ cancelPackage }), logger: false }))
    const { sim } = await simplan.subscriptions.create({ organizationId, planId })
    await simplan.subscriptions.remove({ organizationId, iccid: sim.iccid })
    await simplan.clock.advanceBy({ by: "1 minute" })
    const waiting = () => simplan.waitingJobs.list({ organizationId, reason: "unavailable" }).toArray()
    const [job, ...others] = await waiting()
    expect(job).toMatchObject({
      kind: "CancelPackages",
      organizationName: "Acme",
      iccid: sim.iccid,
      reason: "unavailable"
    })
    expect(job?.since.getTime()).toBeGreaterThanOrEqual(start.getTime())
    expect(others).toEqual([])
    expect(await simplan.waitingJobs.list({ kind: "SendSms" }).toArray()).toEqual([])
    await expect(simplan.waitingJobs.retry({ jobId: "release:nobody" })).rejects.toMatchObject({
      code: "job_not_found"
    })
    isDown = false
    expect(await simplan.waitingJobs.retryAll({ kind: "CancelPackages" })).toEqual({
      retried: 1,
      hasMore: false,
      next: null
    })
    await simplan.drain()
    expect(await waiting()).toEqual([])
    expect(await simplan.sims.get({ organizationId, iccid: sim.iccid })).toMatchObject({ iccid: sim.iccid })
    const verdict = await simplan.sims.verdict({ organizationId, iccid: sim.iccid })
    expect(verdict.reason.message).toMatch(/^[A-Z].*\. [A-Z].*\.$/)
  })

  it("are previewed before they are created, suspended and removed (S9)", async () => {
    const { organizationId, planId } = await selling(open())
    const preview = await simplan.subscriptions.previewCreate({ organizationId, planId, metadata: "order" })
    expect(preview).toMatchObject({
      created: { metadata: "order", activationAt: null },
      packages: [{ activationAt: null, expirationAt: null }],
      nextPackageAt: null
    })
    expect(await simplan.subscriptions.list({ organizationId }).toArray()).toEqual([])
    const { attachmentId, sim } = await simplan.subscriptions.create({ organizationId, planId, metadata: "order" })
    expect(sim).toEqual(preview.created.sim)
    const of = { organizationId, iccid: sim.iccid }
    const packages = [{ packageId: `${attachmentId}:0`, activationAt: null, expirationAt: null }]
    expect(await simplan.attachments.previewSuspend({ ...of, attachmentId })).toEqual({ packages, endedOccurrences: 0 })
    expect(await simplan.subscriptions.previewRemove(of)).toEqual({
      refusedBy: null,
      isDownloaded: false,
      isActivated: false,
      isUsed: false,
      packages
    })
    const { now: pausedAt } = await simplan.clock.read()
    expect(await simplan.subscriptions.previewPause(of)).toEqual({ isChanged: true, pausedAt })
    expect(await simplan.subscriptions.previewResume(of)).toEqual({ isChanged: false, pausedAt: null })
    const correction = { ...of, lpa: "LPA:1$smdp.example$NEW", status: "available" } as const
    const updated = await simplan.sims.previewUpdate(correction)
    const before = await simplan.sims.get(of)
    const after = { ...before, lpa: correction.lpa, version: before.version + 1 }
    expect(updated).toEqual({ sim: after, changed: ["lpa"] })
    await expect(simplan.sims.previewUpdate({ ...of, label: "Blue" })).rejects.toMatchObject({ name: "SimInUseError" })
    expect(await simplan.subscriptions.get(of)).toMatchObject({ metadata: "order", pausedAt: null })
  })

  it("send SMS", async () => {
    const { organizationId, planId } = await selling(open())
    const { sim } = await simplan.subscriptions.create({ organizationId, planId })
    const sms = { organizationId, iccid: sim.iccid, from: "Acme", text: "Hello" }
    expect(await simplan.messages.send(sms)).toEqual({ segments: 1 })
  })

  it("pause where the telco can", async () => {
    const done = async () => undefined
    const telco: Telco = {
      createPackage: async ({ packageId }) => ({ telcoPackageId: packageId }),
      suspendPackage: done,
      cancelPackage: done,
      sendSms: done,
      releaseProfile: done,
      setMobilePlan: done
    }
    const asked: Array<boolean> = []
    const setService: Telco["setService"] = async ({ active }) => void asked.push(active)
    for (const able of [telco, { ...telco, setService }]) {
      const { organizationId, planId } = await selling(open({ telco: able }))
      const { sim } = await simplan.subscriptions.create({ organizationId, planId })
      const of = { organizationId, iccid: sim.iccid }
      await simplan.subscriptions.resume(of)
      if (able === telco) {
        const error = { name: "NotSupportedError", code: "not_supported" }
        await expect(simplan.subscriptions.pause(of)).rejects.toMatchObject(error)
        expect((await simplan.subscriptions.get(of)).pausedAt).toBeNull()
        await simplan.close()
      } else {
        await simplan.subscriptions.pause(of)
        await simplan.drain()
        await simplan.subscriptions.resume(of)
        await simplan.drain()
      }
    }
    expect(asked).toEqual([false, true])
  })

  it("return the segments of an SMS as the telco counts them, else by the standard", async () => {
    const answers: Array<unknown> = [{ segments: 3 }, { segments: 0 }, { segments: "3" }, null, undefined]
    const { organizationId, planId } = await selling(open({ telco: telco({ sendSms: async () => answers.shift() }) }))
    const { sim } = await simplan.subscriptions.create({ organizationId, planId })
    const sms = { organizationId, iccid: sim.iccid, from: "Acme", text: "Hello" }
    const segments: Array<number> = []
    while (answers.length > 0) segments.push((await simplan.messages.send(sms)).segments)
    expect(segments).toEqual([3, 1, 1, 1, 1])
  })
})

describe("lists", () => {
  it("are read in pages", async () => {
    const { organizationId } = await stocked(open())
    const list = simplan.sims.list({ organizationId, isEsim: true })
    const first = await list.page({ size: 2 })
    expect(first.items).toHaveLength(2)
    const second = await list.page({ size: 2, after: first.next })
    expect(second).toMatchObject({ items: [{ importSequence: 3 }], next: null })
    expect((await list.toArray()).map(({ importSequence }) => importSequence)).toEqual([1, 2, 3])
    await expect(list.page({ after: "nonsense" })).rejects.toMatchObject({ field: "after", code: "invalid_field" })
    await expect(list.page({ size: 101 })).rejects.toThrow("size must be an integer of at least 1 and at most 100")
  })

  it("are listed by every group that has one", async () => {
    const { organizationId } = await stocked(open())
    await plan(simplan, organizationId)
    expect(await simplan.organizations.list().toArray()).toMatchObject([{ name: "Acme" }])
    expect(await simplan.plans.list({ organizationId, label: "Green", countries: ["fr"] }).toArray()).toHaveLength(1)
    expect(await simplan.plans.list({ organizationId, archived: true }).toArray()).toEqual([])
    expect(await simplan.problems.list().toArray()).toEqual([])
    for (const act of [simplan.problems.retry, simplan.problems.resolve]) {
      await expect(act({ problemId: "release:nobody" })).rejects.toMatchObject({ code: "problem_not_found" })
    }
    expect(await simplan.webhooks.deliveries({ organizationId }).toArray()).toEqual([])
    const [operator] = await simplan.operators.list({ organizationId, country: "fr" }).toArray()
    expect(operator?.country.iso2).toBe("FR")
    const entries = await simplan.auditLog.list({ organizationId, action: "plan.create" }).toArray()
    expect(entries).toMatchObject([{ actor: "host", createdAt: start, reason: null }])
  })

  it("have with each audit entry who asked the host, and why", async () => {
    const { organizationId } = await stocked(open())
    const request = { actor: "user 7", reason: "sold by mistake" }
    await simplan.apiKeys.create({ organizationId, name: "web" }, { request })
    const entries = await simplan.auditLog.list({ organizationId, actor: "user 7" }).toArray()
    expect(entries).toMatchObject([{ action: "api_key.create", ...request }])
  })
})

describe("the other groups", () => {
  it("keep API keys", async () => {
    const { organizationId } = await simplanWithOrganization()
    const made = await simplan.apiKeys.create({ organizationId, name: "web", expiresAt: "2027-01-01T00:00:00Z" })
    expect(made).toMatchObject({ scope: "full", expiresAt: new Date("2027-01-01T00:00:00Z") })
    expect(await simplan.apiKeys.authenticate({ key: made.key })).toMatchObject({ apiKeyId: made.apiKeyId })
    expect(made).toMatchObject({ lastUsedAt: null, previousKeyUntil: null })
    const { apiKeyId } = made
    const overlapping = await simplan.apiKeys.rotate({ organizationId, apiKeyId, overlapHours: 24 })
    expect(overlapping).toMatchObject({
      previousKeyUntil: new Date(start.getTime() + 24 * 3_600_000),
      lastUsedAt: start
    })
    for (const { key } of [made, overlapping])
      expect(await simplan.apiKeys.authenticate({ key })).toMatchObject({ apiKeyId })
    await expect(simplan.apiKeys.rotate({ organizationId, apiKeyId, overlapHours: 721 })).rejects.toMatchObject({
      name: "InvalidFieldError",
      field: "overlapHours"
    })
    const rotated = await simplan.apiKeys.rotate({ organizationId, apiKeyId })
    await expect(simplan.apiKeys.authenticate({ key: made.key })).rejects.toMatchObject({ name: "KeyRefusedError" })
    expect((await simplan.apiKeys.authenticate({ key: rotated.key })).name).toBe("web")
    expect(await simplan.apiKeys.revoke({ organizationId, apiKeyId })).toMatchObject({ revokedAt: start })
    expect(await simplan.apiKeys.list({ organizationId }).toArray()).toHaveLength(1)
  })

  it("keep operators of the service", async () => {
    const { organizationId } = await simplanWithOrganization()
    const expiresAt = new Date("2027-01-01T00:00:00Z")
    const made = await simplan.serviceOperators.create({ name: "Ada", role: "support", organizationId, expiresAt })
    expect(made).toMatchObject({ name: "Ada", role: "support", organizationId, expiresAt, previousTokenUntil: null })
    const { operatorId } = made
    await expect(simplan.serviceOperators.create({ name: "Ada", role: "read" })).rejects.toMatchObject({
      name: "OperatorNameTakenError",
      code: "operator_name_taken",
      field: "name"
    })
    const rotated = await simplan.serviceOperators.rotate({ operatorId })
    for (const { token } of [made, rotated]) {
      expect(await simplan.serviceOperators.authenticate({ token })).toMatchObject({ operatorId })
    }
    const next = await simplan.serviceOperators.create({ name: "Bob", role: "admin" })
    expect(next).toMatchObject({ organizationId: null, expiresAt: null })
    expect(await simplan.serviceOperators.remove({ operatorId })).toMatchObject({ deletedAt: start })
    await expect(simplan.serviceOperators.authenticate({ token: made.token })).rejects.toMatchObject({
      name: "KeyRefusedError"
    })
    expect((await simplan.serviceOperators.list().toArray()).map(({ name }) => name)).toEqual(["Ada", "Bob"])
  })

  it("read what operators see first, of the service or of an organization", async () => {
    const { organizationId } = await simplanWithOrganization()
    await simplan.sims.setStockLevels({ organizationId, levels: [{ label: "Green", level: 3 }] })
    const whole = await simplan.overview.read()
    expect(whole.now).toEqual((await simplan.clock.read()).now)
    expect(whole.telcos).toMatchObject([{ name: null, answers: true, since: null, waitingJobs: 0 }])
    expect(whole.stock).toMatchObject([
      { organizationId, organizationName: "Acme", label: "Green", free: 0, level: 3, isLow: true, daysLeft: null }
    ])
    expect(whole.service).toMatchObject({ dueJobs: 0, problems: 0, database: { takesWrites: true } })
    expect(whole.service?.rates.spanSeconds).toBe(300)
    const own = await simplan.overview.read({ organizationId })
    expect(own.stock).toEqual(whole.stock)
    expect(own.service).toBeNull()
    expect(await simplan.waitingJobs.retryAll()).toEqual({ retried: 0, hasMore: false, next: null })
    await expect(simplan.overview.read({ organizationId: "0197-none" })).rejects.toThrow("no organization")
  })

  it("keep webhook endpoints, and send by a function of the host's own", async () => {
    const sent: Array<{ readonly url: string; readonly body: string }> = []
    open({
      webhooks: {
        send: async ({ body, headers, url }) => {
          expect(headers["x-service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
          sent.push({ url, body })
          return { status: 204 }
        }
      }
    })
    const { organizationId } = await simplan.organizations.create({ name: "Acme" })
    const made = await simplan.webhooks.create({ organizationId, url: "https://host.example/hook" })
    expect(made.signingKey).toMatch(/^whsec_/)
    const { webhookEndpointId } = made
    await simplan.webhooks.test({ organizationId, webhookEndpointId })
    expect((await simplan.drain()).finished).toBe(true)
    expect(sent).toMatchObject([{ url: "https://host.example/hook" }])
    const [delivery] = await simplan.webhooks.deliveries({ organizationId, status: "delivered" }).toArray()
    expect(delivery).toMatchObject({ attempts: 1, event: { type: "endpoint.test" } })
    const deliveryId = delivery?.deliveryId ?? ""
    expect(await simplan.webhooks.replay({ organizationId, deliveryId })).toMatchObject({ deliveryId })
    await simplan.drain()
    expect((await simplan.webhooks.delivery({ organizationId, deliveryId })).attemptLog).toHaveLength(2)
    expect(await simplan.webhooks.replayAll({ organizationId })).toEqual({ replayed: 1, hasMore: false, next: null })
    const { version } = made
    const changed = await simplan.webhooks.update({
      organizationId,
      webhookEndpointId,
      enabled: false,
      ifVersion: version
    })
    expect(changed.version).toBe(version + 1)
    await expect(
      simplan.webhooks.update({ organizationId, webhookEndpointId, enabled: true, ifVersion: version })
    ).rejects.toMatchObject({
      name: "ChangedMeanwhileError",
      code: "changed_meanwhile",
      status: 412,
      version: version + 1
    })
    expect(changed).toMatchObject({ enabled: false, disabledReason: "organization", disabledAt: start })
    expect((await simplan.webhooks.rotateKey({ organizationId, webhookEndpointId })).signingKey).not.toBe(
      made.signingKey
    )
    await simplan.webhooks.remove({ organizationId, webhookEndpointId })
    expect(await simplan.webhooks.list({ organizationId }).toArray()).toEqual([])
  })

  it("refuse URLs that webhooks may not go to", async () => {
    const { organizationId } = await simplanWithOrganization()
    const local = simplan.webhooks.create({ organizationId, url: "http://localhost/" })
    await expect(local).rejects.toMatchObject({ field: "url" })
    await simplan.close()
    open({ webhooks: false })
    const { organizationId: other } = await simplan.organizations.create({ name: "Acme" })
    const any = simplan.webhooks.create({ organizationId: other, url: "https://host.example/" })
    await expect(any).rejects.toThrow("webhooks: false")
  })

  it("keep regions, the catalogue and the mobile plan", async () => {
    const { organizationId } = await stocked(open())
    const region = await simplan.coverage.createRegion({
      organizationId,
      regionName: "Alps",
      label: "Green",
      iso2List: ["fr", "CH", "it"]
    })
    expect(region).toMatchObject({ iso2List: ["FR", "CH", "IT"], createdAt: start })
    const { coverageId } = region
    expect((await simplan.coverage.get({ organizationId, coverageId })).countries).toHaveLength(3)
    const applied = await simplan.wallet.setMobilePlan({ organizationId, apply: true, label: "Green" })
    expect(applied).toMatchObject({ applied: true })
    const current = await simplan.catalogues.current()
    const { operators, profiles } = current
    expect(current.version).toBe(0)
    const [operator] = operators
    const own = operators.filter(({ countryIso2 }) => countryIso2 === operator?.countryIso2)
    const preview = await simplan.catalogues.previewReplace({ operators: own, profiles: [] }, { ifVersion: 0 })
    expect((await simplan.catalogues.current()).version).toBe(0)
    await simplan.catalogues.replace({ operators: own, profiles: [] }, { ifVersion: 0 })
    expect(await simplan.catalogues.current()).toEqual(preview)
    await expect(simplan.catalogues.previewReplace(current, { ifVersion: 0 })).rejects.toMatchObject({ version: 1 })
    await expect(simplan.catalogues.replace(current, { ifVersion: 0 })).rejects.toMatchObject({ version: 1 })
    expect((await simplan.catalogues.current()).version).toBe(1)
    await expect(simplan.catalogues.replace(current, { ifVersion: -1 })).rejects.toMatchObject({ field: "ifVersion" })
    expect(profiles.length).toBeGreaterThan(100)
    expect((await simplan.catalogues.current()).operators).toHaveLength(own.length)
    const wrong = simplan.catalogues.replace({ operators: [{ ...own[0], mccMnc: ["x"] }] as never, profiles: [] })
    await expect(wrong).rejects.toMatchObject({ field: "operators[0].mccMnc[0]" })
  })

  it("import what the telco knows a SIM by, also of one that is there (I7)", async () => {
    const { organizationId } = await simplanWithOrganization()
    const row = { iccid: "8999900000000010000", label: "Green", isEsim: false }
    const known = { ...row, imsi: "240080000000005", msisdn: "+46700000005", subscriberId: "45046" }
    await simplan.sims.import({ organizationId, rows: [row] })
    expect(await simplan.sims.import({ organizationId, rows: [known] })).toMatchObject({ updated: 1, duplicates: 0 })
    const expected = { imsi: "240080000000005", msisdn: "46700000005", subscriberId: "45046" }
    expect(await simplan.sims.get({ organizationId, iccid: row.iccid })).toMatchObject(expected)
    const wrong = await simplan.sims.import({ organizationId, rows: [{ ...row, imsi: 5 } as never] })
    expect(wrong).toMatchObject({ errors: [{ row: 1, message: "imsi must be a string" }] })
  })

  it("are found in all organizations, or in one, by what a customer names (L4)", async () => {
    const { organizationId } = await stocked(open())
    const [first] = await simplan.sims.list({ organizationId }).toArray()
    const { iccid = "", label } = first ?? {}
    const identities = { isEsim: true, msisdn: "46701234567" }
    await simplan.sims.import({ organizationId, rows: [{ iccid, label: "Green", ...identities }] })
    const { organizationId: other } = await simplan.organizations.create({ name: "Other" })
    const standing = { status: "free", isPaused: false, planName: null, metadata: null }
    const hit = { organizationId, iccid, label, subscriptionId: null, matched: "phoneNumber", ...standing }
    for (const of of [{}, { organizationId }]) {
      const found = await simplan.sims.search({ text: "+46 70 123 45 67", ...of })
      expect(found).toMatchObject({ hits: [hit], hasMore: false })
    }
    for (const of of [{ text: iccid, organizationId: other }, { text: " " }]) {
      expect(await simplan.sims.search(of)).toEqual({ hits: [], hasMore: false })
    }
  })

  it("say what an import would come to, and write nothing (S9)", async () => {
    const simplan = open()
    const { organizationId } = await stocked(simplan)
    const [stored] = await simplan.sims.list({ organizationId }).toArray()
    const rows = [
      { iccid: "8933010000000999999", label: "Green", isEsim: false },
      { iccid: stored?.iccid ?? "", label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$OTHER" },
      { iccid: "x", label: "Green", isEsim: true }
    ] as const
    const foreseen = await simplan.sims.previewImport({ organizationId, rows })
    expect(foreseen).toMatchObject({ imported: 1, duplicates: 1, differingCount: 1, errorCount: 1 })
    expect(JSON.stringify(foreseen)).not.toContain("$OTHER")
    await expect(simplan.sims.get({ organizationId, iccid: rows[0].iccid })).rejects.toMatchObject({ resource: "sim" })
    expect(await simplan.sims.import({ organizationId, rows })).toEqual(foreseen)
  })

  it("say how an eSIM is installed, and that a SIM without an activation code is not (I10)", async () => {
    const { organizationId } = await stocked(open())
    const [first] = await simplan.sims.list({ organizationId }).toArray()
    const of = { organizationId, iccid: first?.iccid ?? "" }
    const { appleLink, androidLink, lpa, qrCode } = await simplan.sims.installation(of)
    expect(lpa).toBe(first?.lpa)
    for (const link of [appleLink, androidLink]) expect(new URL(link).searchParams.get("carddata")).toBe(lpa)
    expect(qrCode).toMatch(/^<svg/)
    const physical = { iccid: "8933010000000999999", label: "Green", isEsim: false }
    await simplan.sims.import({ organizationId, rows: [physical] })
    await expect(simplan.sims.installation({ organizationId, iccid: physical.iccid })).rejects.toMatchObject({
      code: "activation_code_not_found",
      resource: "activation code"
    })
  })

  it("are counted by label, and have levels", async () => {
    const { organizationId } = await stocked(open())
    const levels = [{ label: "Green", level: 3 }] as const
    expect(await simplan.sims.setStockLevels({ organizationId, levels })).toEqual(levels)
    const [green] = await simplan.sims.stock({ organizationId })
    expect(green).toMatchObject({ label: "Green", esims: { inUse: 0, releasing: 0 }, level: 3 })
    const wrong = simplan.sims.setStockLevels({ organizationId, levels: [{ label: "Green", level: 0 }] })
    await expect(wrong).rejects.toMatchObject({ code: "invalid_field" })
  })

  it("import from any iterable, and fail with what it throws", async () => {
    const { organizationId } = await simplanWithOrganization()
    const row = { iccid: "8999900000000010000", label: "Green", isEsim: false }
    const twice = await simplan.sims.import({ organizationId, rows: [row, { ...row, size: 1 } as typeof row] })
    expect(twice).toMatchObject({ imported: 1, errors: [{ row: 2, message: "size is not known" }] })
    const torn = new Error("torn")
    async function* breaking() {
      yield row
      throw torn
    }
    function* breakingNow() {
      yield row
      throw torn
    }
    await expect(simplan.sims.import({ organizationId, rows: breaking() })).rejects.toBe(torn)
    await expect(simplan.sims.import({ organizationId, rows: breakingNow() })).rejects.toBe(torn)
  })

  const simplanWithOrganization = () => open().organizations.create({ name: "Acme" })
})

describe("the clock", () => {
  it("is the machine's unless set otherwise, and cannot be moved then", async () => {
    const own = make()
    simplan = own
    expect((await own.clock.read()).virtual).toBe(false)
    await expect(own.clock.advanceBy({ by: 1 })).rejects.toMatchObject({ code: "clock_is_system", status: 409 })
  })

  it("does not go back", async () => {
    open()
    const back = simplan.clock.advanceTo({ to: "2026-01-31T11:00:00Z" })
    await expect(back).rejects.toThrow("clock.advanceTo: to must not be before now, 2026-01-31T12:00:00.000Z")
  })
})

describe("a start", () => {
  it("that fails is reported by the call that waits for it, and tried again at the next", async () => {
    let attempts = 0
    const storage = Layer.unwrap(
      Effect.suspend(() => {
        attempts += 1
        return attempts > 2
          ? Effect.succeed(Memory.layer)
          : Effect.fail(new Storage.StorageError({ message: `The disk is full, ${attempts}` }))
      })
    )
    open({ database: { storage } })
    await expect(simplan.ready()).rejects.toMatchObject({
      name: "StorageUnavailableError",
      code: "storage_unavailable",
      message: "The disk is full, 1"
    })
    await expect(simplan.organizations.list().toArray()).rejects.toMatchObject({ message: "The disk is full, 2" })
    expect(await simplan.organizations.list().toArray()).toEqual([])
    await simplan.ready()
    expect(attempts).toBe(3)
  })

  it("that fails while no call waits for it is logged", async () => {
    const error = vi.fn()
    const silent = () => undefined
    const logger = { debug: silent, info: silent, warn: silent, error }
    const database = { storage: Layer.effectDiscard(Effect.fail(new Storage.StorageError({ message: "No disk" }))) }
    createSimplan({ database, telco: "simulator", logger })
    await expect.poll(() => error).toHaveBeenCalledOnce()
    expect(error).toHaveBeenCalledWith("The service cannot start; the next call tries again", {
      err: expect.objectContaining({ message: "No disk" })
    })
    const logged = createSimplan({ database, telco: "simulator", logger })
    await expect(logged.ready()).rejects.toThrow("No disk")
    expect(error).toHaveBeenCalledOnce()
  })

  it("takes over at once what a killed process held, where it is alone", async () => {
    let released = 0
    const counting = Layer.effect(
      Jobs.Jobs,
      Effect.map(Jobs.Jobs, (jobs) => ({
        ...jobs,
        release: () =>
          Effect.sync(() => {
            released += 1
          })
      }))
    )
    const database = { storage: Layer.provideMerge(counting, Memory.layer) }
    const alone = open({ database, clock: "system", alone: true })
    await alone.ready()
    await alone.close()
    expect(released).toBeGreaterThan(0)
    released = 0
    await open({ database, clock: "system" }).ready()
    expect(released).toBe(0)
  })

  it("that needs what is not in a layer says so", async () => {
    open({ database: { storage: Layer.empty } })
    await expect(simplan.ready()).rejects.toMatchObject({ code: "internal_error" })
  })
})

describe("work", () => {
  it("is done on demand where no worker runs, and returns whether it was finished", async () => {
    let isSlow = false
    let answer: () => void = () => undefined
    open({
      worker: false,
      webhooks: {
        send: async () => {
          if (isSlow) {
            await new Promise<void>((resolve) => {
              answer = resolve
            })
          }
          return { status: 200 }
        }
      }
    })
    const { organizationId } = await simplan.organizations.create({ name: "Acme" })
    const { webhookEndpointId } = await simplan.webhooks.create({ organizationId, url: "https://host.example/hook" })
    await simplan.webhooks.test({ organizationId, webhookEndpointId })
    const pending = await simplan.webhooks.deliveries({ organizationId }).toArray()
    expect(pending).toMatchObject([{ status: "pending" }])
    expect(await simplan.drain({ within: "20 seconds" })).toEqual({ finished: true, nextDueAt: null })
    expect(await simplan.webhooks.deliveries({ organizationId }).toArray()).toMatchObject([{ status: "delivered" }])
    isSlow = true
    await simplan.webhooks.test({ organizationId, webhookEndpointId })
    expect(await simplan.drain({ within: 50 })).toEqual({ finished: false, nextDueAt: null })
    answer()
  })

  it("ends with close, and with it the lists that are being read", async () => {
    open()
    const { organizationId } = await stocked(simplan)
    const items = simplan.coverage.list({ organizationId })[Symbol.asyncIterator]()
    expect(await items.next()).toMatchObject({ done: false })
    await simplan.close()
    await expect(items.next()).rejects.toMatchObject({ name: "ClosedError", status: 503 })
  })

  it("ends with close, once, whoever asks how often", async () => {
    open()
    await simplan.ready()
    await Promise.all([simplan.close(), simplan.close(), simplan[Symbol.asyncDispose]()])
    await expect(simplan.clock.read()).rejects.toMatchObject({ name: "ClosedError", code: "not_ready" })
    expect(() => createSimplan({ database: "memory", telco: "simulator" })[Symbol.asyncDispose]()).not.toThrow()
  })
})

it("types what a host may send", () => {
  const id = { organizationId: "o" }
  const terms = { ...id, name: "n", coverageId: "c", dataMegaBytes: 1, periodDays: 1 }
  const wrong = (of: Simplan) => [
    // @ts-expect-error a field that is not known
    of.plans.create({ ...terms, colour: "red" }),
    // @ts-expect-error no periodicity
    of.plans.create({ ...terms, recurrence: { periodicity: "Yearly", frequency: 1, occurrences: 1 } }),
    // @ts-expect-error a number in place of a Date
    of.subscriptions.create({ ...id, planId: "p", activePeriod: { start: 0 } }),
    // @ts-expect-error a call that reads has no idempotency key
    of.plans.get({ ...id, planId: "p" }, { idempotencyKey: "k" }),
    // @ts-expect-error no unit of time
    of.clock.advanceBy({ by: "3 fortnights" })
  ]
  expect(wrong).toBeTypeOf("function")
})

it("TelcoRefused is an Error", () => {
  expect(new TelcoRefused("no")).toBeInstanceOf(Error)
})
