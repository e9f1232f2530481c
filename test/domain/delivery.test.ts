/**
 * Deliveries and the schedule of their retries (rule W7).
 */
import { describe, expect, it } from "vitest"
import * as Delivery from "../../src/domain/Delivery.ts"
import type * as WebhookEvent from "../../src/domain/WebhookEvent.ts"
import { HOUR_MS, MINUTE_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"
import * as Values from "./Values.ts"

const pending: Delivery.Delivery = Values.delivery({
  organizationId: "organization",
  deliveryId: "e-1:w-1",
  eventId: "e-1",
  endpointId: "w-1"
})

/** The waits as rule W7 lists them. */
const waits = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS
]
const responded = (status: number): Delivery.Attempt => ({ _tag: "Responded", status })
const unreachable: Delivery.Attempt = { _tag: "Unreachable", message: "connection refused" }

/** The pending delivery after this many failed attempts. */
const failed = (times: number, random = 0): Delivery.Delivery => {
  let delivery = pending
  for (let left = times; left > 0; left--) delivery = Delivery.attempted(delivery, responded(500), NOW, random)
  return delivery
}

it("a delivery is due at once when it is first written", () => {
  const event: WebhookEvent.WebhookEvent = {
    organizationId: "organization",
    eventId: "e-1",
    createdAt: NOW,
    payload: {
      type: "subscription.esim.locationChanged",
      data: { esim: "1", countryIso2: "SE", previousCountryIso2: null }
    }
  }
  expect(Delivery.pending(event, "w-1")).toEqual(pending)
})

describe("A failed attempt (W7)", () => {
  it.each(waits.map((wait, index) => [index + 1, wait] as const))(
    "number %i is followed by one after %i ms",
    (n, wait) => {
      expect(failed(n)).toMatchObject({ status: "Pending", attempts: n, nextAttemptAt: NOW + wait })
    }
  )

  it("is followed by a wait that is up to 20 % longer, and never shorter", () => {
    for (const [index, wait] of waits.entries()) {
      expect(failed(index + 1, 0.5).nextAttemptAt).toBe(NOW + wait * 1.1)
      const longest = failed(index + 1, 1 - Number.EPSILON).nextAttemptAt ?? 0
      expect(longest).toBeGreaterThan(NOW + wait * 1.19)
      expect(longest).toBeLessThanOrEqual(NOW + wait * 1.2)
      expect(Number.isInteger(failed(index + 1, 0.123_456_789).nextAttemptAt)).toBe(true)
    }
  })

  it.each([
    [429, 40, 40_000],
    [503, 40, 40_000],
    [429, 4, 5_000],
    [429, 86_401, 24 * HOUR_MS],
    [429, Number.POSITIVE_INFINITY, 24 * HOUR_MS],
    [500, 40, 5_000],
    [301, 40, 5_000]
  ])("is a %i that asks for %i s, and is followed by one after %i ms", (status, retryAfterSeconds, wait) => {
    const attempt: Delivery.Attempt = { _tag: "Responded", status, retryAfterSeconds }
    expect(Delivery.attempted(pending, attempt, NOW, 0).nextAttemptAt).toBe(NOW + wait)
    const longest = Math.min(wait * 1.1, 24 * HOUR_MS)
    expect(Delivery.attempted(pending, attempt, NOW, 0.5).nextAttemptAt).toBe(NOW + longest)
    expect(Delivery.attempted(failed(9), attempt, NOW, 0)).toMatchObject({ status: "Failed", nextAttemptAt: null })
  })

  it("number 10 ends the delivery", () => {
    expect(failed(10)).toMatchObject({ status: "Failed", attempts: 10, nextAttemptAt: null })
  })

  it.each([100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 429, 500, 503, 599])(
    "is a response of %i",
    (status) => {
      expect(Delivery.attempted(pending, responded(status), NOW + 3, 0)).toEqual({
        ...pending,
        attempts: 1,
        retryStep: 1,
        responseStatus: status,
        lastError: `status ${status}`,
        lastAttemptAt: NOW + 3,
        nextAttemptAt: NOW + 3 + 5_000
      })
    }
  )

  it("may also have no response", () => {
    const before = { ...pending, responseStatus: 500 }
    expect(Delivery.attempted(before, unreachable, NOW, 0)).toMatchObject({
      status: "Pending",
      responseStatus: null,
      lastError: "connection refused"
    })
  })
})

