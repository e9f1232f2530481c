/**
 * The test that `examples/testing.md` shows: a rule of time, in an embedded service whose clock
 * stands until it is moved.
 */
import { createSimplan } from "simplan/promise"
import { expect, it } from "vitest"

it("expires after its days", async () => {
  await using simplan = createSimplan({
    database: "memory",
    telco: "simulator",
    clock: { start: "2026-01-31T12:00:00Z" }
  })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const [iccid, label] = ["8933010000000000018", "Green"] as const
  await simplan.sims.import({ organizationId, rows: [{ iccid, label, isEsim: true }] })
  const [profile] = await simplan.coverage.list({ organizationId, label, regionCode: "FR" }).toArray()
  const terms = { name: "Week", coverageId: profile?.coverageId ?? "", dataMegaBytes: 1024, periodDays: 7 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  await simplan.subscriptions.create({ organizationId, planId })
  const occurredAt = (await simplan.clock.read()).now
  await simplan.reports.take({ reports: [{ type: "first_use", id: "first", iccid, occurredAt }] })
  const state = async () => (await simplan.attachments.list({ organizationId, iccid }).toArray())[0]?.state
  expect(await state()).toBe("ACTIVE")
  await simplan.clock.advanceBy({ by: "7 days" })
  expect(await state()).toBe("EXPIRED")
})
