/**
 * The sentence on a SIM's page.
 */
import { expect, it } from "vitest"
import * as Verdict from "../../../adapters/console/Verdict.ts"

const plan = { name: "Europe" }
const serving: Verdict.Attachment = {
  state: "ACTIVE",
  expiration_at: "2026-02-10T12:00:00.000Z",
  reason: null,
  plan
}
const not = (code: string, message: string, more: object = {}): Verdict.Attachment => ({
  state: "CREATED",
  expiration_at: null,
  reason: { code, message, ...more },
  plan: { name: code }
})
const sold: Verdict.Known = {
  status: "available",
  withdrawn_reason: null,
  used: true,
  subscription: { paused_at: null },
  attachments: []
}
const of = (changed: Partial<Verdict.Known>) => Verdict.of({ ...sold, ...changed })

it("says that a SIM works, until when, and by which plan", () => {
  const over = not("over", "It is over")
  expect(of({ attachments: [over, serving] })).toEqual({
    works: true,
    sentence: "It works until 2026-02-10 12:00 UTC.",
    plan: "Europe"
  })
})

it("says that a paused subscription has no service, whatever its plans", () => {
  const subscription = { paused_at: "2026-01-10T12:00:30.000Z" }
  expect(of({ subscription, attachments: [serving] })).toEqual({
    works: false,
    sentence: "It has no service: its subscription is paused since 2026-01-10 12:00 UTC.",
    plan: null
  })
})

it("says why it gives no service, and when the telco is asked again; what has ended comes last", () => {
  const waits = not("telco_unavailable", "The telco takes no order", { next_try_at: "2026-01-10T12:30:00.000Z" })
  const suspended = not("suspended", "It was suspended by Ada")
  expect(of({ attachments: [suspended, waits, not("over", "It is over")] })).toEqual({
    works: false,
    sentence: "It has no service now. The telco takes no order. It is asked again at 2026-01-10 12:30 UTC.",
    plan: "telco_unavailable"
  })
  expect(of({ attachments: [not("over", "It is over"), suspended] }).sentence).toBe(
    "It has no service now. It was suspended by Ada."
  )
  expect(of({}).sentence).toBe("It has no service: its subscription has no plan.")
})

it("says of a SIM without a subscription what it is", () => {
  const none = { subscription: null }
  expect(of({ ...none, used: false }).sentence).toBe("It is free: no subscription has it.")
  expect(of(none).sentence).toBe("A creation or a deletion of its subscription is under way.")
  expect(of({ ...none, status: "withdrawn", withdrawn_reason: "broken" }).sentence).toBe(
    "It is withdrawn (broken), and no subscription gets it."
  )
})
