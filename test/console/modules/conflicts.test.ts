/** What somebody else has changed meanwhile. */
import { expect, it } from "vitest"
import * as Conflicts from "../../../adapters/console/Conflicts.ts"

const began = { url: "https://a.example", description: "orders", events: ["a", "b"] }

const refused = (now: typeof began | null, wanted: object): string | null => {
  try {
    Conflicts.refuse(began, now, { ...began, ...wanted })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : "no error"
  }
}

it("a field that both have changed is refused, with what it is now", () => {
  expect(refused({ ...began, description: "theirs" }, { description: "ours" })).toBe(
    "Somebody has changed it meanwhile: description is theirs now. Close this and open it again to go on from there."
  )
  expect(refused({ ...began, description: "" }, { description: "ours" })).toContain("description is empty now")
  expect(refused({ ...began, events: ["a"] }, { events: ["b"] })).toContain('events is ["a"] now')
  expect(refused(null, {})).toBe("Somebody has deleted it meanwhile.")
})

it("nothing else is: other fields, the same change, and what nobody else has changed", () => {
  expect(refused(began, { description: "ours" })).toBeNull()
  expect(refused({ ...began, url: "https://b.example" }, { description: "ours" })).toBeNull()
  expect(refused({ ...began, description: "same" }, { description: "same" })).toBeNull()
  expect(Conflicts.changedIn(began, { ...began, description: "ours" })).toEqual(["description"])
})
