/**
 * Creations (rules S1, S5 and P2): which requests are refused and in which order (rule W8), and
 * what is stored while the telco is called. If the telco has every package in the end, everything
 * becomes visible, with the times that the interface names. If not, nothing remains, and the SIM is
 * free only when nothing can be left at the telco.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import type { Allocation } from "../../src/domain/Sim.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import {
  attached,
  free,
  ICCID,
  aggregate,
  NOW,
  plan,
  recurring,
  sim,
  terms,
  written,
  attachment,
  subscription
} from "./Values.ts"
import * as Activation from "../../src/domain/Activation.ts"
import type { Attachment } from "../../src/domain/Attachment.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new-attachment" }
const request = { metadata: "sent", activePeriod: null }
const subscribe = (to: Plan, of: SimAggregate.SimAggregate, sent: Provisioning.Request = request) =>
  Provisioning.subscribe(to, of, sent, ids, NOW)
const accepted = (to: Plan, of: SimAggregate.SimAggregate, sent?: Provisioning.Request) =>
  Result.getOrThrow(subscribe(to, of, sent))
const refusal = (to: Plan, of: SimAggregate.SimAggregate, sent?: Provisioning.Request) =>
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
  lastThresholdNotified: 0,
  replacements: 0
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
      attachment: newAttachment,
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
    const of = aggregate([attached({}, [{}])])
    const attachment = { ...newAttachment, subscriptionId: "subscription" }
    const next = { ...of, attachments: [...of.attachments, { attachment, packages: [] }] }
    expect(accepted(plan(), of)).toEqual({
      _tag: "AwaitingTelco",
      decision: { unchangedPlan: plan(), sim: { loaded: of, next }, jobs: [job] },
      aggregate: next,
      attachment,
      work
    })
  })
})

describe("Nothing is due at the telco yet (rule 7, T5)", () => {
  const to = plan({ terms: recurring() })
  const later = NOW + 12 * HOUR_MS + 1
  const firstJob = {
    jobId: "new-attachment:0",
    work: { _tag: "CreatePackage", iccid: ICCID, attachmentId: "new-attachment", occurrence: 0, isFirst: true },
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

  it("S5: whose order is the first one only where the telco has given the SIM nothing before", () => {
    const jobOf = (of: SimAggregate.SimAggregate) => accepted(to, of, starting(later)).decision.jobs?.[0]?.work
    expect(jobOf(aggregate([attached({}, [{ telcoPackageId: null }])]))).toMatchObject({ isFirst: true })
    expect(jobOf(aggregate([attached({}, [{}])]))).not.toHaveProperty("isFirst")
    const lapsed = accepted(
      plan({ terms: recurring({ occurrences: 2, frequency: 3 }) }),
      free(),
      starting(NOW - DAY_MS)
    )
    expect(lapsed.decision.jobs?.[0]?.work).toMatchObject({ occurrence: 1, isFirst: true })
  })

  it("also as a top-up, with the older subscription's id and time", () => {
    const created = accepted(to, { ...aggregate(), sim: aggregate().sim }, starting(later))
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
  const held = (_tag: Exclude<Allocation["_tag"], "Free" | "Withdrawn">): SimAggregate.SimAggregate =>
    free({ allocation: { _tag, subscriptionId: "other" } })
  const archived = plan({ archivedAt: NOW })

  it("T4, T5: for its active period", () => {
    expect(refusal(plan(), free(), starting(NOW))).toMatchObject({ _tag: "InvalidField", field: "activePeriod.end" })
  })

  it("S1: for a label other than the plan's", () => {
    const mismatch = { _tag: "LabelMismatch", iccid: ICCID, simLabel: "Voilet", label: "Green" }
    expect(refusal(plan(), free({ label: "Voilet" }))).toMatchObject(mismatch)
    expect(refusal(plan(), aggregate([], { label: "Voilet" }))).toMatchObject(mismatch)
  })

  it("P2: for an archived plan", () => {
    expect(refusal(archived, free())).toMatchObject({ _tag: "PlanArchived", planId: "plan" })
    expect(refusal(archived, aggregate())).toMatchObject({ _tag: "PlanArchived" })
  })

  it("S5: for a SIM that is being put into service or released", () => {
    expect(refusal(plan(), held("Provisioning"))).toMatchObject({ _tag: "SimBusy", iccid: ICCID })
    expect(refusal(plan(), held("Releasing"))).toMatchObject({ _tag: "SimBusy" })
  })

  it.each<Allocation>([
    { _tag: "Withdrawn", reason: "lost", ending: null },
    { _tag: "Withdrawn", reason: "replaced", ending: null },
    { _tag: "Withdrawn", reason: "replaced", ending: "moved" }
  ])("I9, S8: for a SIM that is withdrawn, before and after the telco has confirmed its end: %j", (allocation) => {
    const { reason } = { reason: null, ...allocation }
    expect(refusal(plan(), free({ allocation }))).toMatchObject({ _tag: "SimWithdrawn", iccid: ICCID, reason })
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

const mine = { subscriptionId: "new", attachmentId: "mine", confirmed: false, metadata: "sent" }

/** A SIM that is allocated to a new subscription. */
const taken = (of: Attachment): SimAggregate.SimAggregate => ({
  ...free({ allocation: { _tag: "Provisioning", subscriptionId: "new" } }),
  subscription: subscription({ subscriptionId: "new", status: "Pending", createdAt: NOW, metadata: "sent" }),
  attachments: [{ attachment: of, packages: [] }]
})

