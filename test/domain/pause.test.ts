/**
 * Pausing a subscription and resuming it (rule S7): one change at a time is asked of the telco, and
 * the next one follows where something else is wanted by then.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as Lifecycle from "../../src/domain/Lifecycle.ts"
import * as Pause from "../../src/domain/Pause.ts"
import type { Service, Sim } from "../../src/domain/Sim.ts"
import { aggregate, attached, ICCID, NOW, pauseChange, sim } from "./Values.ts"

const settled = (pausedAt: number | null): Service => ({ _tag: "Settled", pausedAt })
type Changing = Extract<Service, { readonly _tag: "Changing" }>

const changing = (pausedAt: number | null, active: boolean, changeId = "change"): Changing => ({
  _tag: "Changing",
  pausedAt,
  changeId,
  active
})
const job = (changeId: string) => ({
  jobId: `service:${changeId}`,
  work: { _tag: "SetService", iccid: ICCID, changeId },
  dueAt: NOW
})
const request = (service: Service, paused: boolean, isRefused = false) => {
  const given = { changeId: "next", isRefused }
  const { jobs = null, sim: of } = Pause.request(aggregate([attached()], { service }), { paused }, given, NOW)
  return { service: (of?.next.sim as Sim | undefined)?.service ?? null, jobs }
}

describe("A subscription is paused and resumed (S7)", () => {
  it("by a change that a job asks the telco for", () => {
    expect(request(settled(null), true)).toEqual({ service: changing(NOW, false, "next"), jobs: [job("next")] })
    expect(request(settled(5), false)).toEqual({ service: changing(null, true, "next"), jobs: [job("next")] })
  })

  it.each([settled(5), changing(5, false), changing(5, true)])("again, and nothing changes: %o", (service) => {
    expect(request(service, true)).toEqual({ service: null, jobs: null })
  })

  it("while another change is under way, which no second one overtakes", () => {
    expect(request(changing(5, false), false)).toEqual({ service: changing(null, false), jobs: [] })
    expect(request(changing(null, false), true)).toEqual({ service: changing(NOW, false), jobs: [] })
  })

  it("after the telco has refused a change for good: what it has is what is wanted", () => {
    expect(request(changing(5, false), false, true)).toEqual({ service: settled(null), jobs: [] })
    expect(request(changing(null, true), true, true)).toEqual({ service: settled(NOW), jobs: [] })
  })

  it("by a new change where the telco has refused another one for good that was not wanted any more", () => {
    expect(request(changing(null, false), true, true)).toEqual({
      service: changing(NOW, false, "next"),
      jobs: [job("next")]
    })
  })
})

describe("The telco has answered (S7)", () => {
  const answered = (service: Changing) => {
    const { jobs, sim: next } = Pause.made(sim({ service }), service, "next", NOW)
    return { service: next.service, jobs }
  }

  it("what is wanted is so", () => {
    expect(answered(changing(5, false))).toEqual({ service: settled(5), jobs: [] })
    expect(answered(changing(null, true))).toEqual({ service: settled(null), jobs: [] })
  })

  it("what was asked for meanwhile follows, under a key of its own", () => {
    expect(answered(changing(null, false))).toEqual({ service: changing(null, true, "next"), jobs: [job("next")] })
    expect(answered(changing(5, true))).toEqual({ service: changing(5, false, "next"), jobs: [job("next")] })
  })

  it("a refusal of what is not wanted any more leaves what is", () => {
    const service = changing(null, false)
    expect(Pause.isWanted(service)).toBe(false)
    expect(Pause.dropped(sim({ service }), service).sim.service).toEqual(settled(null))
  })

  it("about another change than the one under way", () => {
    expect(Pause.underWay(sim({ service: changing(5, false) }), "another")).toBeNull()
    expect(Pause.underWay(sim({ service: settled(5) }), "change")).toBeNull()
  })
})

describe("A deletion ends a pause (S7)", () => {
  const removed = (service: Service) => {
    const decision = Result.getOrThrow(Deletion.remove(aggregate([], { service }), NOW, pauseChange))
    return { sim: decision.sim?.next.sim as Sim, jobs: decision.jobs?.map(({ jobId }) => jobId) }
  }
  const releasing = { _tag: "Releasing", subscriptionId: "subscription" } as const

  it("by a change of its own, beside the release", () => {
    const { jobs, sim: next } = removed(settled(5))
    expect(next).toMatchObject({ allocation: releasing, service: changing(null, true) })
    expect(jobs).toEqual(["service:change", "release:subscription"])
  })

  it("and the SIM is free when it is resumed, whichever ends first", () => {
    const paused = sim({ allocation: releasing, service: changing(null, true) })
    expect(Deletion.released(paused, false).sim?.next.sim).toEqual(paused)
    const next = Pause.made(paused, changing(null, true) as never, "next", NOW)
    expect(Deletion.afterPause(paused, next, false).sim?.next.sim).toMatchObject({ allocation: releasing })
    expect(Deletion.afterPause(paused, next, true).sim?.next.sim).toMatchObject({ allocation: { _tag: "Free" } })
    const follows = Pause.made(paused, changing(null, false) as never, "next", NOW)
    expect(Deletion.afterPause(paused, follows, true).sim?.next.sim).toMatchObject({ allocation: releasing })
    const resumed = sim({ allocation: releasing })
    expect(Deletion.released(resumed, false).sim?.next.sim).toMatchObject({ allocation: { _tag: "Free" } })
    expect(Deletion.releaseJobOf(paused)).toBe("release:subscription")
    expect(Deletion.releaseJobOf(sim())).toBeNull()
  })

  it("without an event of its own (E1)", () => {
    const of = aggregate([], { service: settled(5) })
    const { sim: change } = Result.getOrThrow(Deletion.remove(of, NOW, pauseChange))
    if (change === undefined) throw new Error("nothing changes")
    expect(Lifecycle.caused(change, NOW).causes.map(({ type }) => type)).toEqual(["subscription.deleted"])
  })
})

describe("A pause and its end are notified (E1)", () => {
  it.each([
    [true, settled(null), "subscription.paused", { pausedAt: new Date(NOW).toISOString() }],
    [false, settled(5), "subscription.resumed", { resumedAt: new Date(NOW).toISOString() }]
  ] as const)("paused %s", (paused, service, type, when) => {
    const of = aggregate([attached()], { service })
    const { sim: change } = Pause.request(of, { paused }, pauseChange, NOW)
    if (change === undefined) throw new Error("nothing changes")
    const { causes } = Lifecycle.caused(change, NOW)
    expect(Lifecycle.payloads(causes, of)).toEqual([
      { type, data: { esim: ICCID, subscriptionId: "subscription", ...when } }
    ])
  })
})
