/**
 * API keys (rule W3): their format, the typing errors that the checksum detects, how they are
 * changed, and how long they are valid.
 */
import { crc32 } from "node:zlib"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as ApiKey from "../../src/domain/ApiKey.ts"
import { HOUR } from "../../src/domain/Time.ts"
import { NOW } from "./Values.ts"

const bytes = (make: (index: number) => number) => Uint8Array.from({ length: 32 }, (_, index) => make(index))
const key = ApiKey.fromRandom(bytes((index) => index))

describe("A key's format (W3)", () => {
  // Computed by another program: base 62 of the bytes as one big-endian number, then base 62 of the
  // CRC-32.
  it.each([
    [bytes(() => 0), "simplan_00000000000000000000000000000000000000000002CZclj"],
    [bytes(() => 255), "simplan_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1"],
    [bytes((index) => index), "simplan_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP"]
  ])("is its prefix, secret and checksum", (random, expected) => {
    expect(ApiKey.fromRandom(random)).toBe(expected)
  })

  it("depends on each of 32 random bytes, and on no more", () => {
    const keys = Array.from({ length: 32 }, (_, at) => ApiKey.fromRandom(bytes((index) => (index === at ? 1 : 0))))
    expect(new Set(keys).size).toBe(32)
    expect(ApiKey.fromRandom(Uint8Array.from({ length: 40 }, (_, index) => index))).toBe(key)
  })

  it("ends with the CRC-32 of its secret", () => {
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    expect(value).toBe(crc32(key.slice("simplan_".length, -6)))
  })

  it("has its last four characters as its hint", () => {
    expect(ApiKey.hint(key)).toBe("o7hP")
  })
})

describe("A key is well formed (W3)", () => {
  it("if it is as it was made", () => {
    expect(ApiKey.isWellFormed(key)).toBe(true)
  })

  it("not if one character is changed", () => {
    for (let at = 0; at < key.length; at++) {
      for (const other of "0aA_zZ9 é\n") {
        const typed = key.slice(0, at) + other + key.slice(at + 1)
        expect(ApiKey.isWellFormed(typed)).toBe(typed === key)
      }
    }
  })

  it("not if two neighbouring characters are swapped", () => {
    for (let at = 0; at + 1 < key.length; at++) {
      const typed = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)
      expect(ApiKey.isWellFormed(typed)).toBe(typed === key)
    }
  })

  it.each(["", "simplan_", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase(), key.slice(8)])(
    "nor is %j",
    (text) => {
      expect(ApiKey.isWellFormed(text)).toBe(false)
    }
  )
})

const of = (changes: Partial<ApiKey.ApiKey>): ApiKey.ApiKey => ({
  organizationId: "organization",
  apiKeyId: "key",
  name: "Backend",
  scope: "full",
  hash: "00",
  hint: "o7hP",
  previousHash: null,
  previousUntil: null,
  createdAt: NOW,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  version: 1,
  ...changes
})

describe("A new key", () => {
  const { apiKeyId, expiresAt: never, hash, hint, name, organizationId, scope } = of({})
  const request = { apiKeyId, expiresAt: never, hash, hint, name, organizationId, scope }

  it("is valid from now on, for ever or until it expires", () => {
    expect(Result.getOrThrow(ApiKey.make(request, NOW))).toEqual(of({ version: 0 }))
    const expiring = ApiKey.make({ ...request, expiresAt: NOW + 1 }, NOW)
    expect(Result.getOrThrow(expiring)).toEqual(of({ expiresAt: NOW + 1, version: 0 }))
  })

  it("is refused if it would expire at once", () => {
    for (const expiresAt of [NOW, NOW - 1]) {
      const refusal = Result.getOrThrow(Result.flip(ApiKey.make({ ...request, expiresAt }, NOW)))
      expect(refusal).toMatchObject({ _tag: "InvalidField", field: "expiresAt" })
    }
  })
})

describe("A key is changed (W3)", () => {
  it("by a revocation; a second one keeps the first instant", () => {
    expect(ApiKey.revoked(of({}), NOW)).toEqual(of({ revokedAt: NOW }))
    expect(ApiKey.revoked(of({ revokedAt: NOW }), NOW + 1)).toEqual(of({ revokedAt: NOW }))
  })

  it("by a rotation, which replaces the secret alone and ends the one before", () => {
    const secret = { hash: "ff", hint: "abcd" }
    const key = of({ expiresAt: NOW, previousHash: "11", previousUntil: NOW + 1 })
    expect(Result.getOrThrow(ApiKey.rotated(key, secret, 0, NOW))).toEqual(of({ expiresAt: NOW, ...secret }))
    expect(Result.getOrThrow(Result.flip(ApiKey.rotated(of({ revokedAt: NOW }), secret, 0, NOW)))).toMatchObject({
      _tag: "NotFound",
      resource: "api key",
      id: "key"
    })
  })

  it("by a rotation with an overlap, for which the secret before goes on", () => {
    const [second, third] = [
      { hash: "ff", hint: "abcd" },
      { hash: "fe", hint: "abce" }
    ]
    const rotated = Result.getOrThrow(ApiKey.rotated(of({}), second, 24, NOW))
    expect(rotated).toEqual(of({ ...second, previousHash: "00", previousUntil: NOW + 24 * HOUR }))
    const again = Result.getOrThrow(ApiKey.rotated(rotated, third, 1, NOW + 1))
    expect(again).toEqual(of({ ...third, previousHash: "ff", previousUntil: NOW + 1 + HOUR }))
    for (const hours of [0, 1, 720]) expect(Result.isSuccess(ApiKey.rotated(of({}), second, hours, NOW))).toBe(true)
    for (const hours of [-1, 0.5, 721, NaN, Infinity])
      expect(Result.getOrThrow(Result.flip(ApiKey.rotated(of({}), second, hours, NOW)))).toMatchObject({
        _tag: "InvalidField",
        field: "overlapHours"
      })
  })
})

describe("A key is valid", () => {
  it("before its expiry", () => {
    expect(ApiKey.isValid(of({}), NOW, "00")).toBe(true)
    expect(ApiKey.isValid(of({ expiresAt: NOW + 1 }), NOW, "00")).toBe(true)
    expect(ApiKey.isValid(of({ expiresAt: NOW }), NOW, "00")).toBe(false)
    expect(ApiKey.isValid(of({ expiresAt: NOW - 1 }), NOW, "00")).toBe(false)
  })

  it("by the secret before until that ends, and by no other", () => {
    const rotated = of({ previousHash: "11", previousUntil: NOW + 1 })
    expect(ApiKey.isValid(rotated, NOW, "00")).toBe(true)
    expect(ApiKey.isValid(rotated, NOW, "11")).toBe(true)
    expect(ApiKey.isValid(rotated, NOW + 1, "11")).toBe(false)
    expect(ApiKey.isValid(rotated, NOW + 1, "00")).toBe(true)
    expect(ApiKey.isValid(rotated, NOW, "22")).toBe(false)
    expect(ApiKey.isValid({ ...rotated, expiresAt: NOW }, NOW, "11")).toBe(false)
  })

  it("never after its revocation, whatever the clock says", () => {
    for (const revokedAt of [NOW - 1, NOW, NOW + 1]) {
      const revoked = of({ revokedAt, previousHash: "11", previousUntil: NOW + 1 })
      for (const hash of ["00", "11"]) expect(ApiKey.isValid(revoked, NOW, hash)).toBe(false)
    }
  })
})
