/**
 * How much an organization may have (rule W13).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Quota from "../../src/domain/Quota.ts"
import * as Refusal from "../../src/domain/Refusal.ts"

describe("A quota (W13)", () => {
  const quotas = { ...Quota.defaults, plans: 2, apiKeys: 0 }

  it("lets an organization have as many as it says, and no more", () => {
    expect(Quota.check(quotas, "plans", 1)).toEqual(Result.void)
    for (const count of [2, 3]) {
      expect(Quota.check(quotas, "plans", count)).toEqual(
        Result.fail(new Refusal.QuotaExceeded({ kind: "plans", quota: 2 }))
      )
    }
    expect(Result.isFailure(Quota.check(quotas, "apiKeys", 0))).toBe(true)
  })

  it("is set for each kind, and large enough for what tests and demonstrations make", () => {
    expect(Object.keys(Quota.defaults)).toEqual([...Quota.kinds])
    for (const kind of Quota.kinds) expect(Result.isSuccess(Quota.check(Quota.defaults, kind, 99))).toBe(true)
  })
})
