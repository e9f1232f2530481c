/**
 * Webhook endpoints: their state (rule W7), the events that they receive (rule E1), and their
 * signing keys, of which a replaced one goes on signing for 24 h (rule W6).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Delivery from "../../src/domain/Delivery.ts"
import * as Endpoint from "../../src/domain/WebhookEndpoint.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"
import * as Values from "./Values.ts"

const endpoint: Endpoint.WebhookEndpoint = Values.endpoint({
  organizationId: "organization",
  endpointId: "w-1",
  url: "https://hooks.example/simplan",
  version: 1
})
const failing = Endpoint.failed(endpoint, null, NOW)
const gone = Endpoint.disabled(endpoint, "Gone", NOW)

describe("A webhook endpoint (W7)", () => {
  it("is disabled with the reason and the time, and otherwise as it was", () => {
    expect(gone).toEqual({ ...endpoint, disabled: { reason: "Gone", at: NOW } })
    expect(Endpoint.isEnabled(gone)).toBe(false)
  })

  it("keeps the reason that it was disabled for first", () => {
    expect(Endpoint.disabled(gone, "Organization", NOW + 1)).toBe(gone)
  })

  it("is enabled again, and its failures count anew", () => {
    const disabled = Endpoint.disabled(failing, "Organization", NOW)
    expect(Endpoint.enabled(disabled)).toEqual(endpoint)
    expect(Endpoint.enabled(failing)).toBe(failing)
  })

  it("gets nothing once it is deleted", () => {
    const deleted = Endpoint.deleted(endpoint, NOW)
    expect(deleted).toEqual({ ...endpoint, deletedAt: NOW })
    expect(Endpoint.isEnabled(deleted)).toBe(false)
  })
})

describe("The URL of a request (W7)", () => {
  const refusal = (url: string) => Result.getOrThrow(Result.flip(Endpoint.checkTexts({ url })))

  it.each([
    "https://user:password@hooks.example/",
    "https://user@hooks.example/",
    "https://:password@hooks.example",
    "HTTP://user:password@hooks.example/",
    " https://user:password@hooks.example/",
    "https:user:password@hooks.example/",
    "https:\\\\user:password@hooks.example/",
    "https://user:p@ssword@hooks.example:8443/path?query#fragment"
  ])("has no user and no password: %s", (url) => {
    const { username, password } = new URL(url)
    expect(`${username}${password}`).not.toBe("")
    expect(refusal(url)).toMatchObject({
      field: "url",
      message: "must not contain a user or a password: they would not be sent"
    })
  })

  it.each(["\t", "\n", "\r", "\u001f", "\u007f"])("has no control character: %j", (character) => {
    for (const url of [`https://hooks.example/a${character}b`, `${character}https://user@hooks.example/`]) {
      expect(refusal(url)).toMatchObject({ field: "url", message: "must not contain control characters" })
    }
  })

  it.each([
    "https://hooks.example/@user",
    "https://hooks.example?user=a@b.example",
    "https://hooks.example#a@b",
    "https://hooks.example\\a@b",
    "https://bücher.example/ä/%40",
    "amqp://user:password@broker.example/"
  ])("may otherwise be any that the sender takes: %s", (url) => {
    expect(Result.isSuccess(Endpoint.checkTexts({ url }))).toBe(true)
  })
})

describe("A failed attempt (W7)", () => {
  it("is remembered if it is the first", () => {
    expect(failing).toEqual({ ...endpoint, failingSince: NOW })
  })

  it("has the log asked from five days after the first one on", () => {
    expect(Endpoint.mayHaveFailedTooLong(endpoint, NOW + 99 * DAY_MS)).toBe(false)
    expect(Endpoint.mayHaveFailedTooLong(failing, NOW + 5 * DAY_MS - 1)).toBe(false)
    expect(Endpoint.mayHaveFailedTooLong(failing, NOW + 5 * DAY_MS)).toBe(true)
  })

  it("disables the endpoint if nothing but failures came for five days", () => {
    const now = NOW + 5 * DAY_MS
    expect(Endpoint.failed(failing, NOW, now)).toEqual({ ...failing, disabled: { reason: "Failing", at: now } })
    expect(Endpoint.failed(failing, NOW, now - 1)).toEqual(failing)
  })

  it("does not if the failures are younger, because a success came between", () => {
    const now = NOW + 7 * DAY_MS
    const since = NOW + 3 * DAY_MS
    expect(Endpoint.failed(failing, since, now)).toEqual({ ...endpoint, failingSince: since })
    expect(Endpoint.failed(failing, null, now)).toEqual({ ...endpoint, failingSince: now })
  })
})

describe("A success (W7)", () => {
  it("ends the failures, 5 s after the first of them at the soonest, and one that was asked for at once", () => {
    expect(Endpoint.succeeded(failing, NOW + Endpoint.RECOVERY, false)).toEqual(endpoint)
    expect(Endpoint.succeeded(failing, NOW + Endpoint.RECOVERY - 1, false)).toBe(failing)
    expect(Endpoint.succeeded(failing, NOW, true)).toEqual(endpoint)
    expect(Endpoint.succeeded(endpoint, NOW + Endpoint.RECOVERY, true)).toBe(endpoint)
  })

  it("of what had failed always ends them: it is not tried again sooner", () => {
    expect(Math.min(...Delivery.retrySchedule)).toBeGreaterThanOrEqual(Endpoint.RECOVERY)
  })
})

describe("An endpoint fails", () => {
  it("from its first failure on, unless it is disabled or deleted", () => {
    expect(Endpoint.isFailing(failing)).toBe(true)
    expect(Endpoint.isFailing(endpoint)).toBe(false)
    expect(Endpoint.isFailing(Endpoint.disabled(failing, "Organization", NOW))).toBe(false)
    expect(Endpoint.isFailing(Endpoint.deleted(failing, NOW))).toBe(false)
  })

  it("and is counted with the others, with since when the first of them fails", () => {
    expect(Endpoint.failingOf([])).toEqual({ count: 0, since: null })
    const others = [endpoint, failing, { ...failing, failingSince: NOW - DAY_MS }]
    expect(Endpoint.failingOf(others)).toEqual({ count: 2, since: NOW - DAY_MS })
  })
})

describe("The URL of an endpoint (W6)", () => {
  it.each([
    ["https://example.com/hook", "https://example.com/hook"],
    ["https://example.com/hook?token=s3cret", "https://example.com/hook?token=***"],
    ["https://example.com/?a=1&b=&c=x%26y#end", "https://example.com/?a=***&b=&c=***#end"],
    ["https://example.com/?a=b=c&s3cret", "https://example.com/?a=***&***"],
    ["https://example.com/?s3cret", "https://example.com/?***"],
    ["https://example.com/#?a=1", "https://example.com/#?a=1"],
    ["https://user:s3cret@example.com/hook?a=1", "https://***@example.com/hook?a=***"],
    ["https://t0ken@example.com/a@b", "https://***@example.com/a@b"],
    ["HTTPS://a@b:c@example.com", "HTTPS://***@example.com"],
    ["https://example.com/a@b", "https://example.com/a@b"]
  ])("is shown without its user and the values of its query: %s", (url, shown) => {
    expect(Endpoint.shownUrl(url)).toBe(shown)
    expect(Endpoint.shownUrl(shown)).toBe(shown)
    expect(Endpoint.changedUrl({ ...endpoint, url }, shown)).toBe(url)
    expect(Endpoint.changedUrl({ ...endpoint, url }, "https://example.org/?token=***")).toBe(
      "https://example.org/?token=***"
    )
  })
})

describe("That an endpoint was disabled (E1)", () => {
  const disabledAt = new Date(NOW).toISOString()

  it.each([
    ["Gone", "gone"],
    ["Failing", "failing"]
  ] as const)("is notified if the service did it: %s", (by, reason) => {
    expect(Endpoint.disabledPayloads(Endpoint.disabled(endpoint, by, NOW))).toEqual([
      { type: "endpoint.disabled", data: { webhookEndpointId: "w-1", url: endpoint.url, reason, disabledAt } }
    ])
  })

  it("W6: is notified without the values of its query", () => {
    const disabled = Endpoint.disabled({ ...endpoint, url: "https://a.example/?token=secret" }, "Gone", NOW)
    expect(Endpoint.disabledPayloads(disabled)).toMatchObject([{ data: { url: "https://a.example/?token=***" } }])
  })

  it("is not notified if the organization did it, nor of one that is enabled", () => {
    expect(Endpoint.disabledPayloads(Endpoint.disabled(endpoint, "Organization", NOW))).toEqual([])
    expect(Endpoint.disabledPayloads(endpoint)).toEqual([])
  })

  it("is received by the others that name the type, not by the endpoint itself", () => {
    const [payload] = Endpoint.disabledPayloads(gone)
    if (payload === undefined) throw new Error("nothing is notified")
    const naming = { ...endpoint, events: ["endpoint.disabled" as const] }
    expect(Endpoint.receives({ ...naming, endpointId: "w-2" }, payload)).toBe(true)
    expect(Endpoint.receives({ ...endpoint, endpointId: "w-2" }, payload)).toBe(false)
    expect(Endpoint.receives(naming, payload)).toBe(false)
  })
})

describe("An endpoint that misses an event (W7)", () => {
  const created = { type: "subscription.created", data: { esim: "sim", subscriptionId: "s", metadata: "" } } as const
  const naming = { ...endpoint, events: [created.type] }

  it("is one that the service disabled, and that would receive it", () => {
    expect(Endpoint.misses(Endpoint.disabled(naming, "Failing", NOW), created)).toBe(true)
    expect(Endpoint.misses(Endpoint.disabled(naming, "Gone", NOW), created)).toBe(true)
    expect(Endpoint.misses(gone, created)).toBe(false)
  })

  it("is none that is enabled, deleted, or disabled by its organization", () => {
    expect(Endpoint.misses(naming, created)).toBe(false)
    expect(Endpoint.misses(Endpoint.disabled(naming, "Organization", NOW), created)).toBe(false)
    expect(Endpoint.misses(Endpoint.deleted(Endpoint.disabled(naming, "Gone", NOW), NOW), created)).toBe(false)
  })
})

describe("A test event", () => {
  const payload = { type: "endpoint.test", data: { webhookEndpointId: "w-1" } } as const

  it("is received by its endpoint, whatever its filter, and by no other", () => {
    expect(Endpoint.receives(endpoint, payload)).toBe(true)
    expect(Endpoint.receives({ ...endpoint, events: ["package.created"] }, payload)).toBe(true)
    expect(Endpoint.receives({ ...endpoint, endpointId: "w-2" }, payload)).toBe(false)
    expect(Endpoint.receives(gone, payload)).toBe(false)
  })
})

const signing = { ...endpoint, signingKeys: [{ key: "first", validUntil: null }] }
const rotated = Endpoint.withNewKey(signing, "second", NOW)
const twice = Endpoint.withNewKey(rotated, "third", NOW + HOUR_MS)

describe("Signing keys (W6)", () => {
  it("one key signs for ever", () => {
    expect(Endpoint.keysAt(signing, NOW + 9_999 * DAY_MS)).toEqual(["first"])
  })

  it("a replaced key goes on signing for 24 h, after the new one", () => {
    expect(Endpoint.keysAt(rotated, NOW)).toEqual(["second", "first"])
    expect(Endpoint.keysAt(rotated, NOW + DAY_MS - 1)).toEqual(["second", "first"])
    expect(Endpoint.keysAt(rotated, NOW + DAY_MS)).toEqual(["second"])
  })

  it("after a second rotation, each earlier key signs for 24 h from its own replacement", () => {
    expect(Endpoint.keysAt(twice, NOW + HOUR_MS)).toEqual(["third", "second", "first"])
    expect(Endpoint.keysAt(twice, NOW + DAY_MS - 1)).toEqual(["third", "second", "first"])
    expect(Endpoint.keysAt(twice, NOW + DAY_MS)).toEqual(["third", "second"])
    expect(Endpoint.keysAt(twice, NOW + HOUR_MS + DAY_MS - 1)).toEqual(["third", "second"])
    expect(Endpoint.keysAt(twice, NOW + HOUR_MS + DAY_MS)).toEqual(["third"])
  })

  it("a key whose time is over is removed", () => {
    const later = Endpoint.withNewKey(rotated, "third", NOW + DAY_MS)
    expect(later.signingKeys.map(({ key }) => key)).toEqual(["third", "second"])
  })

  it("nothing else of the endpoint changes", () => {
    expect({ ...rotated, signingKeys: signing.signingKeys }).toEqual(signing)
  })
})

describe("A signing key (W6)", () => {
  it("is whsec_ and the base64 of its 32 bytes", () => {
    const random = Uint8Array.from({ length: 32 }, (_, index) => 8 * index)
    expect(Endpoint.signingKey(random)).toBe(`whsec_${Buffer.from(random).toString("base64")}`)
    expect(Endpoint.signingKey(new Uint8Array(32))).toBe(`whsec_${"A".repeat(43)}=`)
  })
})
