/**
 * The verdict about a SIM (rule L5): by all combinations of facts, and by examples of what facts
 * are made of.
 */
import { describe, expect, it } from "vitest"
import * as Confirmation from "../../src/domain/Confirmation.ts"
import type { Package } from "../../src/domain/Package.ts"
import * as Reason from "../../src/domain/Reason.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import type { Entry } from "../../src/domain/SmdpHistory.ts"
import * as Verdict from "../../src/domain/Verdict.ts"
import * as VerdictSummary from "../../src/domain/VerdictSummary.ts"
import { DAY_MS as DAY, HOUR_MS as HOUR } from "./Calendar.ts"
import { aggregate, attached, ICCID, job, NOW, recurring, terms } from "./Values.ts"

const MEGABYTE = 1_048_576

const confirmations: ReadonlyArray<Confirmation.Confirmation> = [
  Confirmation.confirmed,
  { _tag: "Asked" },
  { _tag: "Waits", since: NOW - HOUR, nextTryAt: NOW + HOUR },
  { _tag: "Refused", said: "unknown subscriber" }
]

const standings: ReadonlyArray<Verdict.Standing> = [
  { _tag: "InService" },
  { _tag: "Free" },
  { _tag: "Withdrawn", reason: "lost" },
  { _tag: "Replaced", iccid: null },
  { _tag: "Replaced", iccid: ICCID },
  { _tag: "Provisioning" },
  ...confirmations.map((telco): Verdict.Standing => ({ _tag: "Releasing", telco }))
]

const profiles: ReadonlyArray<Verdict.Profile> = [
  { _tag: "Installed" },
  { _tag: "NotInstalled" },
  { _tag: "InstallationFailed", at: NOW - HOUR, said: "Failed" },
  { _tag: "Deleted", at: NOW - HOUR },
  { _tag: "Disabled", at: NOW - HOUR }
]

const services: ReadonlyArray<Verdict.Service> = [
  { _tag: "Running" },
  ...confirmations.map((telco): Verdict.Service => ({ _tag: "Paused", at: NOW - HOUR, telco })),
  ...confirmations.slice(1).map((telco): Verdict.Service => ({ _tag: "Resuming", telco }))
]

const reasons: ReadonlyArray<Reason.Reason> = [
  { _tag: "WaitsForStart", at: NOW + HOUR },
  { _tag: "WaitsForFirstUse", pausedAt: null },
  { _tag: "WaitsForOrder" },
  { _tag: "TelcoUnavailable", tries: 1, since: NOW - HOUR, nextTryAt: NOW + HOUR, said: "no route to 10.0.0.7" },
  { _tag: "TelcoUnavailable", tries: 3, since: NOW - HOUR, nextTryAt: NOW + HOUR, said: "no route to 10.0.0.7" },
  { _tag: "TelcoRefused", packageId: "a:0", said: "unknown zone" },
  { _tag: "TelcoRefused", packageId: "a:0", said: null },
  { _tag: "DataUsed", nextAt: null },
  { _tag: "DataUsed", nextAt: NOW + DAY },
  ...confirmations.map((telco): Reason.Reason => ({ _tag: "Suspended", at: NOW - HOUR, by: "ada", telco })),
  { _tag: "Over", at: NOW - HOUR }
]

const plan = (changes: Partial<Verdict.Plan>): Verdict.Plan => ({
  ...{ attachmentId: "attachment", name: "Europe", until: NOW + DAY, reason: null, speed: null, hasProblem: false },
  ...changes
})

const single: ReadonlyArray<Verdict.Plan> = [
  plan({}),
  plan({ until: null }),
  plan({ speed: "128" }),
  ...reasons.map((reason) => plan({ reason })),
  plan({ reason: { _tag: "TelcoRefused", packageId: "a:0", said: "unknown zone" }, hasProblem: true })
]

const several: ReadonlyArray<ReadonlyArray<Verdict.Plan>> = [
  [],
  ...single.map((one) => [one]),
  ...single.flatMap((one) => single.map((other) => [one, other]))
]

/** All of them: some 120,000. */
function* combinations(): Generator<Verdict.Facts> {
  for (const standing of standings)
    for (const profile of profiles)
      for (const service of services) for (const plans of several) yield { standing, profile, service, plans }
}

/** Those of which something does not hold; a few are enough. */
const failing = (holds: (facts: Verdict.Facts, summary: VerdictSummary.Summary) => boolean): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  for (const facts of combinations()) {
    const summary = VerdictSummary.summary(Verdict.of(facts))
    if (!holds(facts, summary)) found.push({ facts, summary })
    if (found.length > 2) break
  }
  return found
}

const serves = ({ reason }: Verdict.Plan): boolean => reason === null || reason._tag === "WaitsForFirstUse"

