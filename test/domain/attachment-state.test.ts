/**
 * The state of an attachment (rule T2): the conditions in the rule's order, and each boundary to the millisecond.
 */
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import { DAY_MS } from "./Calendar.ts"
import { attached, NOW, recurring } from "./Values.ts"

const windowed = attached({}, [{ activationAt: NOW, expirationAt: NOW + DAY_MS }])
const pending = attached({}, [{}])

/** Three daily occurrences, anchored at NOW. */
const anchored = attached({ terms: recurring({ occurrences: 3 }), anchor: NOW })

const states = (of: Attachment.WithPackages, ...instants: ReadonlyArray<number>) =>
  instants.map((at) => Attachment.state(of, at))

describe("While the activation is unknown (T2)", () => {
  it("an attachment without a package is CREATED", () => {
    expect(states(attached(), NOW, NOW + 9_999 * DAY_MS)).toEqual(["CREATED", "CREATED"])
    expect(states(attached({ terms: recurring() }), NOW)).toEqual(["CREATED"])
  })

  it("an attachment with a package is PENDING_FOR_FIRST_USE", () => {
    expect(states(pending, NOW, NOW + 9_999 * DAY_MS)).toEqual(["PENDING_FOR_FIRST_USE", "PENDING_FOR_FIRST_USE"])
    expect(states(attached({ terms: recurring() }, [{}]), NOW)).toEqual(["PENDING_FOR_FIRST_USE"])
  })
})

describe("Once the activation is known (T2)", () => {
  it("an attachment is CREATED before the activation", () => {
    expect(states(windowed, NOW - 9_999 * DAY_MS, NOW - 1)).toEqual(["CREATED", "CREATED"])
  })

  it("an attachment is ACTIVE from the activation to the last millisecond before the expiry", () => {
    expect(states(windowed, NOW, NOW + 1, NOW + DAY_MS - 1)).toEqual(["ACTIVE", "ACTIVE", "ACTIVE"])
  })

  it("an attachment is EXPIRED from the expiry on", () => {
    expect(states(windowed, NOW + DAY_MS, NOW + DAY_MS + 1, NOW + 9_999 * DAY_MS)).toEqual(Array(3).fill("EXPIRED"))
  })

  it("T6: anchor and last occurrence decide for a recurring attachment, not its packages", () => {
    const withAll = attached({ ...anchored.attachment }, [
      { activationAt: NOW + 5, expirationAt: NOW + 6 },
      { occurrence: 1, status: "Refused" }
    ])
    for (const of of [anchored, withAll]) {
      expect(states(of, NOW - 1, NOW, NOW + 3 * DAY_MS - 1, NOW + 3 * DAY_MS)).toEqual([
        "CREATED",
        "ACTIVE",
        "ACTIVE",
        "EXPIRED"
      ])
    }
  })

  it("T6: a recurring attachment is ACTIVE between two packages", () => {
    const gaps = attached({ terms: recurring({ periodicity: "Weekly" }), anchor: NOW })
    expect(states(gaps, NOW + 3 * DAY_MS)).toEqual(["ACTIVE"])
  })
})

describe("A suspended attachment (T2)", () => {
  it("is SUSPENDED, also before its activation and after its expiry", () => {
    for (const of of [attached(), pending, windowed, anchored]) {
      const suspended = { ...of, attachment: { ...of.attachment, suspendedAt: NOW } }
      expect(states(suspended, NOW - DAY_MS, NOW, NOW + DAY_MS, NOW + 99 * DAY_MS)).toEqual(Array(4).fill("SUSPENDED"))
    }
  })
})
