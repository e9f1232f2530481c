/**
 * The tags of a SIM (rule I14).
 */
import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as SimCorrection from "../../src/domain/SimCorrection.ts"
import { folded } from "../../src/domain/SimSearch.ts"
import * as Tags from "../../src/domain/Tags.ts"
import * as TextLimit from "../../src/domain/TextLimit.ts"
import { sim } from "./Values.ts"

const parsed = (given: ReadonlyArray<string>) => Result.getOrThrow(Tags.parse(given))

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `tag ${index}`)

describe("Tags", () => {
  it("are trimmed, and stand in one order whatever their case", () => {
    expect(parsed([" vip ", "Été", "airport", "VIP 2"])).toEqual(["airport", "vip", "VIP 2", "Été"])
    expect(parsed([])).toEqual([])
    expect(parsed(["😀".repeat(TextLimit.TAG)])).toHaveLength(1)
    expect(parsed(numbered(Tags.MOST))).toHaveLength(Tags.MOST)
  })

  it.each([
    [["a", " "], "blank"],
    [["x".repeat(TextLimit.TAG + 1)], "at most 40 characters"],
    [["a,b"], "no comma"],
    [["a;b"], "no comma"],
    [["a\nb"], "control character"],
    [["a\u0000b"], "control character"],
    [["\ud800"], "surrogates"],
    [["vip", "b", "VIP"], "once, whatever its case: VIP"],
    [["Étage", "étage"], "once"],
    [numbered(Tags.MOST + 1), "at most 20"]
  ])("%j are refused", (given, message) => {
    expect(Result.getOrThrow(Result.flip(Tags.parse(given)))).toMatchObject({
      _tag: "InvalidField",
      field: "tags",
      message: expect.stringContaining(message)
    })
  })

  it("are the same in whatever order they are given, and as one text, and again", () => {
    const letter = fc.constantFrom("a", "B", "b", "É", "é", "Ω", "ω", "-", " ", "1", "😀")
    const tag = fc.string({ unit: letter, minLength: 1, maxLength: 6 })
    const tags = fc.uniqueArray(tag, { maxLength: Tags.MOST, selector: (one) => folded(one.trim()) })
    const given = tags.filter((all) => all.every((one) => one.trim() !== ""))
    fc.assert(
      fc.property(given, fc.infiniteStream(fc.nat()), (all, random) => {
        const found = parsed(all)
        const shuffled = all
          .map((one) => [random.next().value ?? 0, one] as const)
          .sort(([one], [other]) => one - other)
        expect(parsed(shuffled.map(([, one]) => one))).toEqual(found)
        expect(parsed(Tags.ofText(all.join(Tags.SEPARATOR)))).toEqual(found)
        expect(parsed(found)).toEqual(found)
        expect(found.map(folded)).toEqual(found.map(folded).toSorted())
        expect(new Set(found)).toEqual(new Set(all.map((one) => one.trim())))
      })
    )
  })
})

describe("A correction of tags", () => {
  const correction = (tags: ReadonlyArray<string>) => Result.getOrThrow(SimCorrection.parse({ tags }))

  it("replaces them, whoever has the SIM, and changes nothing else", () => {
    const allocations = [
      { _tag: "Free" },
      { _tag: "InService", subscriptionId: "s" },
      { _tag: "Provisioning", subscriptionId: "s" },
      { _tag: "Releasing", subscriptionId: "s" },
      { _tag: "Withdrawn", reason: "replaced", ending: "s" }
    ] as const
    for (const allocation of allocations) {
      const before = sim({ allocation, tags: ["old"] })
      const next = Result.getOrThrow(SimCorrection.apply(before, correction(["b", "A"])))
      expect(next).toEqual({ ...before, tags: ["A", "b"] })
      expect(SimCorrection.changed(before, next)).toEqual(["tags"])
      expect(SimCorrection.changes(before, next)).toMatchObject([
        { action: "sim.set_tags", changed: [{ field: "tags", before: "old", after: "A; b" }] }
      ])
      expect(SimCorrection.apply(before, correction([]))).toEqual(Result.succeed({ ...before, tags: [] }))
    }
  })

  it("to those that the SIM has changes nothing, and to other letters does", () => {
    const before = sim({ tags: ["A", "b"] })
    const changedBy = (tags: ReadonlyArray<string>) =>
      SimCorrection.changed(before, Result.getOrThrow(SimCorrection.apply(before, correction(tags))))
    expect(changedBy(["b", "A"])).toEqual([])
    expect(changedBy(["a", "b"])).toEqual(["tags"])
    expect(Result.getOrThrow(SimCorrection.apply(before, { label: "Blue" })).tags).toEqual(["A", "b"])
  })
})
