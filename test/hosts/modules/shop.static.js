import { createSimplan } from "simplan/promise"

test("an organization is made", async () => {
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false })
  expect((await simplan.organizations.create({ name: "Acme" })).name).toBe("Acme")
  await simplan.close()
})

test("dates of another realm are taken", async () => {
  const start = structuredClone(new Date("2026-01-31T12:00:00Z"))
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, clock: { start } })
  expect((await simplan.clock.read()).now.toISOString()).toBe("2026-01-31T12:00:00.000Z")
  await simplan.close()
})
