/**
 * Idempotency records (rule W2): how each kind of answer is stored and replayed, for how long, and
 * which outcomes are final.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Idempotency from "../../src/domain/Idempotency.ts"
import * as Refusal from "../../src/domain/Refusal.ts"
import { DAY_MS } from "./Calendar.ts"
import { ICCID, NOW, plan, sim } from "./Values.ts"
import * as Values from "./Values.ts"

const { Created, Done, MobilePlan, Plan, Region, Sms } = Idempotency.kinds
const readers: ReadonlyArray<(answer: Idempotency.Answer) => { readonly value: unknown } | undefined> = [
  Done.read,
  Plan.read,
  Region.read,
  Created.read,
  MobilePlan.read,
  Sms.read
]
const region = Values.region({
  organizationId: "organization",
  coverageId: "c",
  regionCode: "NORTH",
  regionName: "North",
  iso2List: ["SE"],
  createdAt: NOW
})
const created = {
  subscriptionId: "subscription",
  createdAt: NOW,
  metadata: "sent",
  attachmentId: "attachment",
  sim: sim(),
  period: null
}

const answers: ReadonlyArray<readonly [kind: string, answer: Idempotency.Answer, stored: unknown]> = [
  ["Done", Done.keep(null), null],
  ["Plan", Plan.keep(plan()), plan()],
  ["Region", Region.keep(region), region],
  ["Created", Created.keep(created), created],
  ["MobilePlan", MobilePlan.keep({ iccid: ICCID, applied: true, id: 1 }), { iccid: ICCID, applied: true, id: 1 }],
  ["Sms", Sms.keep({ segments: 2 }), { segments: 2 }]
]

const record = (changes: Partial<Idempotency.IdempotencyRecord> = {}): Idempotency.IdempotencyRecord => ({
  organizationId: "organization",
  key: "k",
  fingerprint: "f",
  createdAt: NOW,
  outcome: { _tag: "Succeeded", answer: Plan.keep(plan()) },
  ...changes
})

describe("An answer (W2)", () => {
  it.each(answers)("%s is replayed as it was stored, and as no other kind", (kind, answer, stored) => {
    expect(answer.kind).toBe(kind)
    const answered = readers.map((read) => read(answer)).filter((one) => one !== undefined)
    expect(answered).toMatchObject([{ value: stored }])
  })

  it("is kept for 24 h", () => {
    expect(Idempotency.RETENTION).toBe(DAY_MS)
    expect(Idempotency.isKept(record(), NOW + DAY_MS - 1)).toBe(true)
    expect(Idempotency.isKept(record(), NOW + DAY_MS)).toBe(false)
  })
})

describe("A later request under the key (W2)", () => {
  const refusal = (of: Idempotency.IdempotencyRecord, fingerprint = "f") =>
    Result.getOrThrow(Result.flip(Idempotency.answer("Done", of, { fingerprint })))

  it("gets the first request's answer or refusal", () => {
    expect(Result.getOrThrow(Idempotency.answer("Plan", record(), { fingerprint: "f" }))).toEqual(plan())
    const busy = Refusal.toPlain(new Refusal.SimBusy({ iccid: ICCID }))
    expect(refusal(record({ outcome: { _tag: "Refused", refusal: busy } }))).toBe(busy)
  })

  it("is known to get what the first one got, and not a refusal of its own", () => {
    const isReplay = (of: Idempotency.IdempotencyRecord, fingerprint = "f") =>
      Idempotency.isReplay(Idempotency.answer("Plan", of, { fingerprint }))
    const refusal = Refusal.toPlain(new Refusal.NotFound({ resource: "plan", id: "p" }))
    expect([isReplay(record()), isReplay(record({ outcome: { _tag: "Refused", refusal } }))]).toEqual([true, true])
    expect([isReplay(record({ outcome: { _tag: "Pending" } })), isReplay(record(), "other")]).toEqual([false, false])
  })

  it("means what is called, and the value of its JSON", () => {
    expect(Idempotency.meaning("POST /a", { one: 1, two: 2 })).toBe(Idempotency.meaning("POST /a", { two: 2, one: 1 }))
    expect(Idempotency.meaning("POST /a", {})).not.toBe(Idempotency.meaning("POST /b", {}))
  })

  it("is refused while the outcome is pending", () => {
    expect(refusal(record({ outcome: { _tag: "Pending" } }))).toMatchObject({ _tag: "RequestInProgress", key: "k" })
  })

  it("is refused if it is another request, or has another kind of answer", () => {
    for (const outcome of [record().outcome, { _tag: "Pending" } as const]) {
      expect(refusal(record({ outcome }), "other")).toMatchObject({ _tag: "IdempotencyKeyReused", key: "k" })
    }
    expect(refusal(record())).toMatchObject({ _tag: "IdempotencyKeyReused", key: "k" })
  })
})

describe("An outcome is final (W2)", () => {
  it("if it is a refusal that the telco did not cause", () => {
    expect(Idempotency.isFinal(new Refusal.NotFound({ resource: "plan", id: "p" }))).toBe(true)
    expect(Idempotency.isFinal(new Refusal.TelcoRefused({ message: "no" }))).toBe(false)
    expect(Idempotency.isFinal(new Refusal.TelcoUnavailable({ retryAfterSeconds: 5 }))).toBe(false)
    expect(Idempotency.isFinal(new Refusal.SimBusy({ iccid: ICCID }))).toBe(false)
    expect(Idempotency.isFinal(new Refusal.SmsLimited({ iccid: ICCID, retryAfterSeconds: 5 }))).toBe(false)
    expect(Idempotency.isFinal(new Refusal.QuotaExceeded({ kind: "plans", quota: 1 }))).toBe(false)
    // The attempt of the same key that another one holds: recorded, it would be the key's answer
    // for a day.
    expect(Idempotency.isFinal(new Refusal.RequestInProgress({ key: "k" }))).toBe(false)
    expect(Idempotency.isFinal(new Error("NotFound"))).toBe(false)
    expect(Idempotency.isOfTwin(new Refusal.RequestInProgress({ key: "k" }))).toBe(true)
    expect(Idempotency.isOfTwin(new Refusal.SimBusy({ iccid: ICCID }))).toBe(false)
    expect(Idempotency.isFinal(undefined)).toBe(false)
  })
})

describe("An attempt that was interrupted (S5)", () => {
  const outcome = { _tag: "Interrupted", iccid: ICCID, attemptId: "a" } as const

  it("is gone on with by the same request, and by no other", () => {
    expect(Idempotency.interruptedBy(record({ outcome }), { fingerprint: "f" })).toBe(outcome)
    expect(Idempotency.interruptedBy(record({ outcome }), { fingerprint: "other" })).toBeNull()
    const held = { ...outcome, heldUntil: 5 } as const
    expect(Idempotency.interruptedBy(record({ outcome: held }), { fingerprint: "f" }, 4)).toBeNull()
    expect(Idempotency.interruptedBy(record({ outcome: held }), { fingerprint: "f" }, 5)).toBe(held)
    expect(Idempotency.interruptedBy(record({ outcome: { _tag: "Pending" } }), { fingerprint: "f" })).toBeNull()
    expect(Idempotency.answer("Created", record({ outcome }), { fingerprint: "f" })).toMatchObject({
      failure: { _tag: "RequestInProgress" }
    })
  })

  it("is undone 5 s after its request was asked to come again", () => {
    expect(Idempotency.undoneAt(NOW, 0)).toBe(NOW + 5_000)
    expect(Idempotency.undoneAt(NOW, 30)).toBe(NOW + 35_000)
  })

  it("is resumed once the record is of a request that goes on with it", () => {
    const resumed = (outcome: Idempotency.IdempotencyRecord["outcome"]) =>
      Idempotency.isResumed(record({ outcome }), "a")
    expect(resumed({ _tag: "Pending", attemptId: "a" })).toBe(true)
    expect([{ _tag: "Pending", attemptId: "b" } as const, { _tag: "Pending" } as const, outcome].map(resumed)).toEqual([
      false,
      false,
      false
    ])
    expect(Idempotency.isResumed(null, "a")).toBe(false)
  })
})
