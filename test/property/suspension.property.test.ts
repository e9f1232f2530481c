/**
 * Random suspensions (rule T7): every visible attachment that is not over can be suspended, for
 * good, and a job calls the telco.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import * as Suspension from "../../src/domain/Suspension.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { attached, ICCID, aggregate, NOW } from "../domain/Values.ts"
import { commit } from "./Committing.ts"

/** Few instants, so that boundaries often coincide. */
const near = fc.integer({ min: NOW - 3, max: NOW + 3 })

const attachments = fc
  .array(
    fc.record({
      start: fc.option(near),
      lasting: fc.integer({ min: 1, max: 3 }),
      confirmed: fc.constantFrom(true, true, true, false),
      suspendedAt: fc.option(near, { freq: 3 })
    }),
    { minLength: 1, maxLength: 3 }
  )
  .map((all) =>
    all.map(({ confirmed, lasting, start, suspendedAt }, index) =>
      attached({ attachmentId: `a${index}`, confirmed, suspendedAt }, [
        { activationAt: start, expirationAt: start === null ? null : start + lasting }
      ])
    )
  )

describe("A suspension (T7)", () => {
  it("leaves a job for the telco, changes nothing a second time, and is refused after the expiry", () => {
    fc.assert(
      fc.property(attachments, fc.constantFrom("a0", "a1", "a2"), (all, id) => {
        const of = all.find(({ attachment }) => attachment.attachmentId === id)
        const suspended = Suspension.suspend(aggregate(all), id, NOW)
        const expirationAt = of?.packages[0]?.expirationAt ?? NOW + 1
        if (of === undefined || !of.attachment.confirmed) {
          expect(Result.getOrThrow(Result.flip(suspended))).toMatchObject({ _tag: "NotFound" })
        } else if (of.attachment.suspendedAt !== null) {
          expect(Result.getOrThrow(suspended)).toEqual({})
        } else if (expirationAt <= NOW) {
          expect(Result.getOrThrow(Result.flip(suspended))).toMatchObject({ _tag: "AttachmentExpired" })
        } else {
          const work = { _tag: "SuspendPackages", iccid: ICCID, attachmentId: id }
          expect(Result.getOrThrow(suspended).jobs).toEqual([{ jobId: `suspend:${id}`, work, dueAt: NOW }])
          const after = commit({ aggregate: aggregate(all), jobs: new Map() }, Result.getOrThrow(suspended))
          expect(SimAggregate.attachment(after.aggregate, id)).toEqual({
            ...of,
            attachment: { ...of.attachment, suspendedAt: NOW }
          })
          const again = Suspension.suspend(after.aggregate, id, NOW + DAY_MS)
          expect(Result.getOrThrow(again)).toEqual({})
        }
      }),
      { numRuns: 1_000 }
    )
  })
})