describe("An attempt ends a delivery (W7)", () => {
  it.each([200, 201, 202, 204, 299])("with a response of %i", (status) => {
    expect(Delivery.attempted(failed(3), responded(status), NOW + 7, 0)).toMatchObject({
      status: "Delivered",
      attempts: 4,
      responseStatus: status,
      lastError: null,
      lastAttemptAt: NOW + 7,
      nextAttemptAt: null
    })
  })

  it("with 410 at once: no retry follows", () => {
    expect(Delivery.attempted(pending, responded(410), NOW, 0)).toMatchObject({
      status: "Failed",
      attempts: 1,
      responseStatus: 410,
      lastError: "status 410",
      nextAttemptAt: null
    })
  })

  it.each([200, 404, 409, 411, 500])("and 410 alone disables the endpoint, %i does not", (status) => {
    expect(Delivery.isGone(Delivery.attempted(pending, responded(410), NOW, 0))).toBe(true)
    expect(Delivery.isGone(Delivery.attempted(pending, responded(status), NOW, 0))).toBe(false)
    expect(Delivery.isGone(Delivery.attempted(pending, unreachable, NOW, 0))).toBe(false)
  })

  it("and so does the end of its endpoint, without an attempt", () => {
    expect(Delivery.abandoned(failed(2), "the endpoint is disabled")).toEqual({
      ...failed(2),
      status: "Failed",
      lastError: "the endpoint is disabled",
      nextAttemptAt: null
    })
  })
})

describe("The log of attempts (W7)", () => {
  it("keeps the time, the duration, the status and the beginning of the answer, without NUL", () => {
    const attempt = { ...responded(503), body: "down\0" }
    expect(Delivery.logged(Delivery.attempted(failed(2), attempt, NOW + 3, 0), attempt, NOW + 3, 12)).toEqual({
      number: 3,
      at: NOW + 3,
      durationMillis: 12,
      responseStatus: 503,
      error: "status 503",
      responseBody: "down\uFFFD"
    })
  })

  it("keeps why there was no answer", () => {
    expect(Delivery.logged(Delivery.attempted(pending, unreachable, NOW, 0), unreachable, NOW, null)).toEqual({
      number: 1,
      at: NOW,
      durationMillis: null,
      responseStatus: null,
      error: "connection refused",
      responseBody: null
    })
  })
})

describe("A replay (W7)", () => {
  it("is due at once, begins the retry schedule anew, and goes on counting attempts", () => {
    for (const ended of [failed(10), Delivery.attempted(pending, responded(200), NOW, 0)]) {
      const replay = Delivery.replayed(ended, NOW + 9)
      expect(replay).toMatchObject({ status: "Pending", nextAttemptAt: NOW + 9, attempts: ended.attempts })
      const again = Delivery.attempted(replay, unreachable, NOW + 9, 0)
      expect(again).toMatchObject({ nextAttemptAt: NOW + 9 + 5_000, attempts: ended.attempts + 1 })
    }
  })
})

describe("What a delivery has met (W7)", () => {
  it("was after a replay, if its last attempt was the first one since", () => {
    const again = Delivery.attempted(Delivery.replayed(failed(2), NOW), unreachable, NOW, 0)
    expect([pending, failed(1), failed(2), again].map(Delivery.isReplay)).toEqual([false, false, false, true])
    expect(Delivery.isReplay(Delivery.attempted(again, unreachable, NOW, 0))).toBe(false)
  })

  it("is nothing before an attempt, no answer, or the class of one", () => {
    const all = [pending, Delivery.attempted(pending, unreachable, NOW, 0), failed(1)]
    expect(all.map(Delivery.answerOf)).toEqual(["untried", "none", "5xx"])
  })

  it("is under way while it is due, and not while it waits", () => {
    const next = failed(1)
    expect([NOW, NOW + 4_999, NOW + 5_000].map((now) => Delivery.isUnderWay(next, now))).toEqual([false, false, true])
    expect(Delivery.isUnderWay(failed(10), NOW)).toBe(false)
  })
})

describe("A delivery's id", () => {
  it("names its event and its endpoint", () => {
    expect(pending.deliveryId).toBe("e-1:w-1")
  })
})