const blocked = ({ plans, profile, service, standing }: Verdict.Facts): boolean =>
  standing._tag !== "InService" ||
  !["Installed", "NotInstalled"].includes(profile._tag) ||
  service._tag !== "Running" ||
  !plans.some(serves)

describe("L5: of all combinations of facts", () => {
  it("each has a verdict that holds, and none that holds comes before it", () => {
    expect(
      failing((facts, { code }) => {
        const ranks = Verdict.all(facts).map((one) => Verdict.precedence.indexOf(Verdict.code(one)))
        return Math.min(...ranks) === Verdict.precedence.indexOf(code) && !ranks.includes(-1)
      })
    ).toEqual([])
  })

  it("each code but that of a reason of L2 about a pause is given, and stands in the order once", () => {
    const given = new Set<Verdict.Code>()
    for (const facts of combinations()) given.add(Verdict.code(Verdict.of(facts)))
    expect([...Verdict.precedence].toSorted()).toEqual([...given].toSorted())
    expect(new Set(Verdict.precedence).size).toBe(Verdict.precedence.length)
  })

  it("a SIM works if nothing is in the way, and if it does not, something is", () => {
    expect(failing((facts, { works }) => (works === true) === !blocked(facts))).toEqual([])
  })

  it("whether it works is not known exactly while the telco has not confirmed what the verdict is about", () => {
    expect(
      failing(({ plans, service }, { code, works }) => {
        if (code === "resuming") return works === null
        if (code === "paused")
          return (works === null) === (service._tag === "Paused" && service.telco._tag !== "Confirmed")
        if (code !== "suspended") return works !== null
        const open = plans.some(({ reason }) => reason?._tag === "Suspended" && reason.telco._tag !== "Confirmed")
        return plans.length === 1 ? (works === null) === open : works !== null || open
      })
    ).toEqual([])
  })

  it("who has the SIM comes before its profile, that before a pause, and that before its plans", () => {
    const ofSim = ["free", "withdrawn", "replaced", "provisioning", "releasing"]
    expect(
      failing(({ profile, service, standing }, { code }) => {
        if (standing._tag !== "InService") return ofSim.includes(code)
        if (profile._tag === "InstallationFailed") return code === "installation_failed"
        if (profile._tag === "Deleted") return code === "profile_deleted"
        if (service._tag === "Paused") return code === "paused"
        if (service._tag === "Resuming") return code === "resuming"
        return (profile._tag === "Disabled") === (code === "profile_disabled")
      })
    ).toEqual([])
  })

  it("each says what holds in whole sentences, the last of which is what to do next", () => {
    const next: Readonly<Record<VerdictSummary.NextStep, RegExp>> = {
      none: /Search for the customer's new SIM\.$/,
      check_phone: /check data roaming and the APN in the phone\.$/,
      install_esim: /have its QR code scanned\.$/,
      switch_on: /Have it switched on in the phone's settings\.$/,
      top_up: /Add (?:a|another) plan[^.]*\.$/,
      resume: /Resume the subscription\.$/,
      move: /another eSIM(?:, and have that installed)?\.$/,
      sell: /Sell a plan on it\.$/,
      restore: /Put it back into stock[^.]*\.$/,
      open_new_sim: /Go on with the SIM \d+\.$/,
      wait: /(?:Look again in a minute|Wait until then, or add a plan for the time before)\.$/,
      retry_jobs: /Have the telco asked at once[^.]*\.$/,
      see_problems: /among the problems[^.]*\.$/
    }
    const given = new Set<VerdictSummary.NextStep>()
    expect(
      failing((_, { message, nextStep }) => {
        given.add(nextStep)
        return /^[A-Z].*\. [A-Z][^.]*\.$/s.test(message) && !message.includes("..") && next[nextStep].test(message)
      })
    ).toEqual([])
    expect([...given].toSorted()).toEqual([...VerdictSummary.nextSteps].toSorted())
  })

  it("what the telco has not confirmed, or refuses, says so; nothing names its machines or operators", () => {
    const waits = /The telco (?:has not|refuses)/
    expect(
      failing(({ service }, { code, message }) => {
        if (/10\.0\.0\.7|ada/.test(message)) return false
        const isOpen = service._tag !== "Running" && service.telco._tag !== "Confirmed"
        return (code !== "paused" && code !== "resuming") || waits.test(message) === isOpen
      })
    ).toEqual([])
  })

  it("what the telco refuses of a plan leads to the problems only while it is among them", () => {
    expect(
      failing(({ plans }, { code, message, nextStep }) => {
        if (code !== "telco_refused") return true
        const isListed = plans.some(({ hasProblem }) => hasProblem)
        const leadsThere = message.includes("among the problems")
        return leadsThere === (nextStep === "see_problems") && (plans.length > 1 || leadsThere === isListed)
      })
    ).toEqual([])
  })

  it("a SIM that waits for its first use is ready, which is no alarm", () => {
    expect(
      failing(
        (_, { code, message, works }) =>
          code !== "waits_for_first_use" || (works === true && message.startsWith("It is ready: "))
      )
    ).toEqual([])
  })
})

