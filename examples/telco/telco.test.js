// The suite that simplan's own telcos pass, under node:test; then the telco in the service.
import assert from "node:assert/strict"
import { after, describe, it, test } from "node:test"
import { Effect } from "effect"
import { createSimplan, telcoLayer, TelcoRefused } from "simplan/promise"
import { TelcoSuite } from "simplan/testing"
import { createTelco } from "./telco.js"

const { books, functions } = createTelco()
const observe = {
  packages: (ids) =>
    Effect.sync(() => ids.filter((id) => ["live", "suspended"].includes(books.packages.get(id)?.state)).length),
  messages: (iccid, text) =>
    Effect.sync(() => [...books.messages.values()].filter((one) => one.iccid === iccid && one.text === text).length),
  mobilePlan: (iccid) => Effect.sync(() => books.mobilePlans.get(iccid) ?? false)
}

TelcoSuite.run("the telco of plain functions", telcoLayer(functions), { describe, it, afterAll: after }, { observe })

test("the service orders a package of it, and a refusal reaches the caller", async (context) => {
  const telco = createTelco()
  let refuses = false
  const createPackage = async (order, call) => {
    if (refuses) throw new TelcoRefused("The SIM is barred")
    return telco.functions.createPackage(order, call)
  }
  const simplan = createSimplan({ database: "memory", telco: { ...telco.functions, createPackage }, webhooks: false })
  context.after(() => simplan.close())
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const rows = [1, 2].map((last) => ({ iccid: `893301000000000001${last}`, label: "Green", isEsim: true }))
  await simplan.sims.import({ organizationId, rows })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: france.coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })

  const { attachmentId } = await simplan.subscriptions.create({ organizationId, planId })
  assert.deepEqual([...telco.books.packages.keys()], [`${attachmentId}:0`])
  refuses = true
  await assert.rejects(simplan.subscriptions.create({ organizationId, planId }), { name: "TelcoRefusedError" })
})
