/**
 * Attachments: their states (rule T2), each boundary to the millisecond, what a reader sees of them
 * (rule T6), and which one a path names (rule S4).
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

const day = (occurrence: number, usedBytes = 0) => ({
  occurrence,
  usedBytes,
  activationAt: NOW + occurrence * DAY_MS,
  expirationAt: NOW + (occurrence + 1) * DAY_MS
})
const daily = { terms: recurring({ occurrences: 3 }), anchor: NOW }

describe("A non-recurring attachment (T6)", () => {
  it("shows the times and the usage of its package", () => {
    const of = attached({}, [{ activationAt: NOW + 7, expirationAt: NOW + 8, usedBytes: 99 }])
    expect(Attachment.view(of, NOW)).toMatchObject({ activationAt: NOW + 7, expirationAt: NOW + 8, usedBytes: 99 })
  })

  it("has no times until its first use", () => {
    const expected = { activationAt: null, expirationAt: null, usedBytes: 0 }
    expect(Attachment.view(attached({}, [{}]), NOW)).toMatchObject(expected)
    expect(Attachment.view(attached(), NOW)).toMatchObject({ ...expected, packages: [] })
  })
})

describe("A recurring attachment (T6)", () => {
  it("shows its anchor and the end of its last occurrence before any package exists", () => {
    const expected = { activationAt: NOW, expirationAt: NOW + 3 * DAY_MS, usedBytes: 0, packages: [] }
    expect(Attachment.view(attached(daily), NOW - DAY_MS)).toMatchObject(expected)
  })

  it("has no times before its anchor is known", () => {
    const of = attached({ terms: daily.terms }, [{ usedBytes: 0 }])
    expect(Attachment.view(of, NOW)).toMatchObject({ activationAt: null, expirationAt: null, usedBytes: 0 })
  })

  it("keeps its times, whatever times the telco reports for packages", () => {
    const of = attached(daily, [{ ...day(0), activationAt: NOW + 9, expirationAt: NOW + 10 }])
    expect(Attachment.view(of, NOW)).toMatchObject({ activationAt: NOW, expirationAt: NOW + 3 * DAY_MS })
  })

  it("shows the usage of the last package that began, from its first millisecond on", () => {
    const of = attached(daily, [day(0, 11), day(1, 22), day(2, 33)])
    const usedAt = (at: number) => Attachment.view(of, at).usedBytes
    expect([NOW - 1, NOW, NOW + DAY_MS - 1].map(usedAt)).toEqual([0, 11, 11])
    expect([NOW + DAY_MS, NOW + 2 * DAY_MS - 1, NOW + 2 * DAY_MS].map(usedAt)).toEqual([22, 22, 33])
    expect(usedAt(NOW + 999 * DAY_MS)).toBe(33)
  })

  it("shows no usage of an occurrence that the telco refused", () => {
    const of = attached(daily, [day(0, 11), { ...day(1), status: "Refused" }])
    expect(Attachment.view(of, NOW + DAY_MS).usedBytes).toBe(11)
  })
})

describe("The listed packages (T6)", () => {
  it("are oldest first, with lapsed ones and without refused ones", () => {
    const of = attached(daily, [{ ...day(0), status: "Lapsed" }, { ...day(1), status: "Refused" }, day(2)])
    expect(Attachment.view(of, NOW).packages.map(({ occurrence }) => occurrence)).toEqual([0, 2])
  })
})

describe("A path names an attachment (S4)", () => {
  const active = [{ activationAt: NOW, expirationAt: NOW + DAY_MS }]
  const expired = [{ activationAt: NOW - 2 * DAY_MS, expirationAt: NOW - DAY_MS }]
  const found = (id: string, ...of: ReadonlyArray<Attachment.WithPackages>) =>
    Attachment.find(of, id, NOW)?.attachment.attachmentId

  it("that is read by either id, and by no other", () => {
    const { attachment } = attached({ attachmentId: "a1", planId: "p1" })
    expect(["a1", "p1", "a2"].map((id) => Attachment.isNamed(attachment, id))).toEqual([true, true, false])
  })

  it("by its own id", () => {
    expect(found("a2", attached({ attachmentId: "a1" }), attached({ attachmentId: "a2" }))).toBe("a2")
  })

  it("by its plan's id", () => {
    expect(found("p2", attached({ attachmentId: "a1" }), attached({ attachmentId: "a2", planId: "p2" }))).toBe("a2")
  })

  it("by its own id rather than a plan's", () => {
    expect(found("x", attached({ attachmentId: "a1", planId: "x" }), attached({ attachmentId: "x" }))).toBe("x")
  })

  it("of several with a plan, the active one", () => {
    const one = attached({ attachmentId: "expired" }, expired)
    const two = attached({ attachmentId: "active" }, active)
    const three = attached({ attachmentId: "pending" }, [{}])
    expect(found("plan", one, two, three)).toBe("active")
    expect(found("plan", two, one, three)).toBe("active")
    expect(found("plan", one, three, two)).toBe("active")
  })

  it("of several active ones the newest; if none is active, the newest of all", () => {
    const of = (attachmentId: string, packages: typeof active) => attached({ attachmentId }, packages)
    expect(found("plan", of("a1", active), of("a2", active), of("a3", expired))).toBe("a2")
    expect(found("plan", of("a1", expired), of("a2", expired))).toBe("a2")
  })

  it("or no attachment", () => {
    expect(found("unknown", attached())).toBeUndefined()
    expect(found("plan")).toBeUndefined()
  })
})