const summarize = (plans: ReadonlyArray<Verdict.Plan>) =>
  VerdictSummary.summary(
    Verdict.of({ standing: { _tag: "InService" }, profile: { _tag: "Installed" }, service: { _tag: "Running" }, plans })
  )

describe("L5: what the telco is asked for", () => {
  it("waits for its first try, or the next one, or is refused for good, or is done", () => {
    const work = { _tag: "SuspendPackages", iccid: ICCID, attachmentId: "attachment" } as const
    const given = job({ jobId: "suspend:attachment", work })
    const waiting = { reason: "unavailable", message: "down", since: NOW - HOUR } as const
    const refused = { times: 3, since: NOW, message: "unknown" }
    expect(Confirmation.of(null)).toEqual({ _tag: "Confirmed" })
    expect(Confirmation.of(given)).toEqual({ _tag: "Asked" })
    expect(Confirmation.of({ ...given, waiting })).toEqual({ _tag: "Waits", since: NOW - HOUR, nextTryAt: NOW })
    expect(Confirmation.of({ ...given, waiting, refused, endedAt: NOW })).toEqual({ _tag: "Refused", said: "unknown" })
  })
})

describe("L5: of several plans of which the same holds, the verdict is about", () => {
  const named = (changes: Partial<Verdict.Plan>, attachmentId: string) => plan({ ...changes, attachmentId })

  it("the one that works longest, that ended last, or that begins first", () => {
    const pairs: ReadonlyArray<readonly [best: Partial<Verdict.Plan>, other: Partial<Verdict.Plan>]> = [
      [{ until: NOW + DAY }, { until: NOW + HOUR }],
      [{ until: null }, { until: NOW + HOUR }],
      [{ reason: { _tag: "Over", at: NOW - 1 } }, { reason: { _tag: "Over", at: NOW - 2 } }],
      [{ reason: { _tag: "WaitsForStart", at: NOW + 1 } }, { reason: { _tag: "WaitsForStart", at: NOW + 2 } }],
      [{ reason: { _tag: "DataUsed", nextAt: NOW + 2 } }, { reason: { _tag: "DataUsed", nextAt: null } }]
    ]
    for (const [best, other] of pairs) {
      expect(summarize([named(best, "best"), named(other, "other")]).attachmentId).toBe("best")
      expect(summarize([named(other, "other"), named(best, "best")]).attachmentId).toBe("best")
    }
  })
})

const report = (state: Entry["state"], modifiedAt: number, modificationResult = "Success"): Entry => ({
  ...{ organizationId: "organization", iccid: ICCID, reportId: "report" },
  ...{ state, modifiedAt, modificationResult }
})

describe("L5: the profile", () => {
  const of = (changes: Partial<Sim>, reports: ReadonlyArray<Entry> = []) =>
    Verdict.profileOf(aggregate([], { downloaded: true, ...changes }).sim, reports)

  it("was deleted or switched off in the phone, if the phone has done nothing since", () => {
    for (const [state, tag] of [
      ["Delete", "Deleted"],
      ["Disable", "Disabled"]
    ] as const) {
      const smdp = { state, modifiedAt: NOW }
      expect(of({ smdp })).toEqual({ _tag: tag, at: NOW })
      expect(of({ smdp, lastActivityAt: NOW })).toEqual({ _tag: tag, at: NOW })
      expect(of({ smdp, lastActivityAt: NOW + 1 })).toEqual({ _tag: "Installed" })
      expect(of({ smdp, isEsim: false })).toEqual({ _tag: "Installed" })
    }
    expect(of({ smdp: { state: "Enable", modifiedAt: NOW } })).toEqual({ _tag: "Installed" })
  })

  it("was not installed, if the last try failed and the phone has done nothing since", () => {
    const failed = report("BPP Installation", NOW, "Failed")
    const fails = { _tag: "InstallationFailed", at: NOW, said: "Failed" }
    expect(of({ downloaded: false }, [failed])).toEqual(fails)
    expect(of({ downloaded: false }, [failed, report("BPP Installation", NOW - 1, "Aborted")])).toEqual(fails)
    expect(of({ smdp: { state: "Delete", modifiedAt: NOW - 1 } }, [report("Delete", NOW - 1), failed])).toEqual(fails)
    expect(of({ lastActivityAt: NOW + 1 }, [failed])).toEqual({ _tag: "Installed" })
    expect(of({}, [failed, report("Enable", NOW + 1, "Failed")])).toEqual({ _tag: "Installed" })
    expect(of({ downloaded: false }, [])).toEqual({ _tag: "NotInstalled" })
    // A second phone cannot install what the first one has.
    expect(of({ smdp: { state: "Enable", modifiedAt: NOW - 1 } }, [failed])).toEqual({ _tag: "Installed" })
  })
})

