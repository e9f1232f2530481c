/**
 * The beginning of a creation (rules S1, S5 and P2): which requests are refused and in which order (rule W8), what is
 * stored while the telco is called, and when the telco need not be called.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import type { Allocation } from "../../src/domain/Sim.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { attached, free, ICCID, line, NOW, plan, recurring, sim, terms, written } from "./Values.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new-attachment" }
const request = { metadata: "sent", activePeriod: null }
const subscribe = (to: Plan, of: SimAggregate, sent: Provisioning.Request = request) =>
  Provisioning.subscribe(to, of, sent, ids, NOW)
const accepted = (to: Plan, of: SimAggregate, sent?: Provisioning.Request) => Result.getOrThrow(subscribe(to, of, sent))
const refusal = (to: Plan, of: SimAggregate, sent?: Provisioning.Request) =>
  Result.getOrThrow(Result.flip(subscribe(to, of, sent)))
const starting = (start: number): Provisioning.Request => ({ metadata: "sent", activePeriod: { start, end: null } })

const newSubscription = {
  organizationId: "organization",
  subscriptionId: "new-subscription",
  iccid: ICCID,
  metadata: "sent",
  createdAt: NOW,
  status: "Pending"
}
const newAttachment = {
  organizationId: "organization",
  iccid: ICCID,
  subscriptionId: "new-subscription",
  attachmentId: "new-attachment",
  planId: "plan",
  terms: terms(),
  activePeriod: null,
  metadata: "sent",
  createdAt: NOW,
  confirmed: false,
  anchor: null,
  suspendedAt: null,
  lastThresholdNotified: 0
}
const work = { _tag: "Provision", iccid: ICCID, attachmentId: "new-attachment" }
const job = { jobId: "provision:new-attachment", work, dueAt: NOW }

describe("A free SIM is allocated (S5)", () => {
  it("and the subscription is invisible until the telco has answered", () => {
    const taken = sim({ allocation: { _tag: "Provisioning", subscriptionId: "new-subscription" } })
    const next = {
      sim: taken,
      subscription: newSubscription,
      attachments: [{ attachment: newAttachment, packages: [] }]
    }
    expect(accepted(plan(), free())).toEqual({
      _tag: "AwaitingTelco",
      decision: { unchangedPlan: plan(), sim: { loaded: free(), next }, jobs: [job] },
      aggregate: next,
      work
    })
  })

  it("S1: if the request names it, also a downloaded eSIM and a physical SIM", () => {
    expect(accepted(plan(), free({ downloaded: true }))._tag).toBe("AwaitingTelco")
    expect(accepted(plan(), free({ isEsim: false, lpa: null }))._tag).toBe("AwaitingTelco")
  })

  it("and the attachment has its own copy of the terms", () => {
    const to = plan({ planId: "p-2", terms: recurring() })
    const { decision } = accepted(to, free(), starting(NOW + 5))
    expect(written(decision).attachments).toMatchObject([{ planId: "p-2", terms: to.terms, anchor: NOW + 5 }])
  })
})

describe("A plan for a SIM in service is a top-up (S1)", () => {
  it("which does not change the subscription; the attachment has the sent metadata", () => {
    const of = line([attached({}, [{}])])
    const attachment = { ...newAttachment, subscriptionId: "subscription" }
    const next = { ...of, attachments: [...of.attachments, { attachment, packages: [] }] }
    expect(accepted(plan(), of)).toEqual({
      _tag: "AwaitingTelco",
      decision: { unchangedPlan: plan(), sim: { loaded: of, next }, jobs: [job] },
      aggregate: next,
      work
    })
  })
})

describe("Nothing is due at the telco yet (rule 7, T5)", () => {
  const to = plan({ terms: recurring() })
  const later = NOW + 12 * HOUR_MS + 1
  const firstJob = {
    jobId: "new-attachment:0",
    work: { _tag: "CreatePackage", iccid: ICCID, attachmentId: "new-attachment", occurrence: 0 },
    dueAt: NOW + 1
  }

  it("so the subscription is visible at once, with the job of its first package", () => {
    const complete = accepted(to, free(), starting(later))
    const inService = sim({ allocation: { _tag: "InService", subscriptionId: "new-subscription" } })
    expect(complete).toMatchObject({
      _tag: "Complete",
      decision: {
        unchangedPlan: to,
        sim: {
          next: {
            sim: inService,
            subscription: { ...newSubscription, status: "Live" },
            attachments: [
              {
                attachment: { attachmentId: "new-attachment", terms: to.terms, anchor: later, confirmed: true },
                packages: []
              }
            ]
          }
        },
        jobs: [firstJob]
      },
      created: {
        subscriptionId: "new-subscription",
        createdAt: NOW,
        metadata: "sent",
        attachmentId: "new-attachment",
        sim: inService,
        period: { activationAt: later, expirationAt: null }
      }
    })
  })

  it("also as a top-up, with the older subscription's id and time", () => {
    const created = accepted(to, { ...line(), sim: line().sim }, starting(later))
    expect(created).toMatchObject({ created: { subscriptionId: "subscription", metadata: "sent" } })
    expect(written(created.decision)).toMatchObject({ subscriptions: [], removedSubscriptions: [] })
  })

  it("also if everything due was over before the request", () => {
    const over = plan({ terms: recurring({ occurrences: 1 }) })
    const complete = accepted(over, free(), starting(NOW - DAY_MS))
    expect(complete).toMatchObject({ _tag: "Complete", decision: { unchangedPlan: over, jobs: [] } })
    const lapsed = { occurrence: 0, status: "Lapsed", telcoPackageId: null }
    expect(written(complete.decision).packages).toMatchObject([lapsed])
  })

  it("but not if any of it is left", () => {
    expect(accepted(to, free(), starting(NOW - DAY_MS))._tag).toBe("AwaitingTelco")
    expect(accepted(to, free(), starting(later - 1))._tag).toBe("AwaitingTelco")
  })
})

describe("A subscription is refused", () => {
  const held = (_tag: Exclude<Allocation["_tag"], "Free">): SimAggregate =>
    free({ allocation: { _tag, subscriptionId: "other" } })
  const archived = plan({ archivedAt: NOW })

  it("T4, T5: for its active period", () => {
    expect(refusal(plan(), free(), starting(NOW))).toMatchObject({ _tag: "InvalidField", field: "activePeriod.end" })
  })

  it("S1: for a label other than the plan's", () => {
    const mismatch = { _tag: "LabelMismatch", iccid: ICCID, simLabel: "Voilet", label: "Green" }
    expect(refusal(plan(), free({ label: "Voilet" }))).toMatchObject(mismatch)
    expect(refusal(plan(), line([], { label: "Voilet" }))).toMatchObject(mismatch)
  })

  it("P2: for an archived plan", () => {
    expect(refusal(archived, free())).toMatchObject({ _tag: "PlanArchived", planId: "plan" })
    expect(refusal(archived, line())).toMatchObject({ _tag: "PlanArchived" })
  })

  it("S5: for a SIM that is being put into service or released", () => {
    expect(refusal(plan(), held("Provisioning"))).toMatchObject({ _tag: "SimBusy", iccid: ICCID })
    expect(refusal(plan(), held("Releasing"))).toMatchObject({ _tag: "SimBusy" })
  })

  it("W8: for a wrong field rather than a conflict", () => {
    const busy = held("Releasing")
    expect(refusal(archived, busy, starting(NOW))).toMatchObject({ _tag: "InvalidField" })
    expect(refusal(archived, { ...busy, sim: { ...busy.sim, label: "Red" } })).toMatchObject({ _tag: "LabelMismatch" })
    expect(refusal(archived, busy)).toMatchObject({ _tag: "PlanArchived" })
  })
})

describe("Before a SIM is chosen", () => {
  const admissible = (to: Plan, iccid: string | null, start?: number) =>
    Provisioning.admissible(to, iccid, start === undefined ? null : { start, end: null }, NOW)
  const tag = (result: ReturnType<typeof admissible>) =>
    Result.match(result, { onSuccess: () => "admissible", onFailure: ({ _tag }) => _tag })

  it("the active period is checked, and without an ICCID the plan too (W8)", () => {
    const archived = plan({ archivedAt: NOW })
    expect(tag(admissible(plan(), null))).toBe("admissible")
    expect(tag(admissible(plan(), null, NOW))).toBe("InvalidField")
    expect(tag(admissible(archived, null, NOW))).toBe("InvalidField")
    expect(tag(admissible(archived, null))).toBe("PlanArchived")
    expect(tag(admissible(archived, ICCID))).toBe("admissible")
  })
})
