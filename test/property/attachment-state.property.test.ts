/**
 * Random states (rule T2): they follow the rule and only move forward.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { attached, NOW } from "../domain/Values.ts"
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

const recurring = fc
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
      fc.property(fc.oneof(single, recurring), near, fc.nat(9_000 * DAY_MS), (of, now, later) => {
        const [before, after] = [Attachment.state(of, now), Attachment.state(of, now + later)]
        expect(ranks[after]).toBeGreaterThanOrEqual(ranks[before])
        if (before === "SUSPENDED" || before === "EXPIRED") expect(after).toBe(before)
      }),
      { numRuns: 2_000 }
    )
  })
})
