/**
 * Webhook signatures (rule W6), checked by this package, by the library of the Standard Webhooks
 * specification and by that of Svix.
 */
import { createHmac, randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { runInNewContext } from "node:vm"
import * as fc from "fast-check"
import { WebhookEndpoint } from "simplan/ports"
import { Signature } from "simplan/webhooks"
import { Webhook } from "standardwebhooks"
import { Webhook as Svix } from "svix"
import { build } from "vite"
import { describe, expect, it } from "vitest"

const signingKey = WebhookEndpoint.signingKey(randomBytes(32))
const otherKey = WebhookEndpoint.signingKey(randomBytes(32))
const timestamp = 1_893_456_000
const now = timestamp * 1000
const payload = { id: "e1", type: "esim.smdp.stateChanged", timestamp, data: { sim: "8988303000000000017", é: "✓" } }
const body = JSON.stringify(payload)
const header = Signature.sign({ timestamp, body, signingKeys: [signingKey] })
const detached = new Uint8Array(8)
structuredClone(detached, { transfer: [detached.buffer] })

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

  it("verifies for bytes of any kind, of any realm", () => {
    const bytes = [...Buffer.from(body)]
    const forms: ReadonlyArray<Signature.ToVerify["body"]> = [
      Uint8Array.from(bytes).buffer,
      ...["Uint8Array.from(bytes)", "Uint8Array.from(bytes).buffer", "JSON.parse(body)"].map((text) =>
        runInNewContext(text, { bytes, body })
      )
    ]
    for (const form of forms) {
      expect(Signature.verify({ header, body: form, signingKey, now })).toEqual({ _tag: "Verified", timestamp })
    }
  })

  it.each<readonly [string, unknown, string]>([
    ["nothing", undefined, "not undefined"],
    ["null", null, "not null"],
    ["a number", 7, "not number"],
    ["a stream", new Response("x").body, "not a request or a stream that is still to be read"],
    ["a request", new Request("http://host", { method: "POST", body: "x" }), "not a request or a stream"],
    ["a promise", Promise.resolve(body), "not a promise that is still to be awaited"],
    ["bytes in a list", [...Buffer.from(body)], "not an object of the kind Array"],
    ["an instant", new Date(now), "not an object of the kind Date"],
    ["a form", new URLSearchParams({ body }), "not an object of the kind URLSearchParams"],
    ["bytes that are elsewhere by now", detached, "not an object that is no JSON"],
    ["what is no JSON", { count: 1n }, "not an object that is no JSON"]
  ])("says what is wrong with a body that is %s", (_, given, what) => {
    const of: object = { header, body: given, signingKey, now }
    const verified = Reflect.apply(Signature.verify, undefined, [of])
    expect(verified).toEqual({
      _tag: "BodyMissing",
      message: expect.stringMatching(/^body must be the received body, as text, bytes or the parsed payload, not /)
    })
    expect(verified.message).toContain(what)
  })

  it.each([[[]], [[undefined]], [[null]], [["text"]]])("says that it is given nothing to verify: %j", (given) => {
    expect(Reflect.apply(Signature.verify, undefined, given)).toEqual({
      _tag: "BodyMissing",
      message: expect.stringMatching(/^verify must be given the headers, the body and the signingKey, not \w+$/)
    })
  })

  it("takes headers that cannot be read for missing ones", () => {
    const headers = {
      get: (): string => {
        throw new Error("no headers")
      }
    }
    expect(Signature.verify({ headers, body, signingKey, now })._tag).toBe("HeaderMissing")
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
    expect(Signature.verify({ header, body, now })).toMatchObject({ ...mismatch, message: "No signingKey is given" })
    const forged = Signature.sign({ timestamp, body, signingKeys: [""] })
    expect(Signature.verify({ header: forged, body, signingKey: "", now })).toMatchObject(mismatch)
  })

  it("takes a key as text for a list of keys, and names what is none", () => {
    const of = (keys: object) => Reflect.apply(Signature.verify, undefined, [{ header, body, now, ...keys }])
    expect(of({ signingKeys: signingKey })).toEqual({ _tag: "Verified", timestamp })
    for (const keys of [{ signingKeys: null, signingKey }, { signingKeys: [undefined, signingKey] }]) {
      expect(of(keys)._tag).toBe("Verified")
    }
    for (const [keys, named] of [
      [{ signingKeys: null }, "signingKeys must be a text, or a list of texts, not null"],
      [{ signingKeys: { signingKey } }, "signingKeys must be a text, or a list of texts, not object"],
      [{ signingKeys: [otherKey, 7] }, "signingKeys must be a text, or a list of texts, not number"],
      [{ signingKey: Buffer.from(signingKey) }, "signingKey must be a text, or a list of texts, not object"],
      [{ signingKeys: [] }, "No signingKey is given"],
      [{ signingKeys: otherKey }, "No signature is the body's under a given key"]
    ] as const) {
      expect(of(keys)).toEqual({ _tag: "SignatureMismatch", message: named })
    }
  })

  it("throws nothing, and verifies nothing, whatever it is given in place of one argument", () => {
    const right = { header, body, signingKey, now, toleranceSeconds: 300 }
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })
    const name = fc.constantFrom("header", "headers", "body", "signingKey", "signingKeys", "now", "toleranceSeconds")
    fc.assert(
      fc.property(name, anything, (name, value) => {
        const given = { ...right, ...(name.startsWith("signingKey") && { signingKey: undefined }), [name]: value }
        if (name === "headers") Reflect.deleteProperty(given, "header")
        const { _tag } = Reflect.apply(Signature.verify, undefined, [given])
        if (["body", "header", "headers", "signingKey"].includes(name)) expect(_tag).not.toBe("Verified")
      }),
      { numRuns: 1_000 }
    )
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
    expect([at(0), at(300), at(-300)]).toEqual(Array(3).fill("Verified"))
    expect([at(300.001), at(-300.001), at(86_400)]).toEqual(Array(3).fill("TimestampOutOfTolerance"))
    expect([at(10, 10), at(11, 10), at(86_400, 86_400)]).toEqual(["Verified", "TimestampOutOfTolerance", "Verified"])
  })

  it("goes by the machine's clock unless given the time", () => {
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
  const tagOf = (given: Signature.ToVerify["headers"] = headers, key: string = signingKey, text = body) =>
    Signature.verify({ headers: given, body: text, signingKey: key })._tag

  it.each([
    ["that specification's library", Webhook],
    ["the library of Svix", Svix]
  ])("verify with %s, under either key, and are verified as it makes them", (_, Library) => {
    for (const key of [signingKey, otherKey]) {
      expect(() => new Library(key).verify(body, headers)).not.toThrow()
      const signature = new Library(key).sign("e2", new Date(), body)
      const made = { "webhook-id": "e2", "webhook-timestamp": String(Math.floor(Date.now() / 1000)) }
      expect(tagOf({ ...made, "Webhook-Signature": signature }, key)).toBe("Verified")
      expect(() => new Library(WebhookEndpoint.signingKey(randomBytes(32))).verify(body, headers)).toThrow()
      expect(() => new Library(key).verify(`${body} `, headers)).toThrow()
    }
  })

  it("are verified as Node and as fetch have them, after the signature of simplan's own", () => {
    expect(tagOf()).toBe("Verified")
    expect(tagOf(new Headers(headers))).toBe("Verified")
    const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    expect(tagOf(distinct)).toBe("Verified")
    expect(tagOf(headers, otherKey)).toBe("Verified")
    const own = Signature.sign({ timestamp: at, body, signingKeys: [signingKey] })
    expect(tagOf({ [Signature.HEADER]: own })).toBe("Verified")
    expect(tagOf({ ...distinct, [Signature.HEADER]: [own] })).toBe("Verified")
    expect(tagOf({ ...distinct, [Signature.HEADER]: [own, own] })).toBe("HeaderMalformed")
    expect(tagOf({ ...headers, [Signature.HEADER]: own }, otherKey)).toBe("SignatureMismatch")
  })

  it("do not verify for another body, key, id or time, or with a part missing", () => {
    expect(tagOf(headers, WebhookEndpoint.signingKey(randomBytes(32)))).toBe("SignatureMismatch")
    expect(tagOf(headers, signingKey, `${body} `)).toBe("SignatureMismatch")
    expect(tagOf({ ...headers, "webhook-id": "e2" })).toBe("SignatureMismatch")
    expect(tagOf({ ...headers, "webhook-timestamp": String(at + 1) })).toBe("SignatureMismatch")
    expect(tagOf({})).toBe("HeaderMissing")
    for (const name of ["webhook-id", "webhook-timestamp"])
      expect(tagOf({ ...headers, [name]: "" })).toBe("HeaderMalformed")
    expect(tagOf({ ...headers, "webhook-signature": "v1,AAAA" })).toBe("HeaderMalformed")
    const forged = Signature.standardHeaders({ eventId: "e1", timestamp: at, body, signingKeys: ["whsec_"] })
    expect(tagOf(forged, "whsec_")).toBe("SignatureMismatch")
  })

  it("do not verify when they are older, or further ahead, than is tolerated", () => {
    const tagAt = (millis: number) => Signature.verify({ headers, body, signingKey, now: at * 1000 + millis })._tag
    expect([tagAt(300_000), tagAt(-300_000)]).toEqual(["Verified", "Verified"])
    expect([tagAt(300_001), tagAt(-300_001)]).toEqual(Array(2).fill("TimestampOutOfTolerance"))
  })
})

it("The verifier comes in a bundle without the rest of simplan, of less than 5 kB", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  const conditions = ["simplan-source", "node", "import", "module", "default"]
  const built = await build({
    configFile: false,
    root,
    logLevel: "error",
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: { ssr: "test/webhooks/Verifier.ts", write: false, minify: true, target: "node20" }
  })
  if (!("output" in built)) throw new Error("Nothing was built")
  const [{ code, imports }] = built.output
  expect(built.output).toHaveLength(1)
  expect(imports).toEqual(["node:crypto"])
  expect(code.length).toBeLessThan(5_000)
  expect(code).toContain("timingSafeEqual")
})
