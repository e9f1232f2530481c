/**
 * Operators of the service: roles, tokens and what one of them sees (rule W14).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Operator from "../../src/domain/Operator.ts"
import { DAY } from "../../src/domain/Time.ts"
import { NOW, operator as of } from "./Values.ts"

const { createdAt: _, deletedAt: __, previousHash: ___, previousUntil: ____, version: _____, ...request } = of()

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

describe("A new operator", () => {
  it("is there from now on, for ever or until it expires", () => {
    expect(Result.getOrThrow(Operator.make(request, NOW))).toEqual(of())
    const bound = { ...request, organizationId: "organization", expiresAt: NOW + 1 }
    expect(Result.getOrThrow(Operator.make(bound, NOW))).toEqual(
      of({ organizationId: "organization", expiresAt: NOW + 1 })
    )
  })

  it("is refused if it would expire at once", () => {
    for (const expiresAt of [NOW, NOW - 1]) {
      expect(refusal(Operator.make({ ...request, expiresAt }, NOW))).toMatchObject({ field: "expiresAt" })
    }
  })

  it.each([
    "bootstrap",
    "admin",
    "telco",
    "host",
    "anyone",
    "Bootstrap",
    "HOST",
    " host ",
    "oidc:ada",
    "OIDC:",
    "0190b3a4-0000-7000-8000-000000000001",
    "0190B3A4-0000-7000-8000-000000000001"
  ])("is not named as audit entries name others: %s", (name) => {
    expect(refusal(Operator.make({ ...request, name }, NOW))).toMatchObject({ _tag: "InvalidField", field: "name" })
  })
})

describe("An operator is changed (W14)", () => {
  const secret = { hash: "ff", hint: "abcd" }

  it("by a deletion; a second one keeps the first instant", () => {
    expect(Operator.deleted(of(), NOW)).toEqual(of({ deletedAt: NOW }))
    expect(Operator.deleted(of({ deletedAt: NOW }), NOW + 1)).toEqual(of({ deletedAt: NOW }))
  })

  it("by a rotation, which replaces the token alone, and keeps the one before for a day", () => {
    const rotated = Result.getOrThrow(Operator.rotated(of({ expiresAt: NOW }), secret, NOW))
    expect(rotated).toEqual(of({ expiresAt: NOW, ...secret, previousHash: "hash", previousUntil: NOW + DAY }))
    expect(refusal(Operator.rotated(of({ deletedAt: NOW }), secret, NOW))).toMatchObject({
      _tag: "NotFound",
      resource: "operator",
      id: "operator"
    })
  })
})

describe("A token ends", () => {
  const rotated = { hash: "ff", previousHash: "hash", previousUntil: NOW + DAY }
  const endOf = (changes: Partial<Operator.Operator>, hash = "hash") => Operator.endOf(of(changes), hash)

  it("with its operator", () => {
    expect([endOf({}), endOf({ expiresAt: NOW })]).toEqual([null, NOW])
    expect([endOf(rotated, "ff"), endOf({ ...rotated, expiresAt: NOW }, "ff")]).toEqual([null, NOW])
  })

  it("a day after it was replaced, where its operator does not before", () => {
    expect(endOf(rotated)).toBe(NOW + DAY)
    expect(endOf({ ...rotated, expiresAt: NOW + 1 })).toBe(NOW + 1)
    expect(endOf({ ...rotated, expiresAt: NOW + 2 * DAY })).toBe(NOW + DAY)
  })
})

describe("A token is good", () => {
  const isValid = (changes: Partial<Operator.Operator>, hash = "hash", now = NOW) =>
    Operator.isValid(of(changes), now, hash)

  it("until its operator expires or is deleted", () => {
    expect(isValid({})).toBe(true)
    expect(isValid({ expiresAt: NOW + 1 })).toBe(true)
    expect(isValid({ expiresAt: NOW })).toBe(false)
    expect(isValid({ deletedAt: NOW })).toBe(false)
    expect(isValid({}, "other")).toBe(false)
  })

  it("for a day after it was replaced, and no longer than its operator", () => {
    const rotated = { hash: "ff", previousHash: "hash", previousUntil: NOW + DAY }
    expect(isValid(rotated, "ff", NOW + 2 * DAY)).toBe(true)
    expect(isValid(rotated, "hash", NOW + DAY - 1)).toBe(true)
    expect(isValid(rotated, "hash", NOW + DAY)).toBe(false)
    expect(isValid({ ...rotated, expiresAt: NOW + 1 }, "hash", NOW + 1)).toBe(false)
    expect(isValid({ ...rotated, deletedAt: NOW }, "hash", NOW)).toBe(false)
  })

  it("for all of its rotations: the last two, as long as they go on", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 * DAY }), { maxLength: 6 }), fc.nat(3 * DAY), (waits, later) => {
        let [now, stored] = [NOW, of({ hash: "0" })]
        for (const [index, wait] of waits.entries()) {
          now += wait
          stored = Result.getOrThrow(Operator.rotated(stored, { hash: String(index + 1), hint: "" }, now))
        }
        const good = waits
          .map((_, index) => index)
          .filter((hash) => Operator.isValid(stored, now + later, String(hash)))
        expect(Operator.isValid(stored, now + later, String(waits.length))).toBe(true)
        expect(good).toEqual(later < DAY && waits.length > 0 ? [waits.length - 1] : [])
      })
    )
  })
})

describe("A role", () => {
  it("may do what those before it may, and no more", () => {
    const allowed = Operator.roles.map((role) => Operator.roles.filter((least) => Operator.allows(role, least)))
    expect(allowed).toEqual([["read"], ["read", "support"], ["read", "support", "admin"]])
  })

  it("may change a few SIMs at once, or any number", () => {
    expect(Operator.roles.map(Operator.mostAtOnce)).toEqual([50, 50, null])
  })
})

describe("Whoever is bound to an organization", () => {
  it("sees it and no other", () => {
    expect(Operator.sees(of(), "one")).toBe(true)
    expect(Operator.sees(of({ organizationId: "one" }), "one")).toBe(true)
    expect(Operator.sees(of({ organizationId: "one" }), "other")).toBe(false)
  })
})
