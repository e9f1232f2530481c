/**
 * Random reports that name no package (rule R1): usage counts for the active package that expires first, else for the
 * oldest one that waits for its first use. A first use looks for the waiting one first (rule T3).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { MINUTE_MS } from "../domain/Calendar.ts"
import { attached, firstUse, line, NOW, report, total } from "../domain/Values.ts"

/** Few instants, so that boundaries often coincide. */
const near = fc.integer({ min: NOW - 4, max: NOW })

const attachments: fc.Arbitrary<ReadonlyArray<WithPackages>> = fc
  .array(
    fc.record({
      times: fc.option(fc.record({ start: near, lasting: fc.integer({ min: 1, max: 4 }) })),
      suspendedAt: fc.option(near, { freq: 4 }),
      // A first use may lie up to 5 minutes before its attachment.
      createdAt: fc.oneof(
        fc.constant(NOW - 4),
        near.map((at) => at + 5 * MINUTE_MS)
      ),
      confirmed: fc.constantFrom(true, true, true, false),
      status: fc.constantFrom("Created", "Created", "Created", "Refused", "Lapsed")
    }),
    { maxLength: 5 }
  )
  .map((all) =>
    all.map(({ confirmed, createdAt, status, suspendedAt, times }, index) => {
      const activationAt = times?.start ?? null
      const expirationAt = times === null ? null : times.start + times.lasting
      return attached({ attachmentId: `a${index}`, confirmed, createdAt, suspendedAt }, [
        { status, activationAt, expirationAt }
      ])
    })
  )

interface Candidate {
  readonly id: string
  readonly createdAt: number
  readonly start: number | null
  readonly end: number
}

const candidates = (all: ReadonlyArray<WithPackages>, at: number): ReadonlyArray<Candidate> =>
  all.flatMap(({ attachment, packages: [pack] }) => {
    const suspended = attachment.suspendedAt !== null && attachment.suspendedAt <= at
    if (pack === undefined || !attachment.confirmed || suspended || pack.status !== "Created") return []
    return [
      {
        id: attachment.attachmentId,
        createdAt: attachment.createdAt,
        start: pack.activationAt,
        end: pack.expirationAt ?? 0
      }
    ]
  })

/** The rule once more, by sorting. */
const expected = (all: ReadonlyArray<WithPackages>, at: number, isFirstUse: boolean): string | undefined => {
  const waiting = candidates(all, at).filter(
    ({ createdAt, start }) => start === null && createdAt - at <= 5 * MINUTE_MS
  )
  const active = candidates(all, at)
    .filter(({ end, start }) => start !== null && start <= at && at < end)
    .toSorted((left, right) => left.end - right.end)
  return (isFirstUse ? [...waiting, ...active] : [...active, ...waiting])[0]?.id
}

describe("A report that names no package", () => {
  it.each([
    ["R1: counts for the active one that expires first, else the oldest that waits", false, total(5)],
    ["T3: of a first use, for the oldest that waits, else the active one", true, firstUse()]
  ])("%s", (_, isFirstUse, fact) => {
    fc.assert(
      fc.property(attachments, near, (all, at) => {
        const applied = TelcoReport.apply(line(all), report(fact, at), NOW + 10 * MINUTE_MS)
        const id = expected(all, at, isFirstUse)
        expect(Result.isSuccess(applied)).toBe(id !== undefined)
        if (Result.isFailure(applied)) return
        for (const [index, { attachment, packages }] of applied.success.aggregate.attachments.entries()) {
          const before = all[index]?.packages[0]
          if (attachment.attachmentId !== id) expect(packages[0]).toEqual(before)
          else {
            expect(packages[0]?.usedBytes).toBe(isFirstUse ? 0 : 5)
            expect(packages[0]?.activationAt).toBe(before?.activationAt ?? at)
          }
        }
      }),
      { numRuns: 1_000 }
    )
  })
})
