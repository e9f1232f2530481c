/**
 * Why a SIM works or does not, as the API says it (rule L5): the commonest complaints, each on a
 * SIM of its own. And what is refused for good is among the problems (rule S6).
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const { plan, planId, tenant } = await Inventory.stock(world, 1, 20)

const telco = <A, E>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, E, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

const isWell = () => telco((of) => of.clearFaults)

const now = async (): Promise<string> => (await world.admin("GET", "/clock")).body.data.now

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

let made = 0

const report = async (iccid: string, fields: object): Promise<void> => {
  made += 1
  const event = { id: `report-${made}`, iccid, occurred_at: await now(), ...fields }
  expect((await world.telco([event])).body).toMatchObject({ accepted: 1, rejected: [] })
}

/** A SIM in service, with a package of 1,000 MB that begins with its first use. */
const sold = async (of = planId, more: object = {}): Promise<string> => {
  const { body, status } = await tenant.post("/v3/subscription", { plan_id: of, metadata: "", ...more })
  expect(status).toBe(201)
  return body.esimdata.iccid
}

/** The same in both places, and as the organization's attachments say it. */
const judged = async (iccid: string) => {
  const { works, reason } = (await tenant.get(`/v3/sims/${iccid}`)).body.data
  const managed = await world.admin("GET", `/organizations/${tenant.organizationId}/sims/${iccid}`)
  expect(managed.body.data).toMatchObject({ works, reason })
  return { works, ...reason }
}

