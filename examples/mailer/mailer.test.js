import assert from "node:assert/strict"
import { test } from "node:test"
import { createSimplan } from "simplan/promise"
import { register } from "./mailer.js"

test("a mail is sent for each new eSIM, again where the mail service fails", async (context) => {
  const clock = { start: "2026-01-01T00:00:00Z" }
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, clock, logger: false })
  context.after(() => simplan.close())
  const tries = []
  const sent = []
  await register(simplan, async (mail) => {
    tries.push(mail.key)
    if (tries.length === 1) throw new Error("The mail service is down")
    sent.push(mail)
  })

  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  await simplan.sims.import({ organizationId, rows: [{ iccid: "8933010000000000018", label: "Green", isEsim: true }] })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: france.coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  const { sim } = await simplan.subscriptions.create({ organizationId, planId })

  await simplan.drain()
  assert.deepEqual([tries.length, sent.length], [1, 0])
  await simplan.clock.advanceBy({ by: "10 seconds" })
  assert.deepEqual([tries.length, sent.length], [2, 1])
  assert.equal(tries[0], tries[1])
  assert.ok(sent[0].text.includes(sim.iccid))
})
