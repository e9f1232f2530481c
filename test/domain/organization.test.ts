/**
 * Names of organizations and API keys.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Organization from "../../src/domain/Organization.ts"

describe("A name", () => {
  it("has no space around it", () => {
    expect(Result.getOrThrow(Organization.named(" Acme  Ltd\t"))).toBe("Acme  Ltd")
  })

  it.each(["", " ", "\t\n"])("is not empty: %j", (name) => {
    expect(Result.getOrThrow(Result.flip(Organization.named(name)))).toMatchObject({
      _tag: "InvalidField",
      field: "name"
    })
  })
})
