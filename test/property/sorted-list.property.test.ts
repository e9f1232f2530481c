/**
 * Random additions and removals: the sorted list has what a plain array has that is sorted anew
 * each time.
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { byNumber, SortedList } from "../../adapters/memory/Table.ts"

interface Value {
  readonly place: number
  readonly name: number
}

const byPlace = (left: { place: number }, right: { place: number }): number => byNumber(left.place, right.place)

/** Removals from the front are what the list does otherwise than an array. */
const step = fc.oneof(
  fc.record({ _tag: fc.constant("add" as const), place: fc.nat(30) }),
  fc.record({ _tag: fc.constant("delete" as const), place: fc.nat(30) }),
  fc.record({ _tag: fc.constant("delete first" as const) })
)

it("A list has its values in order, one for each place, whatever was added and removed", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(30), (steps, from) => {
      const list = new SortedList<{ place: number }, Value>(byPlace)
      let plain: ReadonlyArray<Value> = []
      for (const [name, of] of steps.entries()) {
        const place = of._tag === "delete first" ? plain[0]?.place : of.place
        if (place === undefined) continue
        plain = plain.filter((value) => value.place !== place)
        if (of._tag === "add") {
          plain = [...plain, { place, name }].sort(byPlace)
          list.add({ place, name })
        } else list.delete({ place })
        expect(list.isEmpty).toBe(plain.length === 0)
        expect([...list.after(null)]).toEqual(plain)
        expect([...list.before(null)]).toEqual(plain.toReversed())
        expect([...list.after({ place: from })]).toEqual(plain.filter((value) => value.place > from))
        expect([...list.before({ place: from })]).toEqual(plain.filter((value) => value.place < from).toReversed())
      }
    }),
    { numRuns: 300 }
  )
})
