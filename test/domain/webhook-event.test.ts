/**
 * The body of a webhook (rule W5): the exact bytes for each type, and the same bytes after a
 * receiver has parsed and serialized them.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as WebhookEvent from "../../src/domain/WebhookEvent.ts"
import { ICCID, NOW } from "./Values.ts"

const body = (payload: WebhookEvent.Payload, createdAt = NOW) =>
  WebhookEvent.body({ organizationId: "organization", eventId: "e-1", createdAt, payload })
const seconds = NOW / 1000

const consumed: WebhookEvent.Payload = {
  type: "attachment.allowanceConsumed",
  data: {
    usagePercentage: 80,
    dataUsageBytes: 2 ** 53 - 1,
    esim: ICCID,
    planId: "p",
    attachmentId: "a",
    subscriptionId: "s",
    metadata: "order 4711"
  }
}
const moved: WebhookEvent.Payload = {
  type: "subscription.esim.locationChanged",
  data: { esim: ICCID, countryIso2: "SE", previousCountryIso2: null }
}
const state: WebhookEvent.Payload = {
  type: "esim.smdp.stateChanged",
  data: { sim: ICCID, smdpStateChange: { state: "BPP Installation", modificationResult: 'Süccess "\u2028\ud800' } }
}

describe("A webhook's body (W5)", () => {
  it("for a consumed allowance", () => {
    expect(body(consumed)).toBe(
      `{"id":"e-1","type":"attachment.allowanceConsumed","timestamp":${seconds},"data":{"usagePercentage":80,` +
        `"dataUsageBytes":9007199254740991,"esim":"${ICCID}","planId":"p","attachmentId":"a","subscriptionId":"s","metadata":"order 4711"}}`
    )
  })

  it("for a changed country, with the one before if there was one", () => {
    const start = `{"id":"e-1","type":"subscription.esim.locationChanged","timestamp":${seconds},"data":{"esim":"${ICCID}",`
    expect(body(moved)).toBe(`${start}"countryIso2":"SE","previousCountryIso2":null}}`)
    expect(body({ ...moved, data: { ...moved.data, previousCountryIso2: "NO" } })).toBe(
      `${start}"countryIso2":"SE","previousCountryIso2":"NO"}}`
    )
  })

  it("for a changed SM-DP+ state", () => {
    const change = { state: "Enable", modificationResult: "Success" }
    expect(body({ ...state, data: { sim: ICCID, smdpStateChange: change } })).toBe(
      `{"id":"e-1","type":"esim.smdp.stateChanged","timestamp":${seconds},"data":{"sim":"${ICCID}",` +
        `"smdpStateChange":{"state":"Enable","modificationResult":"Success"}}}`
    )
  })

  it("has whole seconds of Unix time", () => {
    const at = (createdAt: number): unknown => JSON.parse(body(moved, createdAt)).timestamp
    expect([NOW, NOW + 999, NOW + 1_000, 0, -1].map(at)).toEqual([seconds, seconds, seconds + 1, 0, -1])
  })

  it("keeps its bytes after parsing and serializing", () => {
    for (const payload of [consumed, moved, state]) {
      expect(JSON.stringify(JSON.parse(body(payload)))).toBe(body(payload))
      expect(Buffer.from(body(payload)).toString("utf8")).toBe(body(payload))
    }
  })

  it("names one SIM", () => {
    expect([consumed, moved, state].map(WebhookEvent.iccid)).toEqual([ICCID, ICCID, ICCID])
  })

  it("has one of the interface's three types", () => {
    expect(WebhookEvent.standardTypes).toEqual([consumed.type, moved.type, state.type])
  })
})

describe("The types that an endpoint asks for", () => {
  const refusal = (names: ReadonlyArray<string>) => Result.getOrThrow(Result.flip(WebhookEvent.typesOf(names)))

  it("are each there once, in the order given", () => {
    const types = WebhookEvent.typesOf([state.type, consumed.type, state.type])
    expect(Result.getOrThrow(types)).toEqual([state.type, consumed.type])
  })

  it("W9: are 100 names at most", () => {
    const names = Array.from({ length: 100 }, () => state.type)
    expect(Result.getOrThrow(WebhookEvent.typesOf(names))).toEqual([state.type])
    expect(refusal([...names, state.type])).toMatchObject({ field: "events", message: "must have at most 100 items" })
  })

  it("are known types, and at least one", () => {
    expect(refusal([])).toMatchObject({ field: "events", message: expect.stringContaining("at least one") })
    expect(refusal([state.type, "esim.deleted"])).toMatchObject({
      field: "events",
      message: expect.stringContaining("must hold only attachment.allowanceConsumed, ")
    })
  })
})
