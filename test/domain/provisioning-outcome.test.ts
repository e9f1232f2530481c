/**
 * The end of a creation (rule S5). If the telco has every package, everything becomes visible, with the times that the
 * interface names. If not, nothing remains, and the SIM is free only when nothing can be left at the telco.
 */
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import type { Attachment } from "../../src/domain/Attachment.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { attached, attachment, free, ICCID, line, NOW, recurring, subscription, written } from "./Values.ts"

const mine = { subscriptionId: "new", attachmentId: "mine", confirmed: false, metadata: "sent" }

/** A SIM that is allocated to a new subscription. */
const taken = (of: Attachment): SimAggregate => ({
  ...free({ allocation: { _tag: "Provisioning", subscriptionId: "new" } }),
  subscription: subscription({ subscriptionId: "new", status: "Pending", createdAt: NOW, metadata: "sent" }),
  attachments: [{ attachment: of, packages: [] }]
})

/** A SIM in service that gets another plan. */
const toppedUp = (of: Attachment): SimAggregate => line([attached({}, [{}]), { attachment: of, packages: [] }])

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
          work: { _tag: "CancelPackages", iccid: ICCID, packageIds: ["mine:0", "mine:1"], release: true },
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
    const cancel = { _tag: "CancelPackages", iccid: ICCID, packageIds: ["mine:0"], release: false }
    const sim = { loaded: toppedUp(of), next: line([attached({}, [{}])]) }
    expect(Provisioning.undo(toppedUp(of), of, [], NOW)).toEqual({ sim, jobs: [] })
    expect(Provisioning.undo(toppedUp(of), of, [0], NOW)).toEqual({
      sim,
      jobs: [{ jobId: "cancel:mine", work: cancel, dueAt: NOW }]
    })
  })
})
