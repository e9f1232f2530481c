/**
 * Random aggregates, withdrawn SIMs in each step among them (rules I9 and S8): nothing that the
 * domain decides takes a SIM out of its withdrawal, but the correction that makes it available.
 * What names a withdrawn SIM is refused.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Decision } from "../../src/domain/Decision.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as MobilePlan from "../../src/domain/MobilePlan.ts"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import * as Pause from "../../src/domain/Pause.ts"
import * as Preview from "../../src/domain/Preview.ts"
import * as Problem from "../../src/domain/Problem.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import * as Replacement from "../../src/domain/Replacement.ts"
import * as Sim from "../../src/domain/Sim.ts"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import * as SimCorrection from "../../src/domain/SimCorrection.ts"
import type { SimChange } from "../../src/domain/SimDifference.ts"
import * as Stock from "../../src/domain/Stock.ts"
import type { Status } from "../../src/domain/Subscription.ts"
import * as SimReturn from "../../src/domain/SimReturn.ts"
import * as Suspension from "../../src/domain/Suspension.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import * as Withdrawal from "../../src/domain/Withdrawal.ts"
import { attached, ICCID, NOW, plan, pauseChange, recurring, sim, subscription, terms } from "../domain/Values.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new" }
const subscriptionId = "subscription"
const request = { metadata: "sent", activePeriod: null }

const withdrawn: fc.Arbitrary<Sim.Allocation> = fc.oneof(
  fc.constantFrom(...Withdrawal.reasons).map((reason) => ({ _tag: "Withdrawn", reason, ending: null }) as const),
  fc.constant({ _tag: "Withdrawn", reason: "replaced", ending: subscriptionId } as const)
)

const allocations: fc.Arbitrary<Sim.Allocation> = fc.oneof(
  withdrawn,
  fc.constantFrom<Sim.Allocation>(
    { _tag: "Free" },
    { _tag: "Provisioning", subscriptionId },
    { _tag: "InService", subscriptionId },
    { _tag: "Releasing", subscriptionId }
  )
)

/** The subscriptions that a SIM of that allocation may have. */
const statusesOf = (tag: Sim.Allocation["_tag"]): ReadonlyArray<Status | null> => {
  switch (tag) {
    case "Free":
    case "Withdrawn":
      return [null]
    case "Provisioning":
      return ["Pending"]
    case "InService":
      return ["Live"]
    case "Releasing":
      return [null, "Pending"]
  }
}

const mobilePlans = fc.constantFrom<Sim.MobilePlan>(
  { _tag: "Settled", applied: false },
  { _tag: "Settled", applied: true },
  { _tag: "Changing", applied: false, target: true },
  { _tag: "Changing", applied: true, target: false },
  { _tag: "Changing", applied: false, target: false }
)

const services = fc.constantFrom<Sim.Service>(
  Sim.inService,
  { _tag: "Settled", pausedAt: NOW - 1 },
  { _tag: "Changing", pausedAt: null, changeId: "change", active: true },
  { _tag: "Changing", pausedAt: NOW - 1, changeId: "change", active: true }
)

const attachments = fc.array(
  fc.record({ confirmed: fc.boolean(), recurs: fc.boolean(), occurrences: fc.nat({ max: 2 }) }),
  { maxLength: 2 }
)

const aggregates = (of: fc.Arbitrary<Sim.Allocation>): fc.Arbitrary<SimAggregate.SimAggregate> =>
  of.chain((allocation) =>
    fc
      .record({
        status: fc.constantFrom(...statusesOf(allocation._tag)),
        isEsim: fc.boolean(),
        downloaded: fc.boolean(),
        mobilePlan: mobilePlans,
        service: services,
        attachments
      })
      .map(({ attachments, isEsim, service, status, ...fields }) => ({
        sim: sim({
          ...fields,
          isEsim,
          allocation,
          lpa: isEsim ? "LPA:1$a$b" : null,
          // Only the service of a live subscription is paused.
          service: status === "Live" ? service : { ...service, pausedAt: null }
        }),
        subscription: status === null ? null : subscription({ status }),
        attachments:
          status === null
            ? []
            : attachments.map(({ confirmed, occurrences, recurs }, index) =>
                attached(
                  {
                    attachmentId: `a${index}`,
                    confirmed: confirmed && status === "Live",
                    ...(recurs && { terms: recurring(), anchor: NOW })
                  },
                  Array.from({ length: recurs ? occurrences : Math.min(1, occurrences) }, (_, occurrence) => ({
                    occurrence
                  }))
                )
              )
      }))
  )

