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

  it("tells what only looks alike apart", () => {
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
    expect(Command.isFinal(new Refusal.TelcoRefused({ message: "no" }))).toBe(true)
    expect(Command.isFinal(new Refusal.NoFreeSim({ label: "Green" }))).toBe(true)
  })

  it("is tried again after 5 s, then ever later up to 1 h, and not before the telco asks for it", () => {
    expect([1, 2, 9].map((attempts) => Command.nextAttempt(attempts, 0))).toEqual([5 * SECOND, 15 * SECOND, HOUR])
    expect(Command.nextAttempt(1, 0, 60)).toBe(60 * SECOND)
    expect(Command.nextAttempt(9, 0, 60)).toBe(HOUR)
  })
})
