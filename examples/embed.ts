import { createSimplan } from "simplan/promise"

const simplan = createSimplan({ database: "memory", telco: "simulator" })
const { organizationId } = await simplan.organizations.create({ name: "Acme" })
const rows = [{ iccid: "8933010000000000018", label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$ONE" }]
await simplan.sims.import({ organizationId, rows })
for await (const { coverageId } of simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" })) {
  const terms = { name: "France", coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  const { sim } = await simplan.subscriptions.create({ organizationId, planId, metadata: "trip" })
  console.log(sim.lpa) // what the traveller scans
}
await simplan.close()
