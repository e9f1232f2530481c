/**
 * The signing keys of a webhook endpoint (rule W6): a replaced key goes on signing for 24 h.
 */
import { describe, expect, it } from "vitest"
import * as WebhookEndpoint from "../../src/domain/WebhookEndpoint.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"

const endpoint: WebhookEndpoint.WebhookEndpoint = {
  organizationId: "organization",
  endpointId: "w-1",
  url: "https://hooks.example/simplan",
  events: null,
  description: "",
  disabled: null,
  failingSince: null,
  signingKeys: [{ key: "first", validUntil: null }],
  createdAt: NOW,
  deletedAt: null,
  version: 1
}
const rotated = WebhookEndpoint.withNewKey(endpoint, "second", NOW)
const twice = WebhookEndpoint.withNewKey(rotated, "third", NOW + HOUR_MS)

describe("Signing keys (W6)", () => {
  it("one key signs for ever", () => {
    expect(WebhookEndpoint.keysAt(endpoint, NOW + 9_999 * DAY_MS)).toEqual(["first"])
  })

  it("a replaced key goes on signing for 24 h, after the new one", () => {
    expect(WebhookEndpoint.keysAt(rotated, NOW)).toEqual(["second", "first"])
    expect(WebhookEndpoint.keysAt(rotated, NOW + DAY_MS - 1)).toEqual(["second", "first"])
    expect(WebhookEndpoint.keysAt(rotated, NOW + DAY_MS)).toEqual(["second"])
  })

  it("after a second rotation, each earlier key signs for 24 h from its own replacement", () => {
    expect(WebhookEndpoint.keysAt(twice, NOW + HOUR_MS)).toEqual(["third", "second", "first"])
    expect(WebhookEndpoint.keysAt(twice, NOW + DAY_MS - 1)).toEqual(["third", "second", "first"])
    expect(WebhookEndpoint.keysAt(twice, NOW + DAY_MS)).toEqual(["third", "second"])
    expect(WebhookEndpoint.keysAt(twice, NOW + HOUR_MS + DAY_MS - 1)).toEqual(["third", "second"])
    expect(WebhookEndpoint.keysAt(twice, NOW + HOUR_MS + DAY_MS)).toEqual(["third"])
  })

  it("a key whose time is over is removed", () => {
    const later = WebhookEndpoint.withNewKey(rotated, "third", NOW + DAY_MS)
    expect(later.signingKeys.map(({ key }) => key)).toEqual(["third", "second"])
  })

  it("nothing else of the endpoint changes", () => {
    expect({ ...rotated, signingKeys: endpoint.signingKeys }).toEqual(endpoint)
  })
})

describe("A signing key (W6)", () => {
  it("is whsec_ and the base64 of its 32 bytes", () => {
    const random = Uint8Array.from({ length: 32 }, (_, index) => 8 * index)
    expect(WebhookEndpoint.signingKey(random)).toBe(`whsec_${Buffer.from(random).toString("base64")}`)
    expect(WebhookEndpoint.signingKey(new Uint8Array(32))).toBe(`whsec_${"A".repeat(43)}=`)
  })
})