/** A SIM in service that gets another plan. */
const toppedUp = (of: Attachment): SimAggregate.SimAggregate =>
  aggregate([attached({}, [{}]), { attachment: of, packages: [] }])

const said = (occurrence: number, activationAt: number | null = null, expirationAt: number | null = null) => ({
  occurrence,
  telcoPackageId: `telco-${occurrence}`,
  activationAt,
  expirationAt
})

const inWindow = attachment({ ...mine, activePeriod: { start: NOW + 1, end: NOW + DAY_MS } })
const anchored = (start: number, end: number | null = null) =>
  attachment({ ...mine, terms: recurring(), activePeriod: { start, end }, anchor: start })

describe("A creation is confirmed (S5)", () => {
  it("and SIM, subscription, attachment and package are visible", () => {
    const of = attachment(mine)
    const { created, decision } = Provisioning.confirm(taken(of), of, [said(0)], NOW + 9)
    const sim = { ...taken(of).sim, allocation: { _tag: "InService", subscriptionId: "new" } }
    expect(decision.jobs).toEqual([])
    expect(decision.sim?.loaded).toEqual(taken(of))
    const pack = { attachmentId: "mine", occurrence: 0, status: "Created", telcoPackageId: "telco-0" }
    expect(decision.sim?.next).toMatchObject({
      sim,
      subscription: { ...taken(of).subscription, status: "Live" },
      attachments: [{ attachment: { ...of, confirmed: true }, packages: [pack] }]
    })
    expect(created).toEqual({
      subscriptionId: "new",
      createdAt: NOW,
      metadata: "sent",
      attachmentId: "mine",
      sim,
      period: null
    })
  })

  it("S1: a top-up does not change the subscription, and answers with the sent metadata", () => {
    const of = attachment({ ...mine, subscriptionId: "subscription" })
    const { created, decision } = Provisioning.confirm(toppedUp(of), of, [said(0)], NOW + 9)
    expect(decision.sim?.next.subscription).toEqual(toppedUp(of).subscription)
    expect(written(decision)).toMatchObject({ fields: [], attachments: [{ ...of, confirmed: true }] })
    expect(created).toMatchObject({ subscriptionId: "subscription", createdAt: NOW, metadata: "sent" })
  })

  it("T5: with every package that was due, and the job of the next", () => {
    const of = anchored(NOW - 13 * HOUR_MS)
    const { decision } = Provisioning.confirm(taken(of), of, [said(0), said(1)], NOW)
    expect(written(decision).packages.map(({ activationAt }) => activationAt)).toEqual([
      NOW - 13 * HOUR_MS,
      NOW + 11 * HOUR_MS
    ])
    expect(decision.jobs).toEqual([
      {
        jobId: "mine:2",
        work: { _tag: "CreatePackage", iccid: ICCID, attachmentId: "mine", occurrence: 2 },
        dueAt: NOW + 23 * HOUR_MS
      }
    ])
  })

  it("T5: with lapsed packages for those that were over", () => {
    const of = anchored(NOW - DAY_MS)
    const lapsed = { ...said(0), telcoPackageId: null }
    const { decision } = Provisioning.confirm(taken(of), of, [lapsed, said(1)], NOW)
    expect(written(decision).packages.map(({ status }) => status)).toEqual(["Lapsed", "Created"])
  })

  it("with the telco's package ids", () => {
    const of = attachment(mine)
    const { decision } = Provisioning.confirm(taken(of), of, [{ ...said(0), telcoPackageId: "" }], NOW)
    expect(written(decision).packages).toMatchObject([{ status: "Created", telcoPackageId: "" }])
  })

  it("S5: with the instant of the creation, also if a crash delays the confirmation", () => {
    const of = anchored(NOW)
    const { decision } = Provisioning.confirm(taken(of), of, [said(0)], NOW + 5 * DAY_MS)
    expect(written(decision).packages).toHaveLength(Activation.initialPackages(of).length)
    expect(decision.jobs).toMatchObject([{ jobId: "mine:1", dueAt: NOW + 12 * HOUR_MS }])
  })
})

