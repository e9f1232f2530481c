/**
 * Rule S6: the third refusal ends a job, a retry gives it three more, and a resolution does what
 * the telco's success would have done.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as Delivery from "../../src/domain/Delivery.ts"
import * as EventHandler from "../../src/domain/EventHandler.ts"
import type { Refusals, Work } from "../../src/domain/Job.ts"
import type { Package } from "../../src/domain/Package.ts"
import * as Problem from "../../src/domain/Problem.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import type * as WebhookEvent from "../../src/domain/WebhookEvent.ts"
import { attached, attachment, free, ICCID, NOW } from "./Values.ts"

interface State {
  readonly refused: Refusals | null
  readonly endedAt: number | null
}

const untouched: State = { refused: null, endedAt: null }

describe("A package that the telco refuses for good (S6)", () => {
  it("is a problem from the start, once for its attachment, which an operator takes off", () => {
    const of = attachment()
    const [first, second] = ["attachment:1", "attachment:2"].map((id) =>
      Problem.found(Problem.refusedPackage(of, id, "unknown zone"), of.organizationId, NOW)
    )
    expect(first).toMatchObject({ endedAt: NOW, work: { _tag: "ReviewPackage", iccid: ICCID } })
    expect(first?.refused?.message).toBe(
      "The telco has refused the package attachment:1 of the plan Ten days for good: unknown zone. Nothing orders it again. Add " +
        "another plan, or see to it at the telco; then resolve this"
    )
    expect(second?.jobId).toBe(first?.jobId)
    const other = Problem.refusedPackage(attachment({ attachmentId: "other" }), "other:1", "unknown zone")
    expect(Problem.found(other, of.organizationId, NOW).jobId).not.toBe(first?.jobId)
    expect(first === undefined ? undefined : Problem.corrected(first.work)).toBeNull()
  })
})

describe("Problems that end with attachments (S6)", () => {
  it("are those of what the telco refuses of them, and of no others", () => {
    const pack = fc.constantFrom<Partial<Package>>(
      {},
      { status: "Refused", refusal: "unknown zone" },
      { refusal: "unknown zone" }
    )
    fc.assert(
      fc.property(fc.array(fc.array(pack, { maxLength: 3 }), { maxLength: 4 }), (all) => {
        const attachments = all.map((packages, index) => attached({ attachmentId: `${index}` }, packages))
        const found = attachments.flatMap(({ attachment: of, packages }) =>
          packages.some(({ refusal }) => refusal !== null)
            ? {
                organizationId: of.organizationId,
                jobId: Problem.found(Problem.refusedPackage(of, "a", "unknown zone"), of.organizationId, NOW).jobId
              }
            : []
        )
        expect(Problem.endingWith(attachments)).toEqual(found)
      })
    )
  })
})

describe("A job that the telco refuses (S6)", () => {
  it("ends with the third refusal, which has the first one's time and the last one's message", () => {
    const first = Problem.refused(untouched, "a", 1)
    const second = Problem.refused(first, "b", 2)
    const third = Problem.refused(second, "c", 3)
    expect([untouched, first, second].map(({ endedAt }) => endedAt)).toEqual([null, null, null])
    expect(third).toMatchObject({ refused: { times: 3, since: 1, message: "c" }, endedAt: 3 })
  })

  it("is asked three times between retries, whatever happens, and no refused key comes again", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("refuse", "unavailable", "operator"), { maxLength: 60 }), (story) => {
        const refusedKeys: Array<string> = []
        let state = untouched
        let sinceRetry = 0
        for (const [at, happens] of story.entries()) {
          const isEnded = state.endedAt !== null
          expect(isEnded).toBe(sinceRetry === Problem.REFUSALS)
          expect(Problem.isRetried(state)).toBe(!isEnded && refusedKeys.length >= Problem.REFUSALS)
          if (isEnded && happens === "operator") {
            expect(Problem.retried(at)).toEqual({ dueAt: at, attempts: 0 })
            state = { ...state, endedAt: null }
            sinceRetry = 0
          } else if (!isEnded && happens === "refuse") {
            const key = Problem.telcoKey("key", state)
            expect(refusedKeys).not.toContain(key)
            refusedKeys.push(key)
            state = Problem.refused(state, `${at}`, at)
            sinceRetry += 1
          }
        }
      })
    )
  })

  it("is asked again after 5 s and after 15 s more, also after a retry", () => {
    const waits: Array<number> = []
    let state = untouched
    for (let times = 1; times <= 2 * Problem.REFUSALS; times++) {
      const { dueAt, ...refused } = Problem.refused(state, "no", 1_000)
      if (refused.endedAt === null) waits.push(dueAt - 1_000)
      state = { ...refused, endedAt: null }
    }
    expect(waits).toEqual([5_000, 15_000, 5_000, 15_000])
  })

  it("is asked under its own key at first", () => {
    expect(Problem.telcoKey("attachment:0", untouched)).toBe("attachment:0")
  })
})

const allocations: ReadonlyArray<Sim["allocation"]> = [
  { _tag: "Free" },
  ...(["Provisioning", "InService", "Releasing"] as const).map((_tag) => ({ _tag, subscriptionId: "subscription" }))
]

const works: ReadonlyArray<Work> = [
  { _tag: "SuspendPackages", iccid: ICCID, attachmentId: "attachment" },
  { _tag: "CancelPackages", iccid: ICCID, packageIds: ["attachment:0"], release: null },
  { _tag: "CancelPackages", iccid: ICCID, packageIds: ["attachment:0"], release: "Cancel" }
]

describe("What is done at the telco, or by hand (S3, S6)", () => {
  it("frees the SIM that waited for its release, and changes nothing else", () => {
    fc.assert(
      fc.property(fc.constantFrom(...works), fc.constantFrom(...allocations), (work, allocation) => {
        const { sim } = free({ allocation })
        const decision = Problem.done(work, sim, false)
        const isReleased = work._tag === "CancelPackages" && work.release !== null && allocation._tag === "Releasing"
        expect(decision).toEqual(isReleased ? Deletion.released(sim, false) : {})
        expect(decision.sim?.next.sim).toEqual(isReleased ? { ...sim, allocation: { _tag: "Free" } } : undefined)
        expect(Problem.done(work, null, true)).toEqual({})
        // Of a SIM that was bought, whoever ends it by hand has not asked what was used.
        const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: 0 }
        const byHand = [sim, { ...sim, purchase }].map((one) => Problem.done(work, one, null))
        expect(byHand).toEqual(
          isReleased ? [Deletion.released(sim, false), Deletion.released({ ...sim, purchase }, true)] : [{}, {}]
        )
      })
    )
  })
})

describe("An event that a handler fails at (S6, E2)", () => {
  const about = (payload: WebhookEvent.Payload, name: string | null = "mailer") => {
    const event = { organizationId: "acme", eventId: "event", createdAt: 1, payload }
    const endpointId = name === null ? "endpoint" : EventHandler.endpointId(name)
    return (failures: number): Delivery.LoggedDelivery => {
      let delivery = Delivery.pending(event, endpointId)
      for (let count = 0; count < failures; count++)
        delivery = Delivery.attempted(delivery, { _tag: "Threw", message: "no mail" }, 2, 0)
      return { delivery, event }
    }
  }
  const created = { type: "subscription.created", data: { esim: ICCID, subscriptionId: "s", metadata: "" } } as const
  const ofCommand = { id: "c", method: "messages.send", metadata: null, code: "telco_refused", message: "No" } as const
  const refused = { type: "command.refused", data: ofCommand } as const

  it("is a problem of its SIM from the second failure on, until it is given up", () => {
    const of = about(created)
    const found = Array.from({ length: 11 }, (_, failures) => Problem.heldUp(of(failures), 5) !== null)
    expect(found).toEqual([false, false, true, true, true, true, true, true, true, true, false])
    expect(Problem.heldUp(of(2), 5)).toMatchObject({
      jobId: "handle:event:handler:mailer",
      organizationId: "acme",
      work: { _tag: "HandleEvent", iccid: ICCID, handler: "mailer", deliveryId: "event:handler:mailer" },
      refused: {
        times: 2,
        since: 1,
        message: "The handler mailer fails at subscription.created, and later events about the SIM wait for it: no mail"
      },
      endedAt: 5
    })
    expect([1, 2, 3].map((failures) => Problem.mayHoldUp(of(failures).delivery))).toEqual([false, true, true])
  })

  it("is none where it is about no SIM, or for an endpoint", () => {
    expect(Problem.heldUp(about(refused)(5), 5)).toBeNull()
    expect(Problem.heldUp(about(created, null)(5), 5)).toBeNull()
  })
})

describe("A difference between both books (S6)", () => {
  const release: Work = { _tag: "CancelPackages", iccid: ICCID, packageIds: ["a:0"], release: "Cancel" }
  const finding = { findingId: "ocs/service/8", iccid: ICCID, message: "they differ" }
  const sides = { ours: "in service", theirs: "SUSPENDED" }
  const correction = { _tag: "Service" } as const

  it("has both sides where it was found with them, and a day's usage has its figures", () => {
    expect(Problem.sides(Problem.found({ ...finding, sides }, "acme", 1).work)).toEqual(sides)
    expect(Problem.sides(Problem.found(finding, "acme", 1).work)).toBeNull()
    const usage = { day: 0, booked: 1, telco: 2 }
    expect(Problem.sides(Problem.found({ ...finding, usage }, "acme", 1).work)).toEqual({
      ours: "1 bytes",
      theirs: "2 bytes"
    })
    expect(Problem.sides(release)).toBeNull()
  })

  it("is corrected where the telco can be asked for what is had here, and again where it refuses that", () => {
    const { work } = Problem.found({ ...finding, sides, correction }, "acme", 1)
    const corrected = { _tag: "CorrectDifference", iccid: ICCID, findingId: finding.findingId, correction } as const
    expect(Problem.corrected(work)).toEqual(corrected)
    expect(Problem.corrected(corrected)).toEqual(corrected)
    expect(Problem.corrected(Problem.found({ ...finding, sides }, "acme", 1).work)).toBeNull()
  })

  it("on a SIM that waits for its release is the operator's word to cancel all that is listed there", () => {
    expect(Problem.corrected(release)).toEqual({ ...release, release: "Confirmed" })
    expect(Problem.corrected({ ...release, release: "Review" })).toEqual({ ...release, release: "Confirmed" })
    expect(Problem.corrected({ ...release, release: null })).toBeNull()
  })

  it("is none of its own where its package is cancelled already, or an operator decides about that (S5)", () => {
    const packageId = Problem.cancelled({ correction: { _tag: "Cancellation", packageId: "a:0" } })
    const undoing = { _tag: "CancelPackages", iccid: ICCID, release: null, isUndone: true } as const
    const by = (packageIds: ReadonlyArray<string>) =>
      Problem.isCancelledBy(packageId ?? "", { work: { ...undoing, packageIds } })
    expect([by(["a:0", "a:1"]), by(["a:1"]), Problem.cancelled({ correction: { _tag: "Service" } })]).toEqual([
      ...[true, false],
      null
    ])
  })

  it("ends a job at once that another try would only repeat, and a retry gives it three more", () => {
    const ended = Problem.ended({ refused: null }, { message: "others are there" }, 7)
    expect(ended).toEqual({ refused: { times: 3, since: 7, message: "others are there" }, endedAt: 7, dueAt: 7 })
    expect(Problem.ended(Problem.refused(ended, "a", 8), { message: "b" }, 9)).toMatchObject({
      refused: { times: 6, since: 7 }
    })
    expect(Problem.refused(ended, "a", 8).endedAt).toBeNull()
  })
})

describe("What was found of an account (S6)", () => {
  const balance = { units: 1_250, scale: 2, currency: "USD" }

  it("is the service's, and no organization's", () => {
    const job = Problem.foundOfAccount(Problem.lowBalance("go", balance, 200), NOW)
    expect(job).toMatchObject({ organizationId: "*", endedAt: NOW, work: { _tag: "ReviewAccount", telco: "go" } })
    expect(job.jobId).toBe(Problem.findingJobId(Problem.balanceFindingId("go")))
    expect(job.refused?.message).toBe(
      "The account at go has 12.50 USD left, which is below its level of 200. Pay in: what it does not pay for is not bought"
    )
    expect([Problem.sides(job.work), Problem.corrected(job.work)]).toEqual([null, null])
  })

  it("may have two sides", () => {
    const sides = { ours: "4.50 USD", theirs: "4.60 USD" }
    const job = Problem.foundOfAccount({ findingId: "go/charge/1", telco: "go", message: "differs", sides }, NOW)
    expect(Problem.sides(job.work)).toEqual(sides)
  })
})