const decided = (found: Result.Result<Decision, unknown>): ReadonlyArray<Decision> =>
  Result.isSuccess(found) ? [found.success] : []

const free = sim({ iccid: "8944500102198304834", simId: "other" })

/**
 * What each module of the domain decides about the SIM, whatever it is asked; by the name of its
 * file.
 */
const deciders: {
  readonly [file: string]: (of: SimAggregate.SimAggregate) => ReadonlyArray<Pick<Decision, "sim" | "movedFrom">>
} = {
  Deletion: (of) => [
    ...decided(Deletion.remove(of, NOW, pauseChange)),
    ...[true, false].map((areOrdered) => Deletion.withheld(of, "release", { areOrdered }, NOW)),
    Deletion.released(of.sim, false),
    ...[true, false].map((isReleased) => Deletion.afterPause(of.sim, { sim: of.sim, jobs: [] }, isReleased))
  ],
  MobilePlan: (of) => [
    ...[true, false].flatMap((apply) =>
      decided(
        Result.map(
          MobilePlan.request(of.sim, { apply, label: of.sim.label }, "c", NOW),
          (asked) => asked?.decision ?? {}
        )
      )
    ),
    MobilePlan.settled(of.sim).decision,
    MobilePlan.refused(of.sim),
    MobilePlan.turnedBack(of.sim, "change", "undo", NOW)
  ],
  Occurrence: (of) =>
    ["a0", "a1"].flatMap((attachmentId) => {
      const present = SimAggregate.forOccurrence(of, { attachmentId, occurrence: 1 })
      const work = { iccid: ICCID, attachmentId, occurrence: 1 }
      return (["Refused", "Lapsed"] as const).map((_tag) =>
        Occurrence.record(present, work, { _tag, message: "no" }, NOW)
      )
    }),
  Pause: (of) => [
    ...[true, false].map((paused) => Pause.request(of, { paused }, pauseChange, NOW)),
    ...changesOf(of.sim).flatMap((change) =>
      [true, false].flatMap((isReleased) => [
        Deletion.afterPause(of.sim, Pause.made(of.sim, change, "next", NOW), isReleased),
        Deletion.afterPause(of.sim, Pause.dropped(of.sim, change), isReleased)
      ])
    )
  ],
  Problem: (of) =>
    (["Cancel", null] as const).map((release) =>
      Problem.done({ _tag: "CancelPackages", iccid: ICCID, packageIds: [], release }, of.sim, false)
    ),
  Provisioning: (of) => [
    ...decided(Result.map(Provisioning.subscribe(plan(), of, request, ids, NOW), ({ decision }) => decision)),
    Provisioning.interrupt(of),
    Provisioning.resume(of).decision,
    // The job of a creation goes on where the attachment is there, and not confirmed.
    ...of.attachments.flatMap(({ attachment }) =>
      attachment.confirmed
        ? []
        : [
            Provisioning.confirm(of, attachment, [], NOW).decision,
            Provisioning.undo(of, attachment, [], NOW),
            Provisioning.undo(of, attachment, [0], NOW),
            ...(SimAggregate.soleOwners(of) === null ? [] : [Provisioning.undo(of, attachment, [0], NOW, true)])
          ]
    )
  ],
  SimReturn: (of) => [
    ...decided(Result.map(SimReturn.begin(of.sim, "r", NOW), (decision) => decision ?? {})),
    SimReturn.ended(of.sim, { _tag: "ReturnSim", iccid: ICCID, purchaseId: "p" }, "credit", 0)
  ],
  Replacement: (of) => [
    ...decided(
      Result.map(
        Replacement.replace(of, free, { pause: pauseChange, changeId: "c", notifiedUntil: new Map() }, NOW),
        ({ decision }) => decision
      )
    ),
    ...["a0", "a1"].map((attachmentId) =>
      Replacement.record(
        SimAggregate.forOccurrence(of, { attachmentId, occurrence: 0 }),
        { _tag: "ReplacePackage", iccid: ICCID, attachmentId, occurrence: 0, replacement: 1 },
        { _tag: "Refused", message: "no" },
        NOW
      )
    )
  ],
  Suspension: (of) => ["a0", "a1"].flatMap((attachmentId) => decided(Suspension.suspend(of, attachmentId, NOW))),
  TelcoReport: (of) =>
    (
      [
        { _tag: "FirstUse", packageId: null },
        { _tag: "Usage", packageId: null, usage: { _tag: "Total", bytes: 5 } },
        { _tag: "Location", countryAlpha2: "SE", operator: "Telia", rat: "4G", imei: "356938035643809" },
        { _tag: "SmdpState", state: "Delete", modificationResult: "Success" }
      ] as const
    ).flatMap((fact) => {
      const view = SimAggregate.forReports(of, { packageIds: [], since: NOW })
      const applied = TelcoReport.apply(view, { reportId: "r", iccid: ICCID, occurredAt: NOW, fact }, NOW)
      const change = (next: SimChange["next"]): SimChange => ({ loaded: view, next })
      return Result.isSuccess(applied) ? [{ sim: change(applied.success.aggregate) }] : []
    })
}

