// The property of the rule: whatever the active period, the package is active when the traveller is told. It runs the real
// service under a virtual clock, with periods around every boundary of simplan's own rules.
import fc from "fast-check"
import { createSimplan } from "simplan/promise"
import { Arbitraries, TimingModel } from "simplan/testing"
import { reminderAt } from "./reminder.js"

const terms = { name: "France", dataMegaBytes: 1024, periodDays: 30 }

/** Distances from now that simplan takes as an active period. */
const periods = Arbitraries.nonRecurringPeriods.filter(
  (period) => TimingModel.refused({ ...terms, recurrence: null }, period, 0) === null
)

/** A service with a plan, whose clock stands until it is moved. */
const open = async () => {
  const clock = { start: "2026-01-01T00:00:00Z" }
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, clock })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const { planId } = await simplan.plans.create({ organizationId, ...terms, coverageId: france.coverageId })
  return { simplan, organizationId, planId }
}

/** Rejects where the rule does not hold, and tells the shortest period that shows it. */
export const check = async (rule = reminderAt) => {
  const { organizationId, planId, simplan } = await open()
  let sims = 0
  const property = fc.asyncProperty(periods, async ({ end, start }) => {
    const iccid = `8933010000000${String(++sims).padStart(6, "0")}`
    await simplan.sims.import({ organizationId, rows: [{ iccid, label: "Green", isEsim: true }] })
    const now = (await simplan.clock.read()).now.getTime()
    const activePeriod = { start: new Date(now + start), end: new Date(now + end) }
    const created = await simplan.subscriptions.create({ organizationId, planId, iccid, activePeriod })

    const reminder = rule({ activationAt: created.activationAt, expirationAt: created.expirationAt })
    if (reminder.getTime() > now) await simplan.clock.advanceTo({ to: reminder })
    const { state } = await simplan.attachments.get({ organizationId, iccid, id: created.attachmentId })
    if (state !== "ACTIVE") throw new Error(`The package is ${state} at ${reminder.toISOString()}`)
  })
  try {
    await fc.assert(property, { numRuns: 50 })
  } finally {
    await simplan.close()
  }
}

/** A rule that is wrong: at the very end the package is over. The property has to find it. */
export const tooLate = ({ expirationAt }) => expirationAt
