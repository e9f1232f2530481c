/**
 * SIMs that come into service and out of it at random: which plan may go on which SIM (rules S1, S5
 * and P2), what is ordered and answered (T5, T6), and what is cancelled (S3, S5).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import type { Allocation } from "../../src/domain/Sim.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import {
  attached,
  attachment,
  free,
  ICCID,
  aggregate,
  NOW,
  plan,
  recurring,
  subscription,
  terms,
  written,
  pauseChange
} from "../domain/Values.ts"
import { commit } from "./Committing.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new" }

const allocations = fc.constantFrom<Allocation>(
  { _tag: "Free" },
  { _tag: "Provisioning", subscriptionId: "subscription" },
  { _tag: "InService", subscriptionId: "subscription" },
  { _tag: "Releasing", subscriptionId: "subscription" },
  { _tag: "Withdrawn", reason: "lost", ending: null },
  { _tag: "Withdrawn", reason: "replaced", ending: null },
  { _tag: "Withdrawn", reason: "replaced", ending: "subscription" }
)

describe("A SIM (I9, S1, S5, P2)", () => {
  it("can get a live plan of its label, unless it is withdrawn, or being put into service or released", () => {
    const labels = fc.constantFrom("Green" as const, "Green" as const, "Blue" as const)
    const archived = fc.constantFrom(null, null, NOW)
    fc.assert(
      fc.property(allocations, labels, archived, fc.boolean(), (allocation, label, archivedAt, named) => {
        const of = plan({ archivedAt })
        const { _tag: tag } = allocation
        const before = tag === "InService" ? aggregate([attached({}, [{}])], { label }) : free({ label, allocation })
        const request = { metadata: "sent", activePeriod: null }
        const subscribed = Provisioning.subscribe(of, before, request, ids, NOW)
        const refusals = [
          label === "Green" ? null : "LabelMismatch",
          archivedAt === null ? null : "PlanArchived",
          tag === "Withdrawn" ? "SimWithdrawn" : tag === "Provisioning" || tag === "Releasing" ? "SimBusy" : null
        ]
        const [refused = null] = refusals.filter((one) => one !== null)
        expect(Result.isFailure(subscribed) ? subscribed.failure._tag : null).toBe(refused)
        const admissible = Provisioning.admissible(of, named ? ICCID : null, null, NOW)
        expect(Result.isFailure(admissible)).toBe(!named && archivedAt !== null)
      })
    )
  })
})

/** A start of a daily plan, before and after now. */
const starts = fc.oneof(
  fc.constantFrom(-24, 0, 12).chain((hours) => fc.constantFrom(0, 1).map((ms) => hours * HOUR_MS + ms)),
  fc.integer({ min: -DAY_MS, max: 2 * DAY_MS })
)

describe("A creation (T5, T6)", () => {
  it("calls the telco at once, unless every due package is over", () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 3 }), fc.boolean(), (offset, occurrences, anew) => {
        const of = plan({ terms: recurring({ occurrences }) })
        const before = anew ? free() : aggregate([attached({}, [{}])])
        const request = { metadata: "sent", activePeriod: { start: NOW + offset, end: null } }
        const subscribed = Result.getOrThrow(Provisioning.subscribe(of, before, request, ids, NOW))
        const days = Array.from({ length: occurrences }, (_, i) => offset + i * DAY_MS)
        const due = days.filter((start) => start <= 12 * HOUR_MS)
        const asks = due.some((start) => start + DAY_MS > 0)
        expect(subscribed._tag).toBe(asks ? "AwaitingTelco" : "Complete")
        const { jobs = [] } = subscribed.decision
        if (asks) {
          const work = { _tag: "Provision", iccid: ICCID, attachmentId: "new" }
          expect(jobs).toEqual([{ jobId: "provision:new", work, dueAt: NOW }])
          return
        }
        expect(written(subscribed.decision).packages.map(({ status }) => status)).toEqual(due.map(() => "Lapsed"))
        const following = days[due.length]
        expect(jobs.map(({ dueAt }) => dueAt)).toEqual(following === undefined ? [] : [NOW + following - 12 * HOUR_MS])
        const after = commit({ aggregate: before, jobs: new Map() }, subscribed.decision)
        expect(SimAggregate.confirmed(after.aggregate)).toHaveLength(anew ? 1 : 2)
      }),
      { numRuns: 500 }
    )
  })

  it("answers with the telco's times of the first package, else with those that were sent", () => {
    const times = fc.record({ activationAt: fc.option(fc.nat(9)), expirationAt: fc.option(fc.nat(9)) })
    fc.assert(
      fc.property(times, fc.boolean(), (reported, sent) => {
        const activePeriod = sent ? { start: NOW, end: NOW + DAY_MS } : null
        const of = attachment({ attachmentId: "new", activePeriod, metadata: "sent" })
        const outcome = { occurrence: 0, telcoPackageId: "telco", ...reported }
        const before = aggregate([attached({ attachmentId: "new", confirmed: false, activePeriod })])
        const { created } = Provisioning.confirm(before, of, [outcome], NOW)
        const period = {
          activationAt: reported.activationAt ?? NOW,
          expirationAt: reported.expirationAt ?? NOW + DAY_MS
        }
        expect(created).toMatchObject({ metadata: "sent", period: sent ? period : null })
      })
    )
  })

  it("that is undone cancels all that was ordered, and then frees a SIM that was allocated for it", () => {
    fc.assert(
      fc.property(fc.nat(4), fc.boolean(), (count, anew) => {
        const of = attachment({ attachmentId: "new", confirmed: false })
        const ordered = Array.from({ length: count }, (_, occurrence) => occurrence)
        const before = { ...aggregate(), subscription: subscription({ status: anew ? "Pending" : "Live" }) }
        const { jobs = [], sim } = Provisioning.undo(before, of, ordered, NOW)
        const packageIds = ordered.map((occurrence) => `new:${occurrence}`)
        const work = {
          _tag: "CancelPackages",
          iccid: ICCID,
          packageIds,
          release: anew ? "Cancel" : null,
          isUndone: true
        }
        expect(jobs).toEqual(count === 0 ? [] : [{ jobId: "cancel:new", work, dueAt: NOW }])
        const taken = count === 0 ? "Free" : "Releasing"
        expect(sim?.next.sim.allocation?._tag).toBe(anew ? taken : "InService")
      })
    )
  })
})

