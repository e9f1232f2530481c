/**
 * Edits of versions (rule W16).
 */
import { Result } from "effect"
import { expect, it } from "vitest"
import { code, sentence, toPlain } from "../../src/domain/Refusal.ts"
import * as Version from "../../src/domain/Version.ts"

it("an edit is of a version that it names, or of any where it names none", () => {
  const passes = (version: number, expected: Version.Expected) =>
    Result.isSuccess(Version.check("sim", version, expected))
  expect([passes(3, undefined), passes(3, [3]), passes(3, [2, 3])]).toEqual([true, true, true])
  expect([passes(3, []), passes(3, [2]), passes(0, [1])]).toEqual([false, false, false])
})

it("the refusal names what it is about, and the version that is there", () => {
  const sentences = (["sim", "webhook endpoint", "catalogue"] as const).map((resource) => {
    const refusal = Result.getOrThrow(Result.flip(Version.check(resource, 8, [7])))
    expect(code(toPlain(refusal))).toBe("changed_meanwhile")
    return sentence(toPlain(refusal))
  })
  expect(sentences).toEqual([
    "Somebody has changed the SIM meanwhile: its version is 8 now",
    "Somebody has changed the webhook endpoint meanwhile: its version is 8 now",
    "Somebody has changed the catalogue meanwhile: its version is 8 now"
  ])
})