describe("L5: the facts about a SIM", () => {
  const judged = (
    packages: ReadonlyArray<Partial<Package>>,
    {
      sim = {} as Partial<Sim>,
      now = NOW,
      ofPlan = terms(),
      anchor = null as number | null,
      ended = null as Verdict.Known["job"]
    }
  ) => {
    const of = attached({ terms: ofPlan, anchor }, packages)
    const known = { order: null, suspendedBy: null, suspension: null, pausedAt: null }
    const attachments = [Reason.explained(of, known, now)]
    const facts = Verdict.factsOf({
      sim: aggregate([of], sim).sim,
      reports: [],
      attachments,
      job: ended,
      problems: new Set(),
      movedTo: sim.movedTo ?? null
    })
    return VerdictSummary.summary(Verdict.of(facts))
  }
  const active = { activationAt: NOW - DAY, expirationAt: NOW + 9 * DAY }

  it("with all of 1,024 MB used, to the byte", () => {
    expect(judged([{ ...active, usedBytes: 1_024 * MEGABYTE - 1 }], {})).toMatchObject({ code: "works", works: true })
    expect(judged([{ ...active, usedBytes: 1_024 * MEGABYTE }], {})).toMatchObject({
      ...{ code: "data_used", works: false, nextStep: "top_up", attachmentId: "attachment", at: null },
      message: "It has no service: all data of the plan Ten days is used. Add a plan to the SIM."
    })
  })

  it("of a throttled plan, by the step that was reached", () => {
    const throttling = [
      { percentage: 50, limit: "1024" },
      { percentage: 80, limit: "128" }
    ] as const
    const ofPlan = terms({ throttling })
    const used = (percent: number) => judged([{ ...active, usedBytes: 1_024 * MEGABYTE * percent }], { ofPlan })
    expect(used(0.49)).toMatchObject({ code: "works" })
    expect(used(0.5)).toMatchObject({ code: "throttled", works: true })
    expect(used(0.5).message).toContain("slowed down to 1024 Kbit/s")
    expect(used(2).message).toContain("slowed down to 128 Kbit/s")
  })

  it("of a recurring plan with all used, until its next package", () => {
    const ofPlan = recurring({ frequency: 3 }, { periodDays: 2 })
    const anchor = NOW - DAY
    const used = { activationAt: anchor, expirationAt: anchor + 2 * DAY, usedBytes: 1_024 * MEGABYTE }
    expect(judged([used], { ofPlan, anchor })).toMatchObject({ code: "data_used", at: anchor + 3 * DAY })
  })

  it("of a pause that the telco has not taken, or has", () => {
    const at = NOW - HOUR
    const changing = { _tag: "Changing", pausedAt: at, changeId: "change", active: false } as const
    const settled = { _tag: "Settled", pausedAt: at } as const
    expect(judged([active], { sim: { service: settled } })).toMatchObject({ code: "paused", works: false })
    expect(judged([active], { sim: { service: changing } })).toMatchObject({ code: "paused", works: null })
    const refused = { times: 3, since: at, message: "unknown subscriber" }
    const work = { _tag: "SetService", iccid: ICCID, changeId: "change" } as const
    const ended = job({ jobId: "service:change", work, refused, endedAt: NOW })
    expect(judged([active], { sim: { service: changing }, ended })).toEqual({
      ...{ code: "paused", works: null, nextStep: "see_problems", at, attachmentId: null, movedTo: null },
      message:
        "Its subscription is paused since 2026-03-10 11:00 UTC. The telco refuses that: unknown subscriber. Retry or resolve it " +
        "among the problems."
    })
    const resuming = { ...changing, pausedAt: null, active: true }
    expect(judged([active], { sim: { service: resuming } })).toMatchObject({ code: "resuming", works: null })
    const waiting = { reason: "unavailable", message: "down", since: at } as const
    expect(
      judged([active], { sim: { service: resuming }, ended: job({ jobId: "j", work, waiting }) }).message
    ).toContain("The telco has not taken that since 2026-03-10 11:00 UTC, and is asked again at 2026-03-10 12:00 UTC.")
  })

  it("that its subscription has left names the one that it has moved to", () => {
    const allocation = { _tag: "Withdrawn", reason: "replaced", ending: null } as const
    expect(judged([], { sim: { allocation, movedTo: "8944500102198304834" } })).toMatchObject({
      ...{ code: "replaced", works: false, nextStep: "open_new_sim", movedTo: "8944500102198304834" },
      message: "Its subscription has moved to the SIM 8944500102198304834. Go on with the SIM 8944500102198304834."
    })
  })
})
