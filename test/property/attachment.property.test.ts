/**
 * Random attachments: their states follow rule T2 and only move forward, a reader sees them as
 * rule T6 says, and a path names one as rule S4 does.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import { attached, NOW, recurring } from "../domain/Values.ts"
import { recurringTerms } from "./Arbitraries.ts"

const near = fc.oneof(fc.integer({ min: NOW - 3, max: NOW + 3 }), fc.integer({ min: NOW - DAY_MS, max: NOW + DAY_MS }))
const maybe = fc.option(near)

/** An attachment with no package, or one with any times. */
const single = fc
  .record({ package: fc.option(fc.tuple(maybe, maybe)), suspendedAt: fc.option(near, { freq: 5 }) })
  .map(({ package: times, suspendedAt }) => {
    if (times === null) return attached({ suspendedAt })
    const [activationAt, lasting] = times
    const expirationAt = activationAt === null || lasting === null ? null : Math.max(activationAt, lasting)
    return attached({ suspendedAt }, [{ activationAt, expirationAt }])
  })

const recurrent = fc
  .record({ terms: recurringTerms(), anchor: maybe, packaged: fc.boolean() })
  .map(({ anchor, packaged, terms }) => attached({ terms, anchor }, packaged ? [{}] : []))

const ranks = { CREATED: 0, PENDING_FOR_FIRST_USE: 0, ACTIVE: 1, EXPIRED: 2, SUSPENDED: 3 }

describe("A state (T2)", () => {
  it("follows the rule's conditions in their order", () => {
    fc.assert(
      fc.property(single, near, (of, now) => {
        const { activationAt, expirationAt } = of.packages[0] ?? { activationAt: null, expirationAt: null }
        const questions: ReadonlyArray<readonly [boolean, Attachment.State]> = [
          [of.attachment.suspendedAt !== null, "SUSPENDED"],
          [activationAt === null && of.packages.length > 0, "PENDING_FOR_FIRST_USE"],
          [activationAt === null, "CREATED"],
          [now < (activationAt ?? 0), "CREATED"],
          [now >= (expirationAt ?? Number.POSITIVE_INFINITY), "EXPIRED"]
        ]
        const expected = questions.find(([yes]) => yes)?.[1] ?? "ACTIVE"
        expect(Attachment.state(of, now)).toBe(expected)
      }),
      { numRuns: 2_000 }
    )
  })

  it("only moves forward, and does not change after it is final", () => {
    fc.assert(
      fc.property(fc.oneof(single, recurrent), near, fc.nat(9_000 * DAY_MS), (of, now, later) => {
        const [before, after] = [Attachment.state(of, now), Attachment.state(of, now + later)]
        expect(ranks[after]).toBeGreaterThanOrEqual(ranks[before])
        if (before === "SUSPENDED" || before === "EXPIRED") expect(after).toBe(before)
      }),
      { numRuns: 2_000 }
    )
  })
})

/** The first packages of a daily plan, each with its usage. */
const daily = fc
  .record({
    packages: fc.array(
      fc.record({
        usedBytes: fc.nat(9),
        status: fc.constantFrom("Created", "Created", "Created", "Refused", "Lapsed"),
        telcoIsLate: fc.constantFrom(0, 0, 0, HOUR_MS)
      }),
      { maxLength: 6 }
    ),
    occurrences: fc.integer({ min: 6, max: 9 })
  })
  .map(({ occurrences, packages }) =>
    attached(
      { terms: recurring({ occurrences }), anchor: NOW },
      packages.map(({ status, telcoIsLate, usedBytes }, occurrence) => {
        const activationAt = NOW + occurrence * DAY_MS + telcoIsLate
        return { occurrence, status, usedBytes, activationAt, expirationAt: activationAt + DAY_MS }
      })
    )
  )

const moments = fc
  .record({
    day: fc.integer({ min: -1, max: 7 }),
    hour: fc.constantFrom(0, 1, 12),
    ms: fc.integer({ min: -1, max: 1 })
  })
  .map(({ day, hour, ms }) => NOW + day * DAY_MS + hour * HOUR_MS + ms)

describe("A recurring attachment shows (T6)", () => {
  it("the usage of the last package that began, and all packages that were not refused", () => {
    fc.assert(
      fc.property(daily, moments, (of, now) => {
        const shown = Attachment.view(of, now)
        const there = of.packages.filter(({ status }) => status !== "Refused")
        let used = 0
        for (const { activationAt, usedBytes } of there) if ((activationAt ?? now) <= now) used = usedBytes
        expect(shown.usedBytes).toBe(used)
        expect(shown.packages).toEqual(there)
      }),
      { numRuns: 1_000 }
    )
  })

  it("its anchor and its last occurrence's expiry, whatever packages there are", () => {
    fc.assert(
      fc.property(daily, moments, (of, now) => {
        const last = NOW + (of.attachment.terms.recurrence?.occurrences ?? 0) * DAY_MS
        expect(Attachment.view(of, now)).toMatchObject({ activationAt: NOW, expirationAt: last })
        const expected = now < NOW ? "CREATED" : now < last ? "ACTIVE" : "EXPIRED"
        expect(Attachment.state(of, now)).toBe(expected)
      })
    )
  })
})

describe("A non-recurring attachment shows (T6)", () => {
  it("the times and usage of its package", () => {
    const times = fc.option(fc.record({ start: moments, lasting: fc.integer({ min: 1, max: 9 * DAY_MS }) }))
    fc.assert(
      fc.property(times, fc.nat(9), moments, (period, usedBytes, now) => {
        const activationAt = period?.start ?? null
        const expirationAt = period === null ? null : period.start + period.lasting
        const of = attached({}, [{ activationAt, expirationAt, usedBytes }])
        expect(Attachment.view(of, now)).toMatchObject({ activationAt, expirationAt, usedBytes, packages: of.packages })
      })
    )
  })
})

describe("A path names an attachment (S4)", () => {
  it("by its id, else the newest active one with that plan, else the newest with it", () => {
    const attachments = fc
      .array(
        fc.record({
          plan: fc.constantFrom("p", "q", "a1"),
          start: fc.option(fc.integer({ min: -2, max: 2 })),
          suspended: fc.constantFrom(false, false, false, true)
        }),
        { maxLength: 6 }
      )
      .map((all) =>
        all.map(({ plan, start, suspended }, index) => {
          const activationAt = start === null ? null : NOW + start
          return attached({ attachmentId: `a${index}`, planId: plan, suspendedAt: suspended ? NOW : null }, [
            { activationAt, expirationAt: activationAt === null ? null : activationAt + 2 }
          ])
        })
      )
    fc.assert(
      fc.property(attachments, fc.constantFrom("p", "q", "a0", "a1", "a2", "none"), (all, id) => {
        const isActive = ({ attachment: { suspendedAt }, packages: [pack] }: Attachment.WithPackages) =>
          suspendedAt === null &&
          typeof pack?.activationAt === "number" &&
          pack.activationAt <= NOW &&
          NOW < pack.activationAt + 2
        const newest = all.toReversed()
        const ofPlan = newest.filter(({ attachment }) => attachment.planId === id)
        const expected =
          all.find(({ attachment }) => attachment.attachmentId === id) ?? ofPlan.find(isActive) ?? ofPlan[0]
        expect(Attachment.find(all, id, NOW)).toBe(expected)
      }),
      { numRuns: 1_000 }
    )
  })
})
