/** How fresh usage is, in a host of Promises (rule T6): as the telco says, of packages it names. */
import { Effect, Layer } from "effect"
import { TelcoUsage } from "simplan/ports"
import { createSimplan } from "simplan/promise"
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it, onTestFinished } from "vitest"

it("packages say until when usage is counted, if the telco says so", async () => {
  const known = new Map<string, number>()
  const asked: Array<unknown> = []
  const usage = Layer.succeed(TelcoUsage.TelcoUsage, {
    asOf: (of) =>
      Effect.sync(() => {
        asked.push(of)
        return known
      })
  })
  const telco = Layer.merge(usage, TelcoSimulator.layerMemory())
  const simplan = createSimplan({ database: "memory", telco, logger: false })
  onTestFinished(simplan.close)
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const [iccid, label] = ["8933010000000000018", "Green"] as const
  await simplan.sims.import({ organizationId, rows: [{ iccid, label, isEsim: true }] })
  const [profile] = await simplan.coverage.list({ organizationId, label, regionCode: "FR" }).toArray()
  const terms = { name: "Week", coverageId: profile?.coverageId ?? "", dataMegaBytes: 1024, periodDays: 7 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  for (let times = 0; times < 2; times++) await simplan.subscriptions.create({ organizationId, planId, iccid })
  const packages = async () =>
    (await simplan.attachments.list({ organizationId, iccid }).toArray()).flatMap((one) => one.packages)
  const [first, second] = await packages()
  expect(first).not.toHaveProperty("usageAsOf")
  const at = Date.UTC(2026, 10, 30, 9)
  known.set(first?.packageId ?? "", at)
  expect(await packages()).toEqual([{ ...first, usageAsOf: new Date(at) }, second])
  const { attachmentId: id = "" } = (await simplan.attachments.list({ organizationId, iccid }).toArray())[0] ?? {}
  expect((await simplan.attachments.get({ organizationId, iccid, id })).packages).toMatchObject([
    { usageAsOf: new Date(at) }
  ])
  expect(asked).toContainEqual({ organizationId, iccid })
})