/** The packages that the telco may have of an attachment, by occurrence. */
const packages = fc.array(
  fc.record({
    status: fc.constantFrom("Created", "Created", "Refused", "Lapsed"),
    expirationAt: fc.option(fc.oneof(fc.integer({ min: NOW - 1, max: NOW + 1 }), fc.constant(NOW + DAY_MS)))
  }),
  { maxLength: 3 }
)

const lines = fc.record({
  once: fc.array(packages, { maxLength: 2 }),
  daily: fc.option(fc.record({ known: packages, begun: fc.integer({ min: -2 * DAY_MS, max: 3 * DAY_MS }) })),
  isEsim: fc.boolean(),
  downloaded: fc.boolean(),
  unconfirmed: fc.constantFrom(false, false, false, true),
  status: fc.constantFrom("Live", "Live", "Live", "Pending")
})

describe("A deletion (S3)", () => {
  it("cancels what the telco has or may be about to have, and refuses an eSIM on a device", () => {
    fc.assert(
      fc.property(lines, ({ daily, downloaded, isEsim, once, status, unconfirmed }) => {
        const attachments = once.map((all, index) =>
          attached({ attachmentId: `a${index}`, terms: terms() }, all.slice(0, 1))
        )
        const expected = once.flatMap((all, index) => {
          const [pack] = all
          const remains = pack === undefined || (pack.status === "Created" && (pack.expirationAt ?? NOW + 1) > NOW)
          return remains ? [`a${index}:0`] : []
        })
        if (daily !== null) {
          const { begun, known } = daily
          const due = Math.min(5, Math.max(0, Math.floor((begun + 12 * HOUR_MS) / DAY_MS) + 1))
          const there = known.slice(0, due)
          const of = attached(
            {
              attachmentId: "daily",
              terms: recurring({ occurrences: 5 }),
              anchor: NOW - begun,
              confirmed: !unconfirmed
            },
            there.map((pack, occurrence) => ({ ...pack, occurrence }))
          )
          attachments.push(of)
          for (let occurrence = 0; occurrence < due; occurrence++) {
            const pack = there[occurrence]
            const remains = pack === undefined || (pack.status === "Created" && (pack.expirationAt ?? NOW + 1) > NOW)
            if (remains) expected.push(`daily:${occurrence}`)
          }
        }
        const before = { ...aggregate(attachments, { isEsim, downloaded }), subscription: subscription({ status }) }
        const removed = Deletion.remove(before, NOW, pauseChange)
        const refusals = [
          status === "Live" ? null : "NotFound",
          isEsim && downloaded ? "EsimInstalled" : null,
          daily !== null && unconfirmed ? "SimBusy" : null
        ]
        const [refused = null] = refusals.filter((one) => one !== null)
        expect(Result.isFailure(removed) ? removed.failure._tag : null).toBe(refused)
        if (Result.isFailure(removed)) return
        const { jobs, sim } = removed.success
        const isTaken = attachments.some(({ packages }) => packages.some((pack) => pack.telcoPackageId !== null))
        const onlyAttachments = attachments.map(({ attachment }) => attachment.attachmentId)
        const released = isTaken ? { release: "Cancel" } : { release: "Review", onlyAttachments }
        const work = { _tag: "CancelPackages", iccid: ICCID, packageIds: expected, ...released }
        expect(jobs).toEqual([{ jobId: "release:subscription", work, dueAt: NOW }])
        expect(sim?.next.sim).toMatchObject({ allocation: { _tag: "Releasing" }, recycledAt: NOW })
        expect(sim?.next.subscription?.status).toBe("Deleted")
      }),
      { numRuns: 1_000 }
    )
  })

  it("frees a SIM that is being released, and no other; one that its subscription has left stays withdrawn", () => {
    fc.assert(
      fc.property(allocations, (allocation) => {
        const { sim } = Deletion.released(free({ allocation }).sim, false)
        const isLeft = allocation._tag === "Withdrawn" && allocation.ending !== null
        const expected = isLeft ? { ...allocation, ending: null } : undefined
        expect(sim?.next.sim.allocation).toEqual(allocation._tag === "Releasing" ? { _tag: "Free" } : expected)
      })
    )
  })
})

describe("The SIM's aggregate", () => {
  it("has one of its attachments or packages replaced, and no other", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(3), (index, occurrence) => {
        const all = Array.from({ length: 4 }, (_, i) =>
          attached(
            { attachmentId: `a${i}` },
            Array.from({ length: 4 }, (_, of) => ({ occurrence: of }))
          )
        )
        const next = attached({ attachmentId: `a${index}`, metadata: "changed" })
        expect(SimAggregate.withAttachment(all, next)).toEqual(all.with(index, next))
        const packs = all[0]?.packages ?? []
        const used = { ...packs[occurrence]!, usedBytes: 5 }
        expect(SimAggregate.withPackage(packs, used)).toEqual(packs.with(occurrence, used))
      })
    )
  })
})
