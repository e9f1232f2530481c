/**
 * Commands (rule H1): their ids, and which refusals settle them.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Command from "../../src/domain/Command.ts"
import * as Refusal from "../../src/domain/Refusal.ts"
import { HOUR, SECOND } from "../../src/domain/Time.ts"

const sms = { _tag: "SendSms" } as const

describe("The text of a key", () => {
  it("is ASCII, and another one for each organization, kind and key", () => {
    const named = fc.tuple(
      fc.string({ unit: "binary" }),
      fc.constantFrom("SendSms", "SetMobilePlan"),
      fc.string({ unit: "binary" })
    )
    fc.assert(
      fc.property(named, named, (left, right) => {
        const [one, other] = [left, right].map(([organizationId, _tag, key]) =>
          Command.keyText(organizationId, { _tag: _tag === "SendSms" ? "SendSms" : "SetMobilePlan" }, key)
        )
        expect(one).toMatch(/^[\u0020-\u007e]*$/)
        expect(one === other).toBe(left.join("\u0000") === right.join("\u0000"))
      })
    )
  })

  it("distinguishes what is only similar", () => {
    expect(Command.keyText("a", sms, "é")).not.toBe(Command.keyText("a", sms, "\\u00e9"))
  })
})

describe("A key", () => {
  it.each([
    ["", false],
    ["k", true],
    ["é".repeat(255), true],
    ["k".repeat(256), false]
  ])("%s", (key, isValid) => {
    expect(Command.checkKey(key)._tag).toBe(isValid ? "Success" : "Failure")
  })
})

describe("A command", () => {
  it("is settled by every refusal but those that pass by", () => {
    expect(Command.isFinal(new Refusal.TelcoUnavailable({ retryAfterSeconds: 1 }))).toBe(false)
    expect(Command.isFinal(new Refusal.SimBusy({ iccid: "8" }))).toBe(false)
    expect(Command.isFinal(new Refusal.SimsReleasing({ label: "Green", retryAfterSeconds: 1 }))).toBe(false)
    expect(Command.isFinal(new Refusal.SmsLimited({ iccid: "8", retryAfterSeconds: 1 }))).toBe(false)
    expect(Command.isFinal(new Refusal.TelcoRefused({ message: "no" }))).toBe(true)
    expect(Command.isFinal(new Refusal.NoFreeSim({ label: "Green" }))).toBe(true)
  })

  it("is tried again after 5 s, then ever later up to 1 h, and not before the telco asks for it", () => {
    expect([1, 2, 9].map((attempts) => Command.nextAttempt(attempts, 0))).toEqual([5 * SECOND, 15 * SECOND, HOUR])
    expect(Command.nextAttempt(1, 0, 60)).toBe(60 * SECOND)
    expect(Command.nextAttempt(9, 0, 60)).toBe(HOUR)
  })
})

describe("A command is cancelled (H1)", () => {
  it("only while its first job is there and was not tried", () => {
    expect([null, { attempts: 0 }, { attempts: 1 }].map(Command.hasBegun)).toEqual([true, false, true])
  })

  it("by a refusal that is its host's and no other", () => {
    const refused = (refusal: Refusal.Plain) => Command.isCancelled({ outcome: { _tag: "Refused", refusal } })
    expect(Command.isCancelled({ outcome: Command.cancellation("c") })).toBe(true)
    expect(refused(Refusal.toPlain(new Refusal.NoFreeSim({ label: "Green" })))).toBe(false)
    expect(Command.isCancelled({ outcome: { _tag: "Pending" } })).toBe(false)
  })
})

it("E1: the event of a refusal has no NUL and no half of a pair, whatever the telco has sent", () => {
  const request = { _tag: "SendSms", iccid: "8", from: "simplan", text: "hello" } as const
  const outcome = {
    _tag: "Refused",
    refusal: Refusal.toPlain(new Refusal.TelcoRefused({ message: "a\0b\ud800" }))
  } as const
  const of = { organizationId: "o", commandId: "c", request, createdAt: 0, outcome, settledAt: 0 }
  const message = JSON.stringify(Command.event(of, outcome))
  expect(message).toContain("a\uFFFDb\uFFFD")
  expect(message).not.toContain("\\u0000")
})
