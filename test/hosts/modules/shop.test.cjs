test("an organization is made", async () => {
  const { createSimplan } = await import("simplan/promise")
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false })
  expect((await simplan.organizations.create({ name: "Acme" })).name).toBe("Acme")
  await simplan.close()
})