const codes = async (iccid: string): Promise<ReadonlyArray<string | null>> =>
  (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data.map(
    ({ reason }: { readonly reason: { readonly code: string } | null }) => reason?.code ?? null
  )

const MEGABYTE = 1_048_576

const daily = () =>
  plan({
    ...{ name: "Daily", period_days: 1, recurring: true, nb_occurrence: 3 },
    ...{ recurring_periodicity_type: "0", recurring_periodicity_frequency: 1 }
  })

describe("L5: a SIM", () => {
  it("waits for its first use, which is no alarm; then it works", async () => {
    const iccid = await sold()
    expect(await judged(iccid)).toMatchObject({
      ...{ works: true, code: "waits_for_first_use", next_step: "install_esim", moved_to: null },
      message:
        "It is ready: the plan France 1 GB begins with its first use. There is no sign yet that the eSIM was installed: have its QR " +
        "code scanned."
    })
    await report(iccid, { type: "first_use" })
    expect(await judged(iccid)).toMatchObject({ works: true, code: "works", next_step: "check_phone" })
  })

  it("has used all its data, to the byte; a top-up ends that", async () => {
    const iccid = await sold()
    await report(iccid, { type: "usage", total_bytes: 1_000 * MEGABYTE - 1 })
    expect([await codes(iccid), (await judged(iccid)).code]).toEqual([[null], "works"])
    await report(iccid, { type: "usage", total_bytes: 1_000 * MEGABYTE })
    expect(await codes(iccid)).toEqual(["data_used"])
    expect(await judged(iccid)).toMatchObject({
      ...{ works: false, code: "data_used", next_step: "top_up" },
      message: "It has no service: all data of the plan France 1 GB is used. Add a plan to the SIM."
    })
    await sold(planId, { iccid })
    expect([await codes(iccid), (await judged(iccid)).works]).toEqual([["data_used", "waits_for_first_use"], true])
  })

  it("goes on at a lower speed with all data of a throttled plan used", async () => {
    const iccid = await sold(await plan({ name: "Slow", ...Inventory.throttled }))
    await report(iccid, { type: "usage", total_bytes: 1_000 * MEGABYTE })
    expect(await codes(iccid)).toEqual([null])
    expect(await judged(iccid)).toMatchObject({
      ...{ works: true, code: "throttled", next_step: "top_up" },
      message: expect.stringContaining("by the plan Slow, slowed down to 128 Kbit/s by what was used.")
    })
  })

  it("has a profile that was deleted, or switched off, or could not be installed", async () => {
    const states = [
      ["Delete", "Success", "profile_deleted", "the eSIM was deleted from the phone", "move"],
      ["Disable", "Success", "profile_disabled", "the eSIM was switched off in the phone", "switch_on"],
      ["BPP Installation", "Failed: 4.10", "installation_failed", "its installation on the phone failed", "move"]
    ] as const
    for (const [state, modification_result, code, words, next_step] of states) {
      const iccid = await sold()
      if (code !== "installation_failed") await report(iccid, { type: "first_use" })
      await report(iccid, { type: "smdp_state", state, modification_result })
      const found = await judged(iccid)
      expect(found).toMatchObject({ works: false, code, next_step, at: await now() })
      expect(found.message).toContain(words)
      await advance("1 minute")
      await report(iccid, { type: "smdp_state", state: "Enable" })
      expect((await judged(iccid)).works).toBe(true)
    }
  })

  it("is paused, also before the telco has taken that, and if it refuses", async () => {
    const iccid = await sold()
    await report(iccid, { type: "first_use" })
    await telco((of) => of.setFaults([{ fault: "unavailable", on: "setService" }]))
    await tenant.post(`/v3/subscriptions/${iccid}/pause`)
    await advance("1 minute")
    expect(await judged(iccid)).toMatchObject({
      ...{ works: null, code: "paused", next_step: "retry_jobs" },
      message: expect.stringMatching(/^Its subscription is paused since .*\. The telco has not taken that since /)
    })
    await telco((of) => of.setFaults([{ fault: "refuse", on: "setService", message: "unknown subscriber" }]))
    await advance("1 day")
    expect(await judged(iccid)).toMatchObject({
      ...{ works: null, code: "paused", next_step: "see_problems" },
      message: expect.stringContaining("The telco refuses that: unknown subscriber.")
    })
    await isWell()
    const [{ problem_id }] = (await world.admin("GET", "/problems")).body.data
    await world.admin("POST", `/problems/${encodeURIComponent(problem_id)}/retry`)
    await advance("1 minute")
    expect(await judged(iccid)).toMatchObject({ works: false, code: "paused", next_step: "resume" })
  })

  it("has a plan that was suspended, which the telco may refuse, and one that is over", async () => {
    const [suspended, ended] = [await sold(), await sold()]
    await report(suspended, { type: "first_use" })
    await report(ended, { type: "first_use" })
    const [{ plan_attachment_id: id }] = (await tenant.get(`/v3/subscriptions/${suspended}/plan-attachments`)).body.data
    await telco((of) => of.setFaults([{ fault: "refuse", on: "suspendPackage", message: "not now" }]))
    await tenant.post(`/v3/subscriptions/${suspended}/plan-attachments/${id}/suspend`)
    await advance("1 day")
    expect(await judged(suspended)).toMatchObject({ works: null, code: "suspended", next_step: "see_problems" })
    await isWell()
    const problems = (await world.admin("GET", "/problems")).body.data
    await world.admin("POST", `/problems/${encodeURIComponent(problems[0].problem_id)}/retry`)
    await advance("30 days")
    expect(await judged(suspended)).toMatchObject({ works: false, code: "suspended", next_step: "top_up" })
    expect(await judged(ended)).toMatchObject({
      ...{ works: false, code: "over", next_step: "top_up" },
      message: expect.stringMatching(
        /^It has no service: the plan France 1 GB ended at .* UTC\. Add a plan to the SIM\.$/
      )
    })
  })

  it("leads to the SIM that its subscription has moved to", async () => {
    const iccid = await sold()
    const { body } = await tenant.post(`/v3/subscriptions/${iccid}/replace`)
    const moved_to: string = body.data.esim.iccid
    expect(await judged(iccid)).toMatchObject({ works: false, code: "replaced", next_step: "open_new_sim", moved_to })
    expect((await judged(moved_to)).works).toBe(true)
  })

  it("leads to the last of several moves; each SIM names the ones beside it for good", async () => {
    const first = await sold()
    const moves = async (iccid: string) => (await tenant.get(`/v3/sims/${iccid}`)).body.data
    const replace = async (iccid: string): Promise<string> =>
      (await tenant.post(`/v3/subscriptions/${iccid}/replace`)).body.data.esim.iccid
    const second = await replace(first)
    await advance("1 hour")
    const third = await replace(second)
    await advance("1 hour")
    for (const iccid of [first, second])
      expect(await judged(iccid)).toMatchObject({ code: "replaced", moved_to: third })
    const named = { subscription_id: expect.any(String), at: expect.any(String) }
    const beside = async () => {
      for (const [iccid, replaces, replaced_by] of [
        [first, null, { ...named, iccid: second }],
        [second, { ...named, iccid: first }, { ...named, iccid: third }],
        [third, { ...named, iccid: second }, null]
      ] as const) {
        expect(await moves(iccid)).toMatchObject({ replaces, replaced_by })
        const managed = await world.admin("GET", `/organizations/${tenant.organizationId}/sims/${iccid}`)
        expect(managed.body.data).toMatchObject({ replaces, replaced_by })
      }
    }
    await beside()
    await advance("400 days")
    for (const iccid of [first, second]) {
      const restored = await tenant.call("PATCH", `/v3/sims/${iccid}`, { body: { status: "available" } })
      expect([restored.status, restored.body.code]).toEqual([200, undefined])
    }
    expect(await judged(first)).toMatchObject({ code: "free", moved_to: null })
    await sold(planId, { iccid: second })
    await beside()
  })
})

describe("S6: a package that the telco refuses for good", () => {
  it("is the verdict, and among the problems once until it is resolved, however many there are", async () => {
    const iccid = await sold(await daily())
    await telco((of) => of.setFaults([{ fault: "refuse", on: "createPackage", message: "unknown zone" }]))
    await report(iccid, { type: "first_use" })
    await advance("25 hours")
    expect(await judged(iccid)).toMatchObject({
      ...{ works: false, code: "telco_refused", next_step: "see_problems" },
      message:
        "It has no service: the telco refuses the package of the plan Daily for good: unknown zone. See to it among the problems, or " +
        "add another plan."
    })
    await advance("12 hours")
    const found = (await world.admin("GET", "/problems")).body.data
    expect(found).toMatchObject([{ iccid, kind: "ReviewPackage", can_correct: false }])
    expect(found[0].last_message).toMatch(
      /^The telco has refused the package .*:1 of the plan Daily for good: unknown zone\. /
    )
    const { data } = (await tenant.get(`/v3/subscriptions/${iccid}/history`)).body
    expect(data).toContainEqual(expect.objectContaining({ type: "problem", resource_id: found[0].problem_id }))
    await world.admin("POST", `/problems/${encodeURIComponent(found[0].problem_id)}/resolve`)
    expect((await world.admin("GET", "/problems")).body.data).toEqual([])
    expect(await judged(iccid)).toMatchObject({
      ...{ works: false, code: "telco_refused", next_step: "top_up" },
      message: expect.stringMatching(/ for good: unknown zone\. Add another plan to the SIM\.$/)
    })
    await isWell()
  })

  it("is no problem any more once the plan was suspended, or the subscription deleted", async () => {
    const refused = async () => {
      const iccid = await sold(await daily(), { active_period: { start: await now() } })
      await telco((of) => of.setFaults([{ fault: "refuse", on: "createPackage", message: "unknown zone" }]))
      await advance("25 hours")
      await isWell()
      expect((await world.admin("GET", "/problems")).body.data).toMatchObject([{ iccid }])
      const [{ plan_attachment_id }] = (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data
      return { iccid, plan_attachment_id }
    }
    const one = await refused()
    await tenant.post(`/v3/subscriptions/${one.iccid}/plan-attachments/${one.plan_attachment_id}/suspend`)
    expect((await world.admin("GET", "/problems")).body.data).toEqual([])
    const { iccid } = await refused()
    const { status } = await world.admin("DELETE", `/organizations/${tenant.organizationId}/subscriptions/${iccid}`)
    expect([status, (await world.admin("GET", "/problems")).body.data]).toEqual([200, []])
  })

  it("after a move is there too", async () => {
    const iccid = await sold()
    await report(iccid, { type: "first_use" })
    await telco((of) => of.setFaults([{ fault: "refuse", on: "createPackage", message: "no such zone" }]))
    const { body } = await tenant.post(`/v3/subscriptions/${iccid}/replace`)
    await advance("1 minute")
    await isWell()
    const moved = body.data.esim.iccid
    expect(await judged(moved)).toMatchObject({ works: false, code: "telco_refused" })
    expect((await world.admin("GET", "/problems")).body.data).toMatchObject([
      { iccid: moved, last_message: expect.stringContaining("no such zone") }
    ])
  })
})