describe("The creation's answer has times only if an active period was sent", () => {
  const period = (of: Attachment, ...outcomes: ReadonlyArray<Provisioning.Outcome>) =>
    Provisioning.confirm(taken(of), of, outcomes, NOW).created.period

  it("without a period: none, also if the telco reports some", () => {
    expect(period(attachment(mine), said(0, NOW, NOW + 1))).toBeNull()
  })

  it("with a period: those of the telco", () => {
    expect(period(inWindow, said(0, NOW + 7, NOW + 8))).toEqual({ activationAt: NOW + 7, expirationAt: NOW + 8 })
  })

  it("or else those that were sent", () => {
    expect(period(inWindow, said(0))).toEqual({ activationAt: NOW + 1, expirationAt: NOW + DAY_MS })
    expect(period(inWindow, said(0, NOW + 7))).toEqual({ activationAt: NOW + 7, expirationAt: NOW + DAY_MS })
    expect(period(inWindow, said(0, null, NOW + 8))).toEqual({ activationAt: NOW + 1, expirationAt: NOW + 8 })
  })

  it("for a recurring plan: those of its first package, else the sent end, else null", () => {
    expect(period(anchored(NOW), said(0, NOW + 1, NOW + 2))).toEqual({ activationAt: NOW + 1, expirationAt: NOW + 2 })
    expect(period(anchored(NOW, NOW + 5), said(0))).toEqual({ activationAt: NOW, expirationAt: NOW + 5 })
    expect(period(anchored(NOW), said(0))).toEqual({ activationAt: NOW, expirationAt: null })
    expect(period(anchored(NOW + DAY_MS))).toEqual({ activationAt: NOW + DAY_MS, expirationAt: null })
  })

  it("T6: those of the first package, in whatever order the telco answered", () => {
    const [first, second] = [said(0, NOW + 1, NOW + 2), said(1, NOW + 3, NOW + 4)]
    expect(period(anchored(NOW - 13 * HOUR_MS), second, first)).toEqual({
      activationAt: NOW + 1,
      expirationAt: NOW + 2
    })
  })
})

describe("A creation is undone (S5)", () => {
  it("at once if the telco cannot have anything: nothing remains, and the SIM is free", () => {
    const of = attachment(mine)
    expect(Provisioning.undo(taken(of), of, [], NOW)).toEqual({
      sim: { loaded: taken(of), next: free() },
      jobs: []
    })
  })

  it("otherwise by a job that cancels what the telco may have, and then frees the SIM", () => {
    const of = anchored(NOW - 13 * HOUR_MS)
    expect(Provisioning.undo(taken(of), of, [0, 1], NOW)).toEqual({
      sim: { loaded: taken(of), next: free({ allocation: { _tag: "Releasing", subscriptionId: "new" } }) },
      jobs: [
        {
          jobId: "cancel:mine",
          work: {
            _tag: "CancelPackages",
            iccid: ICCID,
            packageIds: ["mine:0", "mine:1"],
            release: "Cancel",
            isUndone: true
          },
          dueAt: NOW
        }
      ]
    })
  })

  it("unless its request comes again: the attempt stays, and its SIM is on its way back until it is resumed", () => {
    const of = attachment(mine)
    const { sim } = taken(of)
    const waiting = { ...taken(of), sim: { ...sim, allocation: { _tag: "Releasing", subscriptionId: "new" } as const } }
    expect(Provisioning.interrupt(taken(of))).toEqual({ sim: { loaded: taken(of), next: waiting } })
    expect(Provisioning.resume(waiting)).toEqual({
      decision: { sim: { loaded: waiting, next: taken(of) } },
      aggregate: taken(of)
    })
  })

  it("S1: an interrupted top-up leaves its SIM in service, and so does one that is resumed", () => {
    const of = toppedUp(attachment({ ...mine, subscriptionId: "subscription" }))
    expect(Provisioning.interrupt(of)).toEqual({ sim: { loaded: of, next: of } })
    expect(Provisioning.resume(of).aggregate).toEqual(of)
  })

  it("after an attempt whose reach is not known, as if it had ordered every package that was not over", () => {
    expect(Provisioning.orderable(attachment(mine))).toEqual([0])
    expect(Provisioning.orderable(anchored(NOW - 13 * HOUR_MS))).toEqual([0, 1])
    const short = anchored(NOW - 23 * HOUR_MS)
    expect(Provisioning.orderable(short)).toEqual([0, 1])
    expect(Provisioning.orderable({ ...short, createdAt: NOW + 2 * HOUR_MS })).toEqual([1])
  })

  it("S1: an undone top-up does not change the subscription", () => {
    const of = attachment({ ...mine, subscriptionId: "subscription" })
    const cancel = { _tag: "CancelPackages", iccid: ICCID, packageIds: ["mine:0"], release: null, isUndone: true }
    const sim = { loaded: toppedUp(of), next: aggregate([attached({}, [{}])]) }
    expect(Provisioning.undo(toppedUp(of), of, [], NOW)).toEqual({ sim, jobs: [] })
    expect(Provisioning.undo(toppedUp(of), of, [0], NOW)).toEqual({
      sim,
      jobs: [{ jobId: "cancel:mine", work: cancel, dueAt: NOW }]
    })
  })
})