const changesOf = ({ service }: Sim.Sim) => {
  const change = Sim.changeOfService(service)
  return change === null ? [] : [change]
}

/** What the change makes of the SIM's allocation. */
const allocationAfter = (before: Sim.Sim, { next }: SimChange): Sim.Allocation | undefined =>
  next.sim.iccid === before.iccid ? (next.sim.allocation ?? before.allocation) : undefined

it("Each module of the domain that decides about a SIM is among those that are tried", () => {
  const domain = fileURLToPath(new URL("../../src/domain", import.meta.url))
  const deciding = readdirSync(domain).filter((name) => {
    if (!name.endsWith(".ts")) return false
    const text = readFileSync(`${domain}/${name}`, "utf8")
    return /import .*\bDecision\b.* from "\.\/Decision\.ts"/.test(text) || /\bnext: \{ \.\.\.present/.test(text)
  })
  // Reports change a view of the aggregate, previews only show what others decide.
  const names = [...deciding.map((name) => name.replace(".ts", "")), "TelcoReport"].filter((name) => name !== "Preview")
  expect(names.toSorted()).toEqual(Object.keys(deciders).toSorted())
})

describe("A withdrawn SIM (I9, S8)", () => {
  it("stays withdrawn, for the same reason, whatever is decided; its end alone may be confirmed", () => {
    fc.assert(
      fc.property(aggregates(withdrawn), (of) => {
        const { allocation } = of.sim
        for (const [module, decide] of Object.entries(deciders)) {
          for (const { movedFrom, sim: change } of decide(of)) {
            for (const one of [change, movedFrom]) {
              const after = one === undefined ? allocation : allocationAfter(of.sim, one)
              if (after === undefined) continue
              const isEnded = after._tag === "Withdrawn" && after.ending === null
              expect({ module, after }).toEqual({
                module,
                after: isEnded ? { ...allocation, ending: null } : allocation
              })
            }
          }
        }
      }),
      { numRuns: 500 }
    )
  })

  it("is made available by its correction alone, and not before its end is confirmed", () => {
    fc.assert(
      fc.property(aggregates(withdrawn), ({ sim: before }) => {
        const available = SimCorrection.apply(before, { status: { _tag: "Available" } })
        if (Sim.holder(before.allocation) === null) {
          expect(Result.getOrThrow(available).allocation).toEqual({ _tag: "Free" })
        } else expect(Result.getOrThrow(Result.flip(available))._tag).toBe("SimBusy")
        const others: ReadonlyArray<SimCorrection.Correction> = [
          { lpa: null },
          { label: "Blue" },
          { status: { _tag: "Withdrawn", reason: "lost" } }
        ]
        for (const correction of others) {
          const corrected = SimCorrection.apply(before, correction)
          if (Result.isSuccess(corrected)) expect(Sim.withdrawnReason(corrected.success)).not.toBeNull()
        }
      })
    )
  })

  it("is refused by what names it, is chosen for nothing, and counts in no stock", () => {
    fc.assert(
      fc.property(aggregates(withdrawn), fc.boolean(), (of, recurs) => {
        const { sim: one } = of
        const asked = plan({ terms: recurs ? recurring() : terms() })
        const active = { ...request, activePeriod: { start: NOW, end: null } }
        const wanted = recurs ? active : request
        const refusals = [
          Result.getOrThrow(Result.flip(Provisioning.subscribe(asked, of, wanted, ids, NOW))),
          Result.getOrThrow(Result.flip(Preview.creation(asked, of, wanted, NOW)))
        ]
        expect(refusals.map(({ _tag }) => _tag)).toEqual(["SimWithdrawn", "SimWithdrawn"])
        const change = MobilePlan.request(one, { apply: true, label: one.label }, "c", NOW)
        if (!one.isEsim) expect(Result.getOrThrow(Result.flip(change))._tag).toBe("InvalidField")
        else if (one.mobilePlan._tag === "Changing") {
          expect(Result.getOrThrow(Result.flip(change))._tag).toBe("SimBusy")
          expect(MobilePlan.isResumable(one) && one.mobilePlan.target).toBe(false)
        } else if (!one.mobilePlan.applied) expect(Result.getOrThrow(Result.flip(change))._tag).toBe("SimWithdrawn")
        else expect(Result.getOrThrow(change)).toBeNull()
        const chosen = [Sim.isFree, Sim.isReturning, Sim.isUndecided].map((asks) => asks(one))
        expect([
          ...chosen,
          Sim.isSuitable(one, "subscription", null),
          Sim.isSuitable(one, "mobile plan", null)
        ]).toEqual(Array(5).fill(false))
        expect([Sim.status(one), Stock.stateOf(one, NOW), Sim.isUsed(one)]).toEqual(["withdrawn", "withdrawn", true])
        expect(Result.getOrThrow(Result.flip(SimAggregate.visible(of, ICCID)))._tag).toBe("NotFound")
        const replaced = Replacement.replace(
          of,
          free,
          { pause: pauseChange, changeId: "c", notifiedUntil: new Map() },
          NOW
        )
        expect(Result.getOrThrow(Result.flip(replaced))._tag).toBe("NotFound")
      }),
      { numRuns: 300 }
    )
  })
})

it("A SIM comes to be withdrawn by a correction, or by the move of its subscription (I9, S8)", () => {
  fc.assert(
    fc.property(aggregates(allocations), (of) => {
      if (Sim.withdrawnReason(of.sim) !== null) return
      for (const [module, decide] of Object.entries(deciders)) {
        for (const { movedFrom, sim: change } of decide(of)) {
          for (const one of [change, movedFrom]) {
            const after = one === undefined ? undefined : allocationAfter(of.sim, one)
            const isMoved = module === "Replacement" && one !== undefined && one === movedFrom
            const reason = after === undefined ? null : Sim.withdrawnReason({ allocation: after })
            expect({ module, reason }).toEqual({ module, reason: isMoved ? "replaced" : null })
          }
        }
      }
    }),
    { numRuns: 500 }
  )
})
