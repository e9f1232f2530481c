/**
 * Rule E2: which events a handler takes.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Delivery from "../../src/domain/Delivery.ts"
import * as EventHandler from "../../src/domain/EventHandler.ts"
import * as WebhookEvent from "../../src/domain/WebhookEvent.ts"

const make = (changes: Partial<Parameters<typeof EventHandler.make>[0]> = {}) =>
  EventHandler.make({ name: "mailer", types: ["attachment.expired"], createdAt: 1, ...changes })

const given = Result.getOrThrow

const event = (payload: WebhookEvent.Payload, organizationId = "one"): WebhookEvent.WebhookEvent => ({
  organizationId,
  eventId: "event",
  createdAt: 2,
  payload
})

it("takes a name of letters, digits, dots, hyphens and underscores, and types, each once", () => {
  const types = ["attachment.expired", "endpoint.disabled", "attachment.expired"]
  expect(given(make({ name: "Mailer-2.b_c", types }))).toEqual({
    name: "Mailer-2.b_c",
    types: ["attachment.expired", "endpoint.disabled"],
    organizationId: null,
    createdAt: 1
  })
  for (const name of ["", "a b", "a:b", "é", "a".repeat(101)]) {
    expect(make({ name })).toMatchObject({ failure: { field: "name" } })
  }
  for (const wrong of [[], ["attachment"], [WebhookEvent.TEST]]) {
    expect(make({ types: wrong })).toMatchObject({ failure: { field: "types" } })
  }
})

it("is given the types that it names, of its organization, and nothing that is for a single endpoint", () => {
  const disabled = event({
    type: "endpoint.disabled",
    data: {
      webhookEndpointId: "endpoint",
      url: "https://x.example",
      reason: "gone",
      disabledAt: "2026-01-01T00:00:00Z"
    }
  })
  const located = event({
    type: "subscription.esim.locationChanged",
    data: { esim: "1", countryIso2: "SE", previousCountryIso2: null }
  })
  const test = event({ type: WebhookEvent.TEST, data: { webhookEndpointId: "endpoint" } })
  const all = given(make({ types: WebhookEvent.types }))
  expect([disabled, located, test].map((one) => EventHandler.receives(all, one))).toEqual([true, true, false])
  const some = given(make({ types: ["endpoint.disabled"] }))
  expect([disabled, located].map((one) => EventHandler.receives(some, one))).toEqual([true, false])
  const own = given(make({ types: WebhookEvent.types, organizationId: "one" }))
  expect([disabled, { ...disabled, organizationId: "two" }].map((one) => EventHandler.receives(own, one))).toEqual([
    true,
    false
  ])
})

it("takes the same as another whatever the order of the types", () => {
  const types = ["attachment.expired", "attachment.created"]
  const one = given(make({ types }))
  expect(EventHandler.takesTheSame(one, given(make({ types: types.toReversed(), createdAt: 9 })))).toBe(true)
  expect(EventHandler.takesTheSame(one, given(make()))).toBe(false)
  expect(EventHandler.takesTheSame(one, given(make({ types, organizationId: "one" })))).toBe(false)
})

it("stands in a delivery in place of the endpoint", () => {
  const payload = { type: WebhookEvent.TEST, data: { webhookEndpointId: "endpoint" } } as const
  const delivery = Delivery.pending(event(payload), EventHandler.endpointId("mailer"))
  expect(delivery.deliveryId).toBe("event:handler:mailer")
  expect(EventHandler.nameOf(delivery)).toBe("mailer")
  expect(EventHandler.nameOf({ endpointId: "019c13ec-9e00-7000-8d80-95eb11c69d90" })).toBe(null)
})

it("is done once it has succeeded, and else tried again with the reason", () => {
  const payload = { type: WebhookEvent.TEST, data: { webhookEndpointId: "endpoint" } } as const
  const delivery = Delivery.pending(event(payload), EventHandler.endpointId("mailer"))
  expect(Delivery.attempted(delivery, { _tag: "Handled" }, 10, 0)).toMatchObject({
    status: "Delivered",
    lastError: null,
    nextAttemptAt: null
  })
  const failed = Delivery.attempted(delivery, { _tag: "Threw", message: "no mail" }, 10, 0)
  expect(failed).toMatchObject({ status: "Pending", lastError: "no mail", responseStatus: null, nextAttemptAt: 5_010 })
})

describe("the schedule of a handler", () => {
  const schedule = (of: Parameters<typeof Delivery.schedule>[0]) => Result.getOrThrow(Delivery.schedule(of))
  const payload = { type: WebhookEvent.TEST, data: { webhookEndpointId: "endpoint" } } as const
  /** The waits until the event is given up. */
  const waits = (of: Parameters<typeof Delivery.schedule>[0]) => {
    let delivery = Delivery.pending(event(payload), EventHandler.endpointId("mailer"))
    const found: Array<number> = []
    for (;;) {
      delivery = Delivery.attempted(delivery, { _tag: "Threw", message: "no mail" }, 0, 0, schedule(of))
      if (delivery.nextAttemptAt === null) return { found, attempts: delivery.attempts, status: delivery.status }
      found.push(delivery.nextAttemptAt)
    }
  }

  it("is that of rule W7, unless it names its own waits or a number of attempts", () => {
    expect(schedule({})).toEqual(Delivery.standardSchedule)
    expect(waits({})).toEqual({ found: [...Delivery.retrySchedule], attempts: 10, status: "Failed" })
    expect(waits({ maxAttempts: 3 })).toEqual({ found: [5_000, 300_000], attempts: 3, status: "Failed" })
    expect(waits({ waits: [1, 20] })).toEqual({ found: [1, 20], attempts: 3, status: "Failed" })
    expect(waits({ waits: [1, 20], maxAttempts: 5 }).found).toEqual([1, 20, 20, 20])
    expect(waits({ waits: [] })).toEqual({ found: [], attempts: 1, status: "Failed" })
    expect(waits({ maxAttempts: 1 }).attempts).toBe(1)
    expect(schedule({ waits: [], maxAttempts: 5 })).toEqual(Delivery.noRetry)
  })

  it.each([
    [{ waits: [0] }, "waits"],
    [{ waits: [1.5] }, "waits"],
    [{ waits: [Number.NaN] }, "waits"],
    [{ waits: [30 * 86_400_000 + 1] }, "waits"],
    [{ waits: Array.from({ length: 101 }, () => 1) }, "waits"],
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ maxAttempts: 1_001 }, "maxAttempts"],
    [{ maxAttempts: 1.5 }, "maxAttempts"]
  ])("%j is refused", (of, field) => {
    expect(Result.getOrThrow(Result.flip(Delivery.schedule(of)))).toMatchObject({ _tag: "InvalidField", field })
  })
})
