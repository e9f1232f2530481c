/**
 * Deleting a subscription (rule S3). A downloaded eSIM refuses it. Otherwise the SIM is free again
 * only after the telco has cancelled every package that it has or may be about to have.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type * as Attachment from "../../src/domain/Attachment.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import { DAY_MS } from "./Calendar.ts"
import { attached, free, ICCID, aggregate, NOW, recurring, sim, subscription, pauseChange } from "./Values.ts"

const refusal = (of: SimAggregate) => Result.getOrThrow(Result.flip(Deletion.remove(of, NOW, pauseChange)))
const cancelled = (...attachments: ReadonlyArray<Attachment.WithPackages>) => {
  const [job] = Result.getOrThrow(Deletion.remove(aggregate(attachments), NOW, pauseChange)).jobs ?? []
  return job?.work._tag === "CancelPackages" ? job.work.packageIds : undefined
}

describe("A subscription is deleted (S3)", () => {
  it("with its SIM allocated until a job, due at once, frees it", () => {
    const of = aggregate([attached({}, [{}])])
    expect(Result.getOrThrow(Deletion.remove(of, NOW, pauseChange))).toEqual({
      sim: {
        loaded: of,
        next: {
          ...of,
          sim: { ...of.sim, allocation: { _tag: "Releasing", subscriptionId: "subscription" }, recycledAt: NOW },
          subscription: { ...subscription(), status: "Deleted" }
        }
      },
      jobs: [
        {
          jobId: "release:subscription",
          work: { _tag: "CancelPackages", iccid: ICCID, packageIds: ["attachment:0"], release: "Cancel" },
          dueAt: NOW
        }
      ]
    })
  })

  it("and an operator decides about what is of others, if the telco has taken no order of it there (S5)", () => {
    const moved = { number: 1, usedBefore: 0, isAwaited: true, former: [] }
    for (const [pack, replacements, isTaken] of [
      [{}, 0, true],
      [{ telcoPackageId: null }, 0, false],
      [{}, 1, false],
      [{ replacement: moved }, 1, true],
      [{ replacement: moved, telcoPackageId: null }, 1, false]
    ] as const) {
      const of = aggregate([attached({ replacements }, [pack])])
      const [job] = Result.getOrThrow(Deletion.remove(of, NOW, pauseChange)).jobs ?? []
      expect(job?.work).toMatchObject(
        isTaken ? { release: "Cancel" } : { release: "Review", onlyAttachments: ["attachment"] }
      )
    }
  })

  it("if its eSIM was never downloaded, or its SIM is physical", () => {
    const physical = { isEsim: false, lpa: null }
    for (const changes of [{}, physical, { ...physical, downloaded: true }]) {
      expect(Result.isSuccess(Deletion.remove(aggregate([], changes), NOW, pauseChange))).toBe(true)
    }
  })
})

describe("What the telco shows of a download (S3)", () => {
  const downloaded = (changes: Parameters<typeof aggregate>[1], downloads: boolean) =>
    Result.getOrThrow(Deletion.remove(aggregate([], changes), NOW, pauseChange, { downloads })).sim?.next.sim.downloaded

  it("decides whether the eSIM can be sold again: where it shows none, its code was handed out", () => {
    expect(downloaded({}, true)).toBe(false)
    expect(downloaded({}, false)).toBe(true)
  })

  it("makes no difference to a physical SIM", () => {
    expect(downloaded({ isEsim: false, lpa: null }, false)).toBe(false)
  })
})

describe("A deletion is refused", () => {
  it("S3: if the eSIM shows a sign of a download", () => {
    expect(refusal(aggregate([], { downloaded: true }))).toMatchObject({ _tag: "EsimInstalled", iccid: ICCID })
  })

  it("if there is no subscription, or only an invisible one (S5)", () => {
    const missing = { _tag: "NotFound", resource: "subscription", id: ICCID }
    const pending = { ...aggregate(), subscription: subscription({ status: "Pending" }) }
    const deleted = { ...aggregate(), subscription: subscription({ status: "Deleted" }) }
    for (const of of [free(), free({ downloaded: true }), pending, deleted]) {
      expect(refusal(of)).toMatchObject(missing)
    }
  })

  it("S5: while another plan is being attached", () => {
    expect(refusal(aggregate([attached(), attached({ confirmed: false })]))).toMatchObject({
      _tag: "SimBusy",
      iccid: ICCID
    })
  })
})

describe("What is cancelled at the telco (S3)", () => {
  const daily = { terms: recurring({ occurrences: 3 }) }

  it("is each attachment's package", () => {
    expect(cancelled()).toEqual([])
    expect(cancelled(attached({ attachmentId: "a" }, [{}]), attached({ attachmentId: "b" }, [{}]))).toEqual([
      "a:0",
      "b:0"
    ])
    expect(cancelled(attached(daily, [{}]))).toEqual(["attachment:0"])
    expect(cancelled(attached(), attached({ ...daily, attachmentId: "b" }))).toEqual(["attachment:0", "b:0"])
  })

  it("is also a package that is due and not recorded yet, because a job may be ordering it", () => {
    expect(cancelled(attached({ ...daily, anchor: NOW - DAY_MS }, [{ occurrence: 0 }]))).toEqual([
      "attachment:0",
      "attachment:1"
    ])
    expect(cancelled(attached({ ...daily, anchor: NOW + DAY_MS }))).toEqual([])
  })

  it("is no package that the telco refused or never got", () => {
    const packages = [
      { occurrence: 0, status: "Lapsed" },
      { occurrence: 1, status: "Refused" },
      { occurrence: 2, status: "Created" }
    ] as const
    expect(cancelled(attached({ ...daily, anchor: NOW - 2 * DAY_MS }, packages))).toEqual(["attachment:2"])
  })

  it("is no package that has expired", () => {
    const of = (expirationAt: number) => attached({}, [{ activationAt: NOW - DAY_MS, expirationAt }])
    expect(cancelled(of(NOW))).toEqual([])
    expect(cancelled(of(NOW + 1))).toEqual(["attachment:0"])
  })
})

describe("After the telco has confirmed (S3)", () => {
  it("the SIM is free", () => {
    const releasing = sim({ allocation: { _tag: "Releasing", subscriptionId: "subscription" } })
    expect(Deletion.released(releasing, false)).toEqual({
      sim: { loaded: { sim: releasing }, next: { sim: { ...releasing, allocation: { _tag: "Free" } } } }
    })
  })

  it("a load that was used is a sign of a download, also while the SIM is not resumed", () => {
    const releasing = sim({ allocation: { _tag: "Releasing", subscriptionId: "subscription" } })
    expect(Deletion.released(releasing, true).sim?.next.sim).toMatchObject({
      allocation: { _tag: "Free" },
      downloaded: true
    })
    const paused = { ...releasing, service: { _tag: "Changing", pausedAt: null, changeId: "c", active: true } } as const
    expect(Deletion.released(paused, true).sim?.next.sim).toEqual({ ...paused, downloaded: true })
  })

  it("only a SIM that is being released is freed", () => {
    for (const _tag of ["Provisioning", "InService"] as const) {
      expect(Deletion.released(sim({ allocation: { _tag, subscriptionId: "other" } }), true)).toEqual({})
    }
    expect(Deletion.released(sim(), true)).toEqual({})
  })
})

const ORDERED = { areOrdered: true }
const UNKNOWN = { areOrdered: false }

describe("S5: a SIM in stock with packages without an owner", () => {
  it("is released by a job of its own, and not as if it had been sold", () => {
    const of = { sim: sim({ recycledAt: null }), subscription: null, attachments: [] }
    expect(Deletion.withheld(of, "release-1", ORDERED, NOW)).toEqual({
      sim: {
        loaded: of,
        next: { ...of, sim: { ...of.sim, allocation: { _tag: "Releasing", subscriptionId: "release-1" } } }
      },
      jobs: [
        {
          jobId: "release:release-1",
          work: { _tag: "CancelPackages", iccid: ICCID, packageIds: [], release: "Cancel" },
          dueAt: NOW
        }
      ]
    })
  })

  it("is left to an operator where no order explains them: they may be a customer's", () => {
    const of = { sim: sim({ recycledAt: null }), subscription: null, attachments: [] }
    const { jobs, sim: change } = Deletion.withheld(of, "release-1", UNKNOWN, NOW)
    expect(change?.next.sim.allocation?._tag).toBe("Releasing")
    expect(jobs?.map(({ work }) => work)).toEqual([
      { _tag: "CancelPackages", iccid: ICCID, packageIds: [], release: "Review" }
    ])
  })

  it("stays as it is once it is sold, or on its way back", () => {
    const sold = aggregate([])
    const releasing = { ...sold.sim, allocation: { _tag: "Releasing", subscriptionId: "subscription" } as const }
    for (const listed of [ORDERED, UNKNOWN]) {
      expect(Deletion.withheld(sold, "release-1", listed, NOW)).toEqual({})
      expect(Deletion.withheld({ ...sold, sim: releasing }, "release-1", listed, NOW)).toEqual({})
    }
  })
})
