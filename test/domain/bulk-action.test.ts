/**
 * Actions on many subscriptions: which ones a filter takes, and how what came of them is counted
 * (rule W15).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as BulkAction from "../../src/domain/BulkAction.ts"
import { NotFound } from "../../src/domain/Refusal.ts"
import { DAY } from "../../src/domain/Time.ts"
import * as Values from "./Values.ts"

const filter: BulkAction.Filter = {
  search: null,
  label: null,
  status: null,
  planId: null,
  createdAfter: null,
  createdUntil: null
}

const one = (createdAt: number) => ({ subscription: Values.subscription({ createdAt }) })

describe("A filter", () => {
  it("takes those that were made at the instant, and none that were made after it", () => {
    const until = { ...filter, createdUntil: Values.NOW }
    const made = [-1, 0, 1].map((after) => BulkAction.takes(until, one(Values.NOW + after)))
    expect(made).toEqual([true, true, false])
  })

  it("takes of a plan the attachments that have neither expired nor been suspended, and that are confirmed", () => {
    const of = (changes: Parameters<typeof Values.attachment>[0], expirationAt: number | null = Values.NOW + DAY) =>
      Values.attached(changes, [{ activationAt: Values.NOW - DAY, expirationAt }])
    const attachments = [
      of({ attachmentId: "active" }),
      of({ attachmentId: "suspended", suspendedAt: Values.NOW }),
      of({ attachmentId: "over" }, Values.NOW),
      of({ attachmentId: "unconfirmed", confirmed: false }),
      of({ attachmentId: "other", planId: "other" }),
      of({ attachmentId: "of the next subscription of the SIM", subscriptionId: "next" })
    ]
    const found = BulkAction.ofPlan(attachments, Values.attachment(), Values.NOW)
    expect(found.map(({ attachment }) => attachment.attachmentId)).toEqual(["active"])
  })
})

describe("A request", () => {
  it("has no blank search", () => {
    const check = (search: string | null) => Result.isSuccess(BulkAction.checkFilter({ search }))
    expect([null, "order 1", "", " \t"].map(check)).toEqual([true, true, false, false])
  })

  it("that suspends has to say which plan", () => {
    const check = (action: BulkAction.Action, planId: string | null) =>
      Result.isSuccess(BulkAction.check({ organizationId: "o", action, filter: { ...filter, planId } }))
    expect(BulkAction.actions.map((action) => check(action, null))).toEqual([true, true, false, true])
    expect(check("suspend", "plan")).toBe(true)
  })
})

describe("An action on SIMs", () => {
  it("is a correction of each, with what goes along with it", () => {
    const of = (action: BulkAction.SimAction, given: Parameters<typeof BulkAction.correctionOf>[1]) =>
      Result.match(BulkAction.correctionOf(action, given), {
        onSuccess: (correction) => correction,
        onFailure: ({ field, message }) => `${field} ${message}`
      })
    expect(of("withdraw", { reason: "lost" })).toEqual({ status: "withdrawn", reason: "lost" })
    expect(of("restore", {})).toEqual({ status: "available" })
    expect(of("set_label", { label: "Blue" })).toEqual({ label: "Blue" })
    expect(of("set_label", {})).toBe("newLabel must say the label that is set")
    expect(of("restore", { reason: "lost" })).toBe("reason must be absent unless SIMs are withdrawn")
    expect(of("withdraw", { reason: "lost", label: "Blue" })).toBe("newLabel must be absent unless it is set")
  })
})

describe("Results", () => {
  it("of one that is changed in part are changed, with why the rest is refused", () => {
    const [first, second] = ["a", "b"].map((id) => new NotFound({ resource: "plan attachment", id }))
    if (first === undefined || second === undefined) throw new Error("There are two")
    expect([[], [null, null], [null, first, second], [first, null], [second, first]].map(BulkAction.ofParts)).toEqual([
      { outcome: "unchanged", refusal: null },
      { outcome: "changed", refusal: null },
      { outcome: "changed", refusal: first },
      { outcome: "changed", refusal: first },
      { outcome: "refused", refusal: second }
    ])
  })

  it("are counted by what came of them, with the first that are refused", () => {
    const result = (outcome: BulkAction.Outcome, iccid: string): BulkAction.ItemResult => ({
      iccid,
      outcome,
      refusal: outcome === "refused" ? new NotFound({ resource: "subscription", id: iccid }) : null
    })
    const refused = Array.from({ length: BulkAction.MOST_REFUSALS + 5 }, (_, at) => result("refused", `${at}`))
    const first = BulkAction.counted(BulkAction.noCounts, [result("changed", "a"), result("unchanged", "b")])
    const all = BulkAction.counted(first, refused)
    expect(all).toMatchObject({ changed: 1, unchanged: 1, refused: refused.length })
    expect(all.refusals).toEqual(refused.slice(0, BulkAction.MOST_REFUSALS))
    expect([BulkAction.total(BulkAction.noCounts), BulkAction.total(all)]).toEqual([0, refused.length + 2])
  })
})
