/**
 * Webhook bodies and retries at random (rules W5 and W7).
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Delivery from "../../src/domain/Delivery.ts"
import * as WebhookEvent from "../../src/domain/WebhookEvent.ts"
import { HOUR_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { NOW } from "../domain/Values.ts"
import { instants } from "./Arbitraries.ts"
import * as Values from "../domain/Values.ts"

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom("\ud800", "\u2028", '"\\/', "</script>")
)
const payloads: fc.Arbitrary<WebhookEvent.Payload> = fc.oneof(
  fc.record({
    type: fc.constant("attachment.allowanceConsumed"),
    data: fc.record({
      usagePercentage: fc.constantFrom(50, 80, 100),
      dataUsageBytes: fc.maxSafeNat(),
      esim: text,
      planId: text,
      attachmentId: text,
      subscriptionId: text,
      metadata: text
    })
  }),
  fc.record({
    type: fc.constant("subscription.esim.locationChanged"),
    data: fc.record({ esim: text, countryIso2: text, previousCountryIso2: fc.option(text) })
  }),
  fc.record({
    type: fc.constant("esim.smdp.stateChanged"),
    data: fc.record({ sim: text, smdpStateChange: fc.record({ state: text, modificationResult: text }) })
  })
)

describe("A webhook's body (W5)", () => {
  it("keeps its bytes after a receiver parsed and serialized it, whatever texts are in it", () => {
    fc.assert(
      fc.property(payloads, instants, text, (payload, createdAt, eventId) => {
        const body = WebhookEvent.body({ organizationId: "organization", eventId, createdAt, payload })
        const parsed: unknown = JSON.parse(body)
        expect(JSON.stringify(parsed)).toBe(body)
        expect(new TextDecoder().decode(new TextEncoder().encode(body))).toBe(body)
        expect(parsed).toEqual({
          id: eventId,
          type: payload.type,
          timestamp: Math.floor(createdAt / 1_000),
          data: payload.data
        })
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("Retries (W7)", () => {
  const waits = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)]
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const failure: fc.Arbitrary<Delivery.Attempt> = fc.oneof(
    fc.record({ _tag: fc.constant("Unreachable"), message: fc.string() }),
    fc.record({
      _tag: fc.constant("Responded"),
      status: fc.integer({ min: 100, max: 599 }).filter((status) => (status < 200 || status > 299) && status !== 410)
    })
  )
  const busy: fc.Arbitrary<Delivery.Attempt> = fc.record(
    {
      _tag: fc.constant("Responded" as const),
      status: fc.constantFrom(429, 503, 500, 408),
      retryAfterSeconds: fc.oneof(fc.nat(90_000), fc.double({ min: 0, noNaN: true }), fc.constant(-1))
    },
    { requiredKeys: ["_tag", "status"] }
  )

  it("come no sooner than the receiver asks for by 429 or 503, nor than scheduled, and a fifth later at most, or a day", () => {
    fc.assert(
      fc.property(busy, chance, fc.nat(8), (attempt, random, retryStep) => {
        const before = Values.delivery({ retryStep, attempts: retryStep })
        const waited = (Delivery.attempted(before, attempt, NOW, random).nextAttemptAt ?? 0) - NOW
        const isHeeded = attempt._tag === "Responded" && (attempt.status === 429 || attempt.status === 503)
        const asked = isHeeded ? (attempt.retryAfterSeconds ?? 0) * 1_000 : 0
        const scheduled = waits[retryStep] ?? 0
        expect(waited).toBeGreaterThanOrEqual(Math.round(Math.max(scheduled, Math.min(asked, 24 * HOUR_MS))))
        expect(waited).toBeLessThanOrEqual(Math.round(Math.max(scheduled * 1.2, Math.min(asked * 1.2, 24 * HOUR_MS))))
      })
    )
  })

  it("come after each wait of the retry schedule, lengthened by at most a fifth; the tenth failure is the last", () => {
    const failures = fc.array(fc.record({ failure, chance }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(failures, (all) => {
        let now = NOW
        let delivery: Delivery.Delivery = Values.delivery({
          organizationId: "organization",
          deliveryId: "e:w",
          eventId: "e",
          endpointId: "w"
        })
        for (const [index, { chance: random, failure: attempt }] of all.entries()) {
          delivery = Delivery.attempted(delivery, attempt, now, random)
          expect(delivery).toMatchObject({ attempts: index + 1, lastAttemptAt: now })
          const wait = waits[index]
          if (wait === undefined) {
            expect(delivery).toMatchObject({ status: "Failed", nextAttemptAt: null })
            continue
          }
          const waited = (delivery.nextAttemptAt ?? 0) - now
          expect(delivery.status).toBe("Pending")
          expect(waited).toBeGreaterThanOrEqual(wait)
          expect(waited).toBeLessThanOrEqual(wait * 1.2)
          expect(Number.isInteger(waited)).toBe(true)
          now += waited
        }
      })
    )
  })
})
