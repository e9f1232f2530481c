/**
 * Previews (rule S9): what a creation, a deletion and a suspension would do, and why they would be
 * refused.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Preview from "../../src/domain/Preview.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { aggregate, attached, free, ICCID, NOW, plan, recurring, subscription, terms } from "./Values.ts"

const request = { metadata: "order", activePeriod: null }

describe("S9: a creation is previewed", () => {
  it("with the package that starts at its first use, and new ids left open", () => {
    const preview = Result.getOrThrow(Preview.creation(plan(), free(), request, NOW))
    expect(preview).toMatchObject({
      created: { subscriptionId: Preview.NIL, attachmentId: Preview.NIL, metadata: "order", period: null },
      nextPackageAt: null
    })
    expect(preview.ordered).toEqual([{ packageId: `${Preview.NIL}:0`, activationAt: null, expirationAt: null }])
  })

  it("with the subscription that the SIM has", () => {
    const { created } = Result.getOrThrow(Preview.creation(plan(), aggregate([attached()]), request, NOW))
    expect(created).toMatchObject({ subscriptionId: "subscription", attachmentId: Preview.NIL })
  })

  it("with each occurrence that is due, and when the next one follows", () => {
    const daily = plan({ terms: recurring() })
    const activePeriod = { start: NOW, end: null }
    const preview = Result.getOrThrow(Preview.creation(daily, free(), { ...request, activePeriod }, NOW))
    expect(preview.ordered).toEqual([{ packageId: `${Preview.NIL}:0`, activationAt: NOW, expirationAt: NOW + DAY_MS }])
    expect(preview.nextPackageAt).toBe(NOW + DAY_MS - 12 * HOUR_MS)
    expect(preview.created.period).toEqual({ activationAt: NOW, expirationAt: null })
  })

  it("without a package that is over or not due", () => {
    const daily = plan({ terms: recurring({ frequency: 2 }, { periodDays: 1 }) })
    const at = (start: number) =>
      Result.getOrThrow(Preview.creation(daily, free(), { ...request, activePeriod: { start, end: null } }, NOW))
    expect(at(NOW - DAY_MS)).toMatchObject({ ordered: [], nextPackageAt: NOW + DAY_MS - 12 * HOUR_MS })
    expect(at(NOW + DAY_MS)).toMatchObject({ ordered: [], nextPackageAt: NOW + DAY_MS - 12 * HOUR_MS })
  })

  it("with its refusal", () => {
    const refused = (...[of, line]: [ReturnType<typeof plan>, ReturnType<typeof free>]) =>
      Result.getOrThrow(Result.flip(Preview.creation(of, line, request, NOW)))._tag
    expect(refused(plan({ archivedAt: NOW }), free())).toBe("PlanArchived")
    expect(refused(plan({ terms: terms({ label: "Blue" }) }), free())).toBe("LabelMismatch")
    expect(refused(plan(), free({ allocation: { _tag: "Releasing", subscriptionId: "old" } }))).toBe("SimBusy")
  })
})

describe("S9: a deletion is previewed", () => {
  const active = attached({}, [{ activationAt: NOW, expirationAt: NOW + DAY_MS, usedBytes: 1 }])
  const preview = (...of: Parameters<typeof aggregate>) => Result.getOrThrow(Preview.deletion(aggregate(...of), NOW))

  it("with the packages that would be cancelled", () => {
    expect(preview([attached({}, [{}])])).toEqual({
      refusal: null,
      isDownloaded: false,
      isActivated: false,
      isUsed: false,
      cancelled: [{ packageId: "attachment:0", activationAt: null, expirationAt: null }]
    })
  })

  it("with the occurrence that a job is about to order", () => {
    const due = attached({ terms: recurring(), anchor: NOW }, [])
    expect(preview([due]).cancelled.map(({ packageId }) => packageId)).toEqual(["attachment:0"])
  })

  it("with its refusal, and the signs of use that lead to it", () => {
    expect(preview([active], { downloaded: true })).toMatchObject({
      refusal: { _tag: "EsimInstalled", iccid: ICCID },
      isDownloaded: true,
      isActivated: true,
      isUsed: true,
      cancelled: []
    })
    expect(preview([attached({ confirmed: false })])).toMatchObject({ refusal: { _tag: "SimBusy" }, cancelled: [] })
  })

  it("with no sign of an activation that is still ahead", () => {
    const later = attached({}, [{ activationAt: NOW + 1, expirationAt: NOW + DAY_MS }])
    expect(preview([later])).toMatchObject({ isActivated: false, isUsed: false })
  })

  it("only where there is a subscription", () => {
    const missing = [free(), { ...aggregate(), subscription: subscription({ status: "Pending" }) }]
    for (const of of missing)
      expect(Result.getOrThrow(Result.flip(Preview.deletion(of, NOW)))).toMatchObject({ _tag: "NotFound" })
  })
})

describe("S9: a suspension is previewed", () => {
  const preview = (of: ReturnType<typeof attached>) => Preview.suspension(aggregate([of]), "attachment", NOW)

  it("with the packages that would be stopped: those that the telco has and that are not over", () => {
    const of = attached({ terms: recurring(), anchor: NOW - 2 * DAY_MS }, [
      { occurrence: 0, activationAt: NOW - 2 * DAY_MS, expirationAt: NOW - DAY_MS },
      { occurrence: 1, status: "Refused" },
      { occurrence: 2, activationAt: NOW, expirationAt: NOW + DAY_MS }
    ])
    expect(Result.getOrThrow(preview(of))).toEqual({
      suspended: [{ packageId: "attachment:2", activationAt: NOW, expirationAt: NOW + DAY_MS }],
      endedOccurrences: 7
    })
  })

  it("as nothing where it is suspended already", () => {
    expect(Result.getOrThrow(preview(attached({ suspendedAt: NOW }, [{}])))).toEqual({
      suspended: [],
      endedOccurrences: 0
    })
  })

  it("with its refusal", () => {
    const over = attached({}, [{ activationAt: NOW - DAY_MS, expirationAt: NOW }])
    expect(Result.getOrThrow(Result.flip(preview(over)))).toMatchObject({ _tag: "AttachmentExpired" })
    expect(Result.getOrThrow(Result.flip(Preview.suspension(aggregate(), "attachment", NOW)))).toMatchObject({
      _tag: "NotFound"
    })
  })
})
