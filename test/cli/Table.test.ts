import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Output from "../../adapters/cli/output/Output.ts"

const row = { id: "0123456789", name: "a rather long name", made_at: "2026-01-10T12:00:00.000Z", note: null }

describe("a table", () => {
  it("has all columns where they fit, instants without their milliseconds", () => {
    expect(Output.table([row], 80)).toBe(
      "id          name                made_at               note\n" +
        "0123456789  a rather long name  2026-01-10T12:00:00Z  -"
    )
    expect(Output.table([row], Number.POSITIVE_INFINITY)).toBe(Output.table([row], 80))
  })

  it("cuts texts, then leaves out the last columns, and cuts no id and no instant", () => {
    expect(Output.table([row], 55).split("\n")).toEqual([
      "id          name             made_at               note",
      "0123456789  a rather long …  2026-01-10T12:00:00Z  -"
    ])
    expect(Output.table([row], 46).split("\n")).toEqual([
      "id          name          made_at",
      "0123456789  a rather lo…  2026-01-10T12:00:00Z"
    ])
  })

  it("cuts no column that has an id, and fills up with later columns that fit", () => {
    const actor = "019ba7c7-1200-7000-9db3-8bbe5b1bccf0"
    const rows = [
      { id: "1", actor, resource: actor, action: "subscription.create" },
      { id: "2", actor: "admin", resource: "*", action: "plan.create" }
    ]
    expect(Output.table(rows, 60).split("\n")).toEqual([
      "id  actor                                 action",
      `1   ${actor}  subscription.crea…`,
      "2   admin                                 plan.create"
    ])
  })

  it("gives each record lines of its own where fewer than three columns fit", () => {
    expect(Output.table([row, { ...row, note: "x" }], 25)).toBe(
      "id       0123456789\nname     a rather long name\nmade_at  2026-01-10T12:00:00Z\nnote     -\n\n" +
        "id       0123456789\nname     a rather long name\nmade_at  2026-01-10T12:00:00Z\nnote     x"
    )
  })

  it("has the first columns in their order, then all others that a row has", () => {
    const rows = [
      { note: "x", id: "1" },
      { id: "2", made: "now" }
    ]
    expect(Output.table(rows, 80, ["id"]).split("\n")).toEqual(["id  note  made", "1   x     -", "2   -     now"])
  })

  it("is never wider than the terminal", () => {
    const cell = fc.oneof(fc.string({ maxLength: 40 }), fc.integer(), fc.boolean(), fc.constant(null))
    const rows = fc.array(fc.record({ a: cell, b: cell, c: cell, d: cell }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 80, max: 200 }), (rows, width) => {
        for (const line of Output.table(rows, width).split("\n")) expect([...line].length).toBeLessThanOrEqual(width)
      })
    )
  })
})

it("tables are as wide as COLUMNS says, else as the terminal, and not cut elsewhere", () => {
  expect(Output.widthOf("100", { isTTY: true, columns: 60 })).toBe(100)
  expect(Output.widthOf(undefined, { isTTY: true, columns: 60 })).toBe(60)
  expect(Output.widthOf("wide", { isTTY: true })).toBe(80)
  expect(Output.widthOf(undefined, { columns: 60 })).toBe(Number.POSITIVE_INFINITY)
})

it("what customers write neither drives the terminal nor turns the writing", () => {
  expect(Output.text("a\u001b[31m\u009bb\r\nc\u202ed\u2066e")).toBe("a [31m b c d e")
  expect(Output.text({ a: 1 })).toBe('{"a":1}')
})
