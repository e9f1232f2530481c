/**
 * How large a subscription may become (rule W9): the size is never less than what its attachments
 * take as JSON, and a plan that would make it too large is not attached.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import * as Subscription from "../../src/domain/Subscription.ts"
import { attached, aggregate, NOW, pack, plan, recurring, terms } from "./Values.ts"

const metadata = fc.oneof(
  fc.string({ maxLength: 4_096, size: "max" }),
  fc.string({ unit: "binary", maxLength: 300, size: "max" }),
  fc.nat(4_096).map((length) => "\u0001".repeat(length)),
  fc.nat(4_096).map((length) => "😀".repeat(length))
)

describe("The size of a subscription (W9)", () => {
  it("is at least that of its attachments as JSON, with all packages there", () => {
    const name = fc.string({ unit: "binary", maxLength: 255 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(metadata, name, fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 5 }),
        (all) => {
          const attachments = all.map(([metadata, name, occurrences]) => {
            const { attachment } = attached({ metadata, terms: recurring({ occurrences }, { name }) })
            // As a storage sends them: values without names.
            const packages = Array.from({ length: occurrences }, (_, occurrence) =>
              Object.values({
                ...pack({ occurrence, usedBytes: 2 ** 52 }),
                iccid: "",
                organizationId: "",
                attachmentId: ""
              })
            )
            return { attachment, packages }
          })
          const json = new TextEncoder().encode(JSON.stringify(attachments))
          expect(Subscription.sizeOf(attachments.map(({ attachment }) => attachment))).toBeGreaterThanOrEqual(
            json.length
          )
        }
      ),
      { numRuns: 50 }
    )
  })

  it("leaves room for hundreds of top-ups, and none over the limit", () => {
    const filled = (metadata: string, count: number) =>
      aggregate(Array.from({ length: count }, (_, n) => attached({ attachmentId: `attachment ${n}`, metadata })))
    const subscribe = (metadata: string, count: number) =>
      Provisioning.subscribe(
        plan(),
        filled(metadata, count),
        { metadata, activePeriod: null },
        { subscriptionId: "new", attachmentId: "new" },
        NOW
      )
    expect(Result.isSuccess(subscribe("order 4711", 700))).toBe(true)
    expect(Result.isSuccess(subscribe("x".repeat(4_096), 150))).toBe(true)
    expect(Result.isSuccess(subscribe("😀".repeat(4_096), 55))).toBe(true)
    const { subscription } = filled("", 0)
    for (const [metadata, count] of [
      ["order 4711", 1_000],
      ["😀".repeat(4_096), 65]
    ] as const) {
      expect(Result.getOrThrow(Result.flip(subscribe(metadata, count)))).toMatchObject({
        _tag: "SubscriptionFull",
        subscriptionId: subscription?.subscriptionId
      })
    }
  })

  it("counts the packages that are still to come", () => {
    const all = Array.from({ length: 12 }, () => attached({ terms: recurring({ occurrences: 1_000 }) }).attachment)
    expect(Result.isFailure(Subscription.checkSize("subscription", all))).toBe(true)
    expect(Result.isSuccess(Subscription.checkSize("subscription", all.slice(0, 5)))).toBe(true)
    expect(Subscription.sizeOf([{ metadata: "", terms: terms({ recurrence: null }) }])).toBeLessThan(2_048)
  })

  it("W13: charges what is stored for its packages and its metadata", () => {
    const size = Subscription.storedSizeOf(attached())
    expect(Subscription.storedSizeOf(attached({ metadata: "x".repeat(1_000) }))).toBeGreaterThanOrEqual(size + 900)
    expect(Subscription.storedSizeOf(attached({}, [{}, { occurrence: 1 }]))).toBe(size + 320)
  })
})
