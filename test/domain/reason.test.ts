/**
 * Why an attachment gives no service (rule L2), by examples.
 */
import { describe, expect, it } from "vitest"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import * as Confirmation from "../../src/domain/Confirmation.ts"
import * as Reason from "../../src/domain/Reason.ts"
import { DAY_MS as DAY, HOUR_MS as HOUR } from "./Calendar.ts"
import { attached, GIGABYTE, NOW, recurring, terms } from "./Values.ts"

const nothing: Reason.Known = { order: null, suspendedBy: null, suspension: null, pausedAt: null }
const waiting = { reason: "unavailable", message: "connection refused", since: NOW - HOUR } as const
const order = { attempts: 3, dueAt: NOW + 60_000, waiting }

/** Five days, a package a day of so many days. */
const daily = (periodDays: number) => recurring({ frequency: 1, periodicity: "Daily", occurrences: 5 }, { periodDays })

const day = (occurrence: number, anchor: number, changes = {}) => ({
  occurrence,
  activationAt: anchor + occurrence * DAY,
  expirationAt: anchor + (occurrence + 1) * DAY,
  ...changes
})

const why = (of: WithPackages, known = nothing) => Reason.explained(of, known, NOW).reason

describe("L2: an attachment", () => {
  it("that has an active package gives service", () => {
    expect(why(attached({}, [{ activationAt: NOW, expirationAt: NOW + 1 }]))).toBeNull()
    expect(why(attached({}, [{ activationAt: NOW - DAY, expirationAt: null }]))).toBeNull()
    expect(why(attached({ terms: daily(1), anchor: NOW - DAY }, [day(0, NOW - DAY), day(1, NOW - DAY)]))).toBeNull()
  })

  it("waits for its first use, or for its start", () => {
    expect(why(attached({}, [{}]))).toEqual({ _tag: "WaitsForFirstUse", pausedAt: null })
    const ahead = attached({}, [{ activationAt: NOW + 1, expirationAt: NOW + DAY }])
    expect(why(ahead)).toEqual({ _tag: "WaitsForStart", at: NOW + 1 })
    const far = attached({ terms: daily(1), anchor: NOW + 3 * DAY }, [])
    expect(why(far)).toEqual({ _tag: "WaitsForStart", at: NOW + 3 * DAY })
    expect(Reason.orderOf(far, NOW)).toBeNull()
  })

  it("waits for the next package, between two of them, from the very end of the first one on", () => {
    const terms = recurring({ frequency: 3, periodicity: "Daily", occurrences: 5 }, { periodDays: 2 })
    for (const anchor of [NOW - 2 * DAY - 1, NOW - 2 * DAY]) {
      const between = attached({ terms, anchor }, [{ activationAt: anchor, expirationAt: anchor + 2 * DAY }])
      expect(why(between)).toEqual({ _tag: "WaitsForStart", at: anchor + 3 * DAY })
    }
  })

  it("waits for the order of a package that is due, or for the telco", () => {
    const due = attached({ terms: daily(1), anchor: NOW + HOUR }, [])
    expect(Reason.orderOf(due, NOW)).toBe("attachment:0")
    expect(why(due)).toEqual({ _tag: "WaitsForOrder" })
    expect(why(due, { ...nothing, order: { ...order, waiting: null } })).toEqual({ _tag: "WaitsForOrder" })
    const unavailable = { tries: 3, since: NOW - HOUR, nextTryAt: NOW + 60_000, said: "connection refused" }
    expect(why(due, { ...nothing, order })).toEqual({ _tag: "TelcoUnavailable", ...unavailable })
    const missing = attached({ terms: daily(1), anchor: NOW - DAY - HOUR }, [day(0, NOW - DAY - HOUR)])
    expect(Reason.orderOf(missing, NOW)).toBe("attachment:1")
    expect(why(missing, { ...nothing, order })).toMatchObject({ _tag: "TelcoUnavailable", tries: 3 })
  })

  it("was refused by the telco, in its words", () => {
    const refusal = { status: "Refused", refusal: "no zone" } as const
    const said = (occurrence: number) => ({
      _tag: "TelcoRefused",
      packageId: `attachment:${occurrence}`,
      said: "no zone"
    })
    const anchor = NOW - DAY - HOUR
    expect(why(attached({ terms: daily(1), anchor }, [day(0, anchor), day(1, anchor, refusal)]))).toEqual(said(1))
    const first = attached({ terms: daily(1), anchor: NOW + HOUR }, [day(0, NOW + HOUR, refusal)])
    expect(why(first)).toEqual(said(0))
    // The package before is valid for longer than a cycle.
    const longer = [{ ...day(0, anchor), expirationAt: NOW + DAY }, day(1, anchor, refusal)]
    expect(why(attached({ terms: daily(3), anchor }, longer))).toBeNull()
  })

  it("of a paused subscription says so where nothing else keeps it from giving service", () => {
    const paused = { ...nothing, pausedAt: NOW - HOUR }
    const reason = { _tag: "Paused", at: NOW - HOUR }
    expect(why(attached({}, [{ activationAt: NOW, expirationAt: NOW + 1 }]), paused)).toEqual(reason)
    expect(why(attached({}, [{}]), paused)).toEqual({ _tag: "WaitsForFirstUse", pausedAt: NOW - HOUR })
    const messages = [
      Reason.message({ _tag: "Paused", at: NOW }),
      Reason.message({ _tag: "WaitsForFirstUse", pausedAt: NOW })
    ]
    for (const message of messages)
      expect(message).toMatch(/The SIM has no service: the subscription has been paused since 20/)
    expect(Reason.message({ _tag: "WaitsForFirstUse", pausedAt: null })).toBe(
      "The package activates at the first use of the SIM"
    )
    const others = [
      attached({}, [{ activationAt: NOW + 1, expirationAt: NOW + DAY }]),
      attached({}, [{ activationAt: NOW - DAY, expirationAt: NOW }]),
      attached({ suspendedAt: NOW - 5 }, [{ activationAt: NOW - DAY, expirationAt: NOW + DAY }]),
      attached({}, [{ status: "Refused" }])
    ]
    for (const one of others) expect(why(one, paused)).toEqual(why(one))
  })

  it("has used all data of what is active, unless it is throttled", () => {
    const used = { activationAt: NOW - HOUR, expirationAt: NOW + HOUR, usedBytes: GIGABYTE }
    expect(why(attached({}, [{ ...used, usedBytes: GIGABYTE - 1 }]))).toBeNull()
    expect(why(attached({}, [used]))).toEqual({ _tag: "DataUsed", nextAt: null })
    const throttling = [{ percentage: 80, limit: "128" }] as const
    expect(why(attached({ terms: terms({ throttling }) }, [used]))).toBeNull()
    const anchor = NOW - HOUR
    const next = { _tag: "DataUsed", nextAt: anchor + DAY }
    expect(why(attached({ terms: daily(1), anchor }, [{ ...day(0, anchor), usedBytes: GIGABYTE }]))).toEqual(next)
    // The package before goes on, or is used up too.
    const both = (usedBytes: number) => [
      { ...day(0, anchor - DAY), expirationAt: NOW + DAY, usedBytes },
      { ...day(1, anchor - DAY), usedBytes: GIGABYTE }
    ]
    const overlapping = { terms: daily(2), anchor: anchor - DAY }
    expect(why(attached(overlapping, both(5)))).toBeNull()
    expect(why(attached(overlapping, both(GIGABYTE)))).toEqual(next)
    const slow = { ...overlapping, terms: { ...daily(2), throttling } }
    const speed = (second: number) =>
      Reason.explained(
        attached(slow, [...both(GIGABYTE).slice(0, 1), day(1, anchor - DAY, { usedBytes: second })]),
        nothing,
        NOW
      ).speed
    expect([speed(0), speed(GIGABYTE)]).toEqual([null, "128"])
    expect(Reason.message({ _tag: "DataUsed", nextAt: NOW })).toBe(
      "All data of the package is used. The next package activates at 2026-03-10T12:00:00.000Z"
    )
  })

  it("after a move has used what was ordered of it on the new SIM, rounded up to a whole MB", () => {
    const usedBefore = GIGABYTE - 10
    const former = { iccid: "1", number: 0, telcoPackageId: null, usedBytes: usedBefore, count: "counted" } as const
    const replacement = {
      ...{ number: 1, usedBefore, isAwaited: false },
      former: [{ ...former, unreportedBytes: 0 }]
    }
    const moved = (usedBytes: number) =>
      why(attached({}, [{ activationAt: NOW - HOUR, expirationAt: NOW + HOUR, replacement, usedBytes }]))
    expect(moved(usedBefore + 1_048_575)).toBeNull()
    expect(moved(usedBefore + 1_048_576)).toEqual({ _tag: "DataUsed", nextAt: null })
  })

  it("was suspended by somebody, or is over", () => {
    const suspended = attached({ suspendedAt: NOW - 5 }, [{ activationAt: NOW - DAY, expirationAt: NOW + DAY }])
    expect(why(suspended, { ...nothing, suspendedBy: "key-1" })).toEqual({
      _tag: "Suspended",
      at: NOW - 5,
      by: "key-1",
      telco: { _tag: "Confirmed" }
    })
    const suspension = { dueAt: NOW, endedAt: null, refused: null, waiting: null }
    expect(why(suspended, { ...nothing, suspension })).toMatchObject({ telco: { _tag: "Asked" } })
    expect(why(attached({}, [{ activationAt: NOW - DAY, expirationAt: NOW }]))).toEqual({ _tag: "Over", at: NOW })
  })

  it("says so in a sentence", () => {
    expect(Reason.message({ _tag: "TelcoRefused", packageId: "a:0", said: "no zone" })).toBe(
      "The telco has refused the package: no zone"
    )
    const suspended = { _tag: "Suspended", at: 0, by: "admin" } as const
    const sentence = "It was suspended at 1970-01-01T00:00:00.000Z"
    expect(Reason.message({ ...suspended, telco: Confirmation.confirmed })).toBe(`${sentence} by admin`)
    expect(Reason.message({ ...suspended, telco: { _tag: "Refused", said: "gone" } })).toBe(
      `${sentence}, which the telco refuses (gone), by admin`
    )
  })
})
