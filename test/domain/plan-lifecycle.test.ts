/**
 * Archiving, unarchiving and deleting plans (rule P2).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Plan from "../../src/domain/Plan.ts"
import { NOW, plan } from "./Values.ts"

describe("A plan exists (P2)", () => {
  it("while it is live, and while it is archived", () => {
    for (const one of [plan(), plan({ archivedAt: NOW })]) {
      expect(Result.getOrThrow(Plan.existing(one, "plan"))).toBe(one)
    }
  })

  it("neither after it was deleted, archived or not, nor if there is none", () => {
    const gone = [null, plan({ deletedAt: NOW }), plan({ archivedAt: NOW, deletedAt: NOW })]
    for (const one of gone) {
      expect(Result.getOrThrow(Result.flip(Plan.existing(one, "p-1")))).toMatchObject({
        _tag: "NotFound",
        resource: "plan",
        id: "p-1"
      })
    }
  })
})

describe("Archiving a plan (P2)", () => {
  it("notes the first instant, and changes nothing else", () => {
    expect(Plan.archived(plan(), NOW)).toEqual(plan({ archivedAt: NOW }))
    expect(Plan.archived(plan({ archivedAt: NOW }), NOW + 1)).toEqual(plan({ archivedAt: NOW }))
  })

  it("is undone by unarchiving, which does not change a live plan", () => {
    expect(Plan.unarchived(plan({ archivedAt: NOW }))).toEqual(plan())
    expect(Plan.unarchived(plan())).toEqual(plan())
  })
})

describe("Deleting a plan (P2)", () => {
  it("notes the instant, and changes nothing else", () => {
    expect(Plan.deleted(plan({ archivedAt: NOW }), NOW + 1)).toEqual(plan({ archivedAt: NOW, deletedAt: NOW + 1 }))
  })
})
