import { afterEach, expect, it } from "vitest"
import { createSimplan, type Simplan } from "simplan/promise"

let simplan: Simplan
afterEach(() => simplan.close())

it("the library reads what operators see first, of the service or of an organization", async () => {
  simplan = createSimplan({ database: "memory", telco: "simulator", clock: { start: "2026-01-01T00:00:00Z" } })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  await simplan.sims.setStockLevels({ organizationId, levels: [{ label: "Green", level: 3 }] })
  const whole = await simplan.overview.read()
  expect(whole.now).toEqual(new Date("2026-01-01T00:00:00Z"))
  expect(whole.telcos).toMatchObject([{ name: null, answers: true, since: null, waitingJobs: 0 }])
  expect(whole.stock).toMatchObject([
    { organizationId, organizationName: "Acme", label: "Green", free: 0, level: 3, isLow: true, daysLeft: null }
  ])
  expect(whole.service).toMatchObject({ dueJobs: 0, problems: 0, database: { takesWrites: true } })
  expect(whole.service?.rates.spanSeconds).toBe(300)
  const own = await simplan.overview.read({ organizationId })
  expect(own.stock).toEqual(whole.stock)
  expect(own.service).toBeNull()
  expect(await simplan.waitingJobs.retryAll()).toEqual({ retried: 0, hasMore: false, next: null })
  await expect(simplan.overview.read({ organizationId: "0197-none" })).rejects.toThrow("no organization")
})
