/**
 * Webhook signatures (rule W6), checked by this package and by the library of the Standard Webhooks specification.
 */
import { createHmac, randomBytes } from "node:crypto"
import * as fc from "fast-check"
import { WebhookEndpoint } from "simplan/ports"
import { Signature } from "simplan/webhooks"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"

const signingKey = WebhookEndpoint.signingKey(randomBytes(32))
const otherKey = WebhookEndpoint.signingKey(randomBytes(32))
const timestamp = 1_893_456_000
const now = timestamp * 1000
const payload = { id: "e1", type: "esim.smdp.stateChanged", timestamp, data: { sim: "8988303000000000017", é: "✓" } }
const body = JSON.stringify(payload)
const header = Signature.sign({ timestamp, body, signingKeys: [signingKey] })

describe("A signature", () => {
  it("is HMAC-SHA256 over <t>.<body> keyed by the key's UTF-8 bytes", () => {
    const hex = createHmac("sha256", Buffer.from(signingKey, "utf8")).update(`${timestamp}.${body}`).digest("hex")
    expect(header).toBe(`t=${timestamp},v1=${hex}`)
  })

  it("verifies for the body as text, as bytes and as the payload parsed from it", () => {
    for (const form of [body, Buffer.from(body), JSON.parse(body)]) {
      expect(Signature.verify({ header, body: form, signingKey, now })).toEqual({ _tag: "Verified", timestamp })
    }
  })

  it("verifies under either key while one is rotated, and under one of several at the receiver", () => {
    const both = Signature.sign({ timestamp, body, signingKeys: [otherKey, signingKey] })
    expect(both).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    for (const key of [signingKey, otherKey]) {
      expect(Signature.verify({ header: both, body, signingKey: key, now })._tag).toBe("Verified")
    }
    expect(Signature.verify({ header, body, signingKeys: [otherKey, signingKey], now })._tag).toBe("Verified")
  })

  it("fails under another key, under none and under an empty one", () => {
    const mismatch = { _tag: "SignatureMismatch" }
    expect(Signature.verify({ header, body, signingKey: otherKey, now })).toMatchObject(mismatch)
    expect(Signature.verify({ header, body, now })).toMatchObject(mismatch)
    const forged = Signature.sign({ timestamp, body, signingKeys: [""] })
    expect(Signature.verify({ header: forged, body, signingKey: "", now })).toMatchObject(mismatch)
  })

  it("fails for any other body or timestamp", () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = Buffer.from(body)
        bytes.writeUInt8((bytes.readUInt8(at) ^ change) & 0xff, at)
        expect(Signature.verify({ header, body: bytes, signingKey, now })._tag).toBe("SignatureMismatch")
      })
    )
    const moved = header.replace(`t=${timestamp}`, `t=${timestamp + 1}`)
    expect(Signature.verify({ header: moved, body, signingKey, now })._tag).toBe("SignatureMismatch")
  })

  it("fails when it is older, or further ahead, than is tolerated", () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      Signature.verify({
        header,
        body,
        signingKey,
        now: now + seconds * 1000,
        ...(toleranceSeconds === undefined ? {} : { toleranceSeconds })
      })._tag
    expect([at(0), at(300), at(300.9), at(-300)]).toEqual(Array(4).fill("Verified"))
    expect([at(301), at(-301), at(86_400)]).toEqual(Array(3).fill("TimestampOutOfTolerance"))
    expect([at(10, 10), at(11, 10), at(86_400, 86_400)]).toEqual(["Verified", "TimestampOutOfTolerance", "Verified"])
  })

  it("goes by the machine's clock unless told the time", () => {
    const fresh = Signature.sign({ timestamp: Math.floor(Date.now() / 1000), body, signingKeys: [signingKey] })
    expect(Signature.verify({ header: fresh, body, signingKey })._tag).toBe("Verified")
    expect(Signature.verify({ header, body, signingKey })._tag).toBe("TimestampOutOfTolerance")
  })
})

describe("The header", () => {
  const hex = header.slice(header.indexOf("v1=") + 3)
  const tagOf = (value: string | ReadonlyArray<string> | null | undefined) =>
    Signature.verify({ header: value, body, signingKey, now })._tag

  it.each([undefined, null, ""])("may be missing: %j", (value) => {
    expect(tagOf(value)).toBe("HeaderMissing")
  })

  it.each([
    "nonsense",
    `v1=${hex}`,
    `t=${timestamp}`,
    `t=${timestamp},t=${timestamp},v1=${hex}`,
    `t=,v1=${hex}`,
    `t=-1,v1=${hex}`,
    `t=1e9,v1=${hex}`,
    `t=${timestamp},v1=${hex.slice(2)}`,
    `t=${timestamp},v1=${hex}00`,
    `t=${timestamp},v1=`,
    [header, header]
  ])("is malformed: %j", (value) => {
    expect(tagOf(value)).toBe("HeaderMalformed")
  })

  it.each([`v1=${hex},t=${timestamp}`, `t=${timestamp}, v1=${hex}`, `t=${timestamp},v1=${hex.toUpperCase()}`])(
    "may be written otherwise: %s",
    (value) => {
      expect(tagOf(value)).toBe("Verified")
    }
  )

  it("may carry schemes to come", () => {
    expect(tagOf(`${header},v2=abc`)).toBe("Verified")
    expect(tagOf(`t=${timestamp},v0=${hex}`)).toBe("HeaderMalformed")
  })

  it("never makes the check throw", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, text) => {
        const result = Signature.verify({ header: value, body: text, signingKey, now })
        expect(result._tag).not.toBe("Verified")
      })
    )
  })
})

describe("The Standard Webhooks headers", () => {
  const at = Math.floor(Date.now() / 1000)
  const headers = Signature.standardHeaders({ eventId: "e1", timestamp: at, body, signingKeys: [otherKey, signingKey] })

  it("verify with that specification's library, under either key", () => {
    for (const key of [signingKey, otherKey]) expect(new Webhook(key).verify(body, headers)).toEqual(payload)
  })

  it("do not verify for another body or key", () => {
    expect(() => new Webhook(signingKey).verify(`${body} `, headers)).toThrow()
    expect(() => new Webhook(WebhookEndpoint.signingKey(randomBytes(32))).verify(body, headers)).toThrow()
  })
})
