/** What somebody else has changed meanwhile, and edits of versions (rule W16). */
import { describe, expect, it } from "vitest"
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

describe("an edit", () => {
  /** As the server refuses another version. */
  const changed = Object.assign(new Error("Somebody has changed it"), { code: "changed_meanwhile" })

  it("is of the version that was checked, and is checked again where somebody was faster", async () => {
    let version = 3
    const sent: Array<number> = []
    await Conflicts.edit(
      async () => ({ version }),
      async (checked) => {
        sent.push(checked.version)
        version += 1
        if (sent.length < 3) throw changed
      }
    )
    expect(sent).toEqual([3, 4, 5])
  })

  it("ends with what the check refuses, with any other refusal, and after five tries", async () => {
    let checks = 0
    const check = async () => {
      checks += 1
      if (checks === 2) throw new Error("label is Blue now")
      return { version: checks }
    }
    await expect(Conflicts.edit(check, () => Promise.reject(changed))).rejects.toThrow("label is Blue now")
    const of = async () => ({ version: 1 })
    await expect(Conflicts.edit(of, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost")
    let tries = 0
    const never = () => {
      tries += 1
      return Promise.reject(changed)
    }
    await expect(Conflicts.edit(of, never)).rejects.toBe(changed)
    expect(tries).toBe(5)
  })
})
