import * as Pglite from "simplan/pglite"
import { Simplan } from "simplan/promise"
import { TelcoSimulator } from "simplan/telco-simulator"

const simplan = await Simplan.make({ storage: Pglite.layer(), telco: TelcoSimulator.layerMemory(), alone: true })
const { organizationId } = await simplan.organizations.create({ name: "Acme" })
const rows = [{ iccid: "8933010000000000018", label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$ONE" }]
await simplan.sims.importRows({ organizationId, rows })
for await (const { coverageId } of simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" })) {
  const size = { dataMegaBytes: 1024, periodDays: 30, throttling: [], recurrence: null }
  const { planId } = await simplan.plans.create({ organizationId, terms: { name: "France", coverageId, ...size } })
  const trip = { organizationId, planId, metadata: "trip", iccid: null, activePeriod: null }
  console.log((await simplan.subscriptions.create(trip)).sim.lpa) // what the traveller scans
}
await simplan.close()
