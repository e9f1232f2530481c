/**
 * Refusals as errors, and as the plain data that an idempotency record stores (rule W2).
 */
import { describe, expect, it } from "vitest"
import * as Refusal from "../../src/domain/Refusal.ts"
import { refusals } from "./Refusals.ts"

describe("A refusal", () => {
  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))("%s is known as one", (_, refusal) => {
    expect(Refusal.isRefusal(refusal)).toBe(true)
  })

  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))(
    "W2: %s as plain data survives JSON: its tag and fields, without a stack",
    (tag, refusal) => {
      const plain = Refusal.toPlain(refusal)
      expect(JSON.parse(JSON.stringify(plain))).toStrictEqual(plain)
      expect(plain).toMatchObject({ _tag: tag })
      expect(Object.keys(plain)).not.toContain("stack")
    }
  )

  it("W2: keeps its fields and its message", () => {
    expect(Refusal.toPlain(new Refusal.InvalidField({ field: "name", message: "must not be empty" }))).toEqual({
      _tag: "InvalidField",
      field: "name",
      message: "must not be empty"
    })
    expect(Refusal.toPlain(new Refusal.SimBusy({ iccid: "8" }))).toEqual({ _tag: "SimBusy", iccid: "8", message: "" })
  })

  it("is distinguished from any other error", () => {
    const others = [new Error("SimBusy"), Refusal.toPlain(new Refusal.KeyRefused()), { _tag: "SimBusy" }, null, "x"]
    expect(others.some(Refusal.isRefusal)).toBe(false)
  })
})
