/**
 * Every attachment either gives service or says why not (rule L2).
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import type { Package } from "../../src/domain/Package.ts"
import * as Reason from "../../src/domain/Reason.ts"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import { attached, NOW, terms } from "../domain/Values.ts"
import { recurringTerms } from "./Arbitraries.ts"

const statuses = fc.constantFrom("Created", "Created", "Refused", "Lapsed")
const MEGABYTE = 1_048_576
const used = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -1, max: 1 }))
const throttlings = fc.option(fc.constant([{ percentage: 80, limit: "128" }] as const), { freq: 1 })
const near = fc.oneof(fc.integer({ min: NOW - 3, max: NOW + 3 }), fc.integer({ min: NOW - DAY_MS, max: NOW + DAY_MS }))

const single = fc
  .record({
    times: fc.option(fc.tuple(fc.option(near), fc.option(near))),
    suspendedAt: fc.option(near, { freq: 5 }),
    status: statuses,
    throttling: throttlings,
    used
  })
  .map(({ status, suspendedAt, throttling, times, used }) => {
    const ofPlan = terms({ dataMegaBytes: 2, throttling: throttling ?? [] })
    const usedBytes = Math.max(0, used * 3 * MEGABYTE)
    if (times === null) return attached({ suspendedAt })
    const [activationAt, lasting] = times
    const expirationAt = activationAt === null || lasting === null ? null : Math.max(activationAt, lasting)
    return attached({ suspendedAt, terms: ofPlan }, [{ status, activationAt, expirationAt, usedBytes }])
  })

/** Recurring ones with a part of the packages that are due, each taken, refused or lapsed. */
const recurrent = fc
  .record({
    terms: recurringTerms(12),
    anchor: fc.option(fc.integer({ min: NOW - 40 * DAY_MS, max: NOW + 2 * DAY_MS }), { freq: 9 }),
    suspendedAt: fc.option(near, { freq: 9 }),
    made: fc.array(fc.option(fc.tuple(statuses, used), { freq: 4 }), { maxLength: 12 })
  })
  .map(({ anchor, made, suspendedAt, terms }) => {
    if (anchor === null) return attached({ terms, anchor, suspendedAt }, [{}])
    const due = Recurrence.dueCount(terms.recurrence, anchor, NOW)
    const packages = made.slice(0, due).flatMap((one, occurrence): Array<Partial<Package>> => {
      if (one === null) return []
      const [status, difference] = one
      const usedBytes = difference === 0 ? 0 : terms.dataMegaBytes * MEGABYTE + Math.min(0, difference)
      const { end, start } = Recurrence.window(terms, terms.recurrence, anchor, occurrence)
      return [{ occurrence, status, activationAt: start, expirationAt: end, usedBytes }]
    })
    return attached({ terms, anchor, suspendedAt }, packages)
  })

const job = fc.option(
  fc.record({
    attempts: fc.nat(9),
    dueAt: near,
    waiting: fc.option(fc.record({ reason: fc.constant("unavailable" as const), message: fc.string(), since: near }))
  })
)

const known = fc.record({
  order: job,
  suspendedBy: fc.option(fc.string()),
  suspension: fc.constant(null),
  pausedAt: fc.option(fc.integer({ min: NOW - DAY_MS, max: NOW }), { freq: 1 })
})

/** Which reasons go with a state. */
const reasons: Readonly<Record<Attachment.State, ReadonlyArray<string>>> = {
  SUSPENDED: ["Suspended"],
  EXPIRED: ["Over"],
  PENDING_FOR_FIRST_USE: ["WaitsForFirstUse", "TelcoRefused"],
  CREATED: ["WaitsForStart", "WaitsForOrder", "TelcoUnavailable", "TelcoRefused"],
  ACTIVE: ["none", "Paused", "WaitsForStart", "WaitsForOrder", "TelcoUnavailable", "TelcoRefused", "DataUsed", "Over"]
}

describe("A reason (L2)", () => {
  it("is there unless a package of the telco is active and not used up, and goes with the state", () => {
    fc.assert(
      fc.property(fc.oneof(single, recurrent), known, (of, known) => {
        const reason = Reason.explained(of, known, NOW).reason
        const state = Attachment.state(of, NOW)
        expect(reasons[state]).toContain(reason?._tag ?? "none")
        const active = of.packages.filter(
          ({ activationAt, expirationAt, status }) =>
            status === "Created" && (activationAt ?? NOW + 1) <= NOW && NOW < (expirationAt ?? NOW + 1)
        )
        const { dataMegaBytes, throttling } = of.attachment.terms
        const isServed = active.some(({ usedBytes }) => throttling.length > 0 || usedBytes < dataMegaBytes * MEGABYTE)
        if (reason?._tag === "DataUsed") expect(active).not.toEqual([])
        if (reason?._tag === "Over" || reason?._tag === "WaitsForStart")
          expect(state === "ACTIVE" && active.length > 0).toBe(false)
        expect(reason === null).toBe(state === "ACTIVE" && isServed && known.pausedAt === null)
        expect(reason?._tag === "Paused").toBe(state === "ACTIVE" && isServed && known.pausedAt !== null)
        if (reason?._tag === "WaitsForFirstUse") expect(reason.pausedAt).toBe(known.pausedAt)
      }),
      { numRuns: 3_000 }
    )
  })

  it("of a start names one that lies ahead, and that of an end one that does not", () => {
    fc.assert(
      fc.property(fc.oneof(single, recurrent), known, (of, known) => {
        const reason = Reason.explained(of, known, NOW).reason
        if (reason?._tag === "WaitsForStart") expect(reason.at).toBeGreaterThan(NOW)
        if (reason?._tag === "Over") expect(reason.at).toBeLessThanOrEqual(NOW)
        if (reason !== null) expect(Reason.message(reason)).not.toBe("")
      }),
      { numRuns: 3_000 }
    )
  })

  it("asks for the job of a package that is due, not there, and not over", () => {
    fc.assert(
      fc.property(recurrent, (of) => {
        const { anchor, terms } = of.attachment
        const id = Reason.orderOf(of, NOW)
        if (id === null || anchor === null || terms.recurrence === null) return
        const occurrence = Number(id.slice(id.lastIndexOf(":") + 1))
        expect(of.packages.map((pack) => pack.occurrence)).not.toContain(occurrence)
        expect(Recurrence.dueAt(terms.recurrence, anchor, occurrence)).toBeLessThanOrEqual(NOW)
        expect(Recurrence.window(terms, terms.recurrence, anchor, occurrence).end).toBeGreaterThan(NOW - HOUR_MS)
        expect(
          Reason.explained(of, { order: null, suspendedBy: null, suspension: null, pausedAt: null }, NOW).reason
        ).toEqual({
          _tag: "WaitsForOrder"
        })
      }),
      { numRuns: 3_000 }
    )
  })
})
