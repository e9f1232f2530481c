/**
 * Plans that are archived and deleted (rule P2).
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

  it("no more once it is deleted, archived or not, and never where there is none", () => {
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
