/**
 * Why an attachment gives no service (rule L2), by examples.
 */
import { describe, expect, it } from "vitest"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import * as Reason from "../../src/domain/Reason.ts"
import { DAY_MS as DAY, HOUR_MS as HOUR } from "./Calendar.ts"
import { attached, NOW, recurring } from "./Values.ts"

const nothing: Reason.Known = { order: null, suspendedBy: null, pausedAt: null }
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

const why = (of: WithPackages, known = nothing) => Reason.of(of, known, NOW)

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

  it("was suspended by somebody, or is over", () => {
    const suspended = attached({ suspendedAt: NOW - 5 }, [{ activationAt: NOW - DAY, expirationAt: NOW + DAY }])
    expect(why(suspended, { ...nothing, suspendedBy: "key-1" })).toEqual({
      _tag: "Suspended",
      at: NOW - 5,
      by: "key-1"
    })
    expect(why(attached({}, [{ activationAt: NOW - DAY, expirationAt: NOW }]))).toEqual({ _tag: "Over", at: NOW })
  })

  it("says so in a sentence", () => {
    expect(Reason.message({ _tag: "TelcoRefused", packageId: "a:0", said: "no zone" })).toBe(
      "The telco has refused the package: no zone"
    )
    expect(Reason.message({ _tag: "Suspended", at: 0, by: "admin" })).toBe(
      "It was suspended at 1970-01-01T00:00:00.000Z by admin"
    )
  })
})
