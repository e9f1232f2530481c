/**
 * The canonical text of JSON (rule W2), by the examples of RFC 8785.
 */
import { describe, expect, it } from "vitest"
import * as CanonicalJson from "../../src/domain/CanonicalJson.ts"

const canonical = (json: string): string => CanonicalJson.text(JSON.parse(json))

describe("The canonical text of JSON (W2)", () => {
  it("has no white space, the shortest numbers and no escape that is not needed", () => {
    const given = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(canonical(given)).toBe(
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
  })

  it("has the fields in the order of their UTF-16 code units", () => {
    const given = String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7,"10":8,"2":9}`
    const names = [...canonical(given).matchAll(/:(\d)/g)].map(([, value]) => value)
    expect(names.join("")).toBe("248967153")
  })

  it.each([
    ["one value of a number", "[1, 0, 100]", "[1.0, -0, 1e2]"],
    ["the last one of a field that comes twice", '{"a":2}', '{"a":1,"a":2}'],
    ["any text of a string", '"é/"', String.raw`"\u00E9\/"`],
    ["no byte order mark and no white space", "{}", "\n{ \t}\r"]
  ])("knows %s", (_, one, other) => {
    expect(canonical(one)).toBe(canonical(other))
  })

  it("has the strings of each field, and of the lists in it, as they are to be spelled", () => {
    const spell = (text: string, field: string) => (field === "a" ? text.toLowerCase() : text)
    const value = { a: ["X", { b: "X" }, ["Y"]], b: "X", c: { a: "X" } }
    expect(CanonicalJson.text(value, spell)).toBe('{"a":["x",{"b":"X"},["y"]],"b":"X","c":{"a":"x"}}')
  })

  it.each([
    ["null and nothing", '{"a":null}', "{}"],
    ["text and a number", '"1"', "1"],
    ["the order of a list", "[1,2]", "[2,1]"],
    ["a list and an object", "[]", "{}"],
    ["a list and the object of its places", '["a"]', '{"0":"a"}'],
    ["an own field named __proto__", '{"__proto__":{"a":1}}', '{"a":1}'],
    ["a number that is too large and null", "1e400", "null"],
    ["letters with an accent in one or two characters", '"é"', '"e\u0301"']
  ])("distinguishes %s", (_, one, other) => {
    expect(canonical(one)).not.toBe(canonical(other))
  })

  it("is made of as many lists in each other as a body holds", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    expect(canonical(deep)).toBe(deep)
  })
})