describe("S5: a free SIM on which the telco has packages of others", () => {
  const begun = accepted(plan(), free())
  if (begun._tag !== "AwaitingTelco") throw new Error("the telco has to be asked")
  const { attachment: pending, aggregate: taken } = begun

  it("is asked about until the telco has taken a package there", () => {
    expect(SimAggregate.soleOwners(taken)).toEqual(["new-attachment"])
    const others = [attached({ attachmentId: "mine" }, [{ telcoPackageId: null }]), attached()]
    expect(SimAggregate.soleOwners(aggregate(others))).toEqual(["mine", "attachment"])
    expect(SimAggregate.soleOwners(aggregate([...others, attached({}, [{}])]))).toBeNull()
  })

  it("is asked about after a move, whatever the telco has taken on the SIM of before (S8)", () => {
    const recurs = plan({ terms: recurring({ occurrences: 2 }) })
    const moved = { number: 1, usedBefore: 0, isAwaited: false, former: [] }
    for (const [pack, isSole] of [
      // One that was over before the move has the telco's name of it there.
      [{}, true],
      [{ replacement: moved, telcoPackageId: null }, true],
      [{ replacement: moved }, false]
    ] as const) {
      const before = aggregate([attached({ attachmentId: "over", replacements: 1 }, [pack])])
      expect(SimAggregate.soleOwners(before)).toEqual(isSole ? ["over"] : null)
      const topUp = accepted(recurs, before, starting(NOW))
      if (topUp._tag !== "AwaitingTelco") throw new Error("the telco has to be asked")
      expect(SimAggregate.soleOwners(topUp.aggregate)).toEqual(isSole ? ["over", "new-attachment"] : null)
    }
  })

  it("leaves the stock, and nothing of the creation remains", () => {
    const { jobs, sim: change } = Provisioning.undo(taken, pending, [0], NOW, true)
    expect(change?.next).toEqual({
      sim: sim({ allocation: { _tag: "Releasing", subscriptionId: "new-subscription" } }),
      subscription: null,
      attachments: []
    })
    const packageIds = ["new-attachment:0"]
    expect(jobs).toEqual([
      {
        jobId: "cancel:new-attachment",
        work: { _tag: "CancelPackages", iccid: ICCID, packageIds, release: "Review", isUndone: true },
        dueAt: NOW
      }
    ])
    // A SIM in service stays so.
    expect(Provisioning.undo(aggregate([attached()]), attachment(), [], NOW, true).jobs).toEqual([])
    // Also where nothing of the creation was ordered.
    expect(Provisioning.undo(taken, pending, [], NOW, true)).toMatchObject({
      sim: { next: { sim: { allocation: { _tag: "Releasing" } } } },
      jobs: [{ work: { packageIds: [], release: "Review" } }]
    })
  })

  it("is no other one where the request has named it", () => {
    const named = accepted(plan(), free(), { ...request, iccid: ICCID })
    expect(named).toMatchObject({ work: { ...work, isNamed: true } })
    expect(accepted(plan(), free(), { ...request, iccid: null })).toMatchObject({ work })
  })
})

describe("A creation", () => {
  it("is audited as one of the subscription if that is new, else of the attachment (W11)", () => {
    const of = { organizationId: "o", subscriptionId: "s", attachmentId: "a", iccid: "89" }
    const common = { organizationId: "o", iccid: "89" }
    expect(Provisioning.change(of, true)).toEqual({ ...common, action: "subscription.create", resourceId: "s" })
    expect(Provisioning.change(of, false)).toEqual({ ...common, action: "plan_attachment.create", resourceId: "a" })
  })
})
