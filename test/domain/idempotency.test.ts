/**
 * What is kept with an idempotency key (rule W2): each kind of answer as it is, for 24 h, told as no other kind.
 */
import { describe, expect, it } from "vitest"
import * as Idempotency from "../../src/domain/Idempotency.ts"
import { DAY_MS } from "./Calendar.ts"
import { ICCID, NOW, plan, sim } from "./Values.ts"

const { Created, Done, MobilePlan, Plan, Region } = Idempotency.kinds
const tellers: ReadonlyArray<(answer: Idempotency.Answer) => { readonly value: unknown } | undefined> = [
  Done.tell,
  Plan.tell,
  Region.tell,
  Created.tell,
  MobilePlan.tell
]
const region = {
  organizationId: "organization",
  coverageId: "c",
  regionCode: "NORTH",
  regionName: "North",
  label: "Green",
  iso2List: ["SE"],
  createdAt: NOW
} as const
const created = {
  subscriptionId: "subscription",
  createdAt: NOW,
  metadata: "sent",
  attachmentId: "attachment",
  sim: sim(),
  period: null
}

const answers: ReadonlyArray<readonly [kind: string, answer: Idempotency.Answer, told: unknown]> = [
  ["Done", Done.keep(null), null],
  ["Plan", Plan.keep(plan()), plan()],
  ["Region", Region.keep(region), region],
  ["Created", Created.keep(created), created],
  ["MobilePlan", MobilePlan.keep({ iccid: ICCID, applied: true, id: 1 }), { iccid: ICCID, applied: true, id: 1 }]
]

describe("An answer (W2)", () => {
  it.each(answers)("%s is told as it was kept, and as no other kind", (kind, answer, told) => {
    expect(answer.kind).toBe(kind)
    const heard = tellers.map((tell) => tell(answer)).filter((one) => one !== undefined)
    expect(heard).toMatchObject([{ value: told }])
  })

  it("is kept for 24 h", () => {
    expect(Idempotency.RETENTION).toBe(DAY_MS)
  })
})
