/**
 * What suppliers sell, and plans that are made of it, by the library.
 */
import type { Simplan } from "simplan/promise"
import { expect, it, onTestFinished } from "vitest"
import { make, stocked } from "../World.ts"

const open = (): Simplan => {
  const simplan = make()
  onTestFinished(simplan.close)
  return simplan
}

const FR = { telco: "simulator", bundle: "sim_1GB_7D_FR", label: "Green" } as const

it("a host lists what a telco sells, and makes a plan of it once under a key (P6, W2)", async () => {
  const simplan = open()
  const { organizationId } = await stocked(simplan)
  expect(await simplan.telcos.sellers()).toEqual([{ telco: "simulator", bundles: null, readAt: null, failure: null }])
  const [first] = await simplan.telcos.bundles({ telco: "simulator", country: "fr" }).toArray()
  expect(first).toMatchObject({ code: FR.bundle, price: "1.80", currency: "USD", readAt: expect.any(Date) })
  const page = await simplan.telcos.bundles({ telco: "simulator" }).page({ size: 4 })
  expect([page.items.length, typeof page.next]).toEqual([4, "string"])
  const options = { idempotencyKey: "of a bundle" }
  const tried = await simplan.plans.createFromBundle({ ...FR, organizationId, dryRun: true }, options)
  expect(tried).toMatchObject({ planId: null, regionName: "France" })
  const made = await simplan.plans.createFromBundle({ ...FR, organizationId }, options)
  expect(await simplan.plans.createFromBundle({ ...FR, organizationId }, options)).toEqual(made)
  expect(made).toEqual({ ...tried, planId: made.planId })
  const plans = await simplan.plans.list({ organizationId }).toArray()
  expect(plans).toMatchObject([{ planId: made.planId, dataMegaBytes: 1_024, periodDays: 7 }])
  await expect(simplan.plans.createFromBundle({ ...FR, organizationId, bundle: "gone" })).rejects.toMatchObject({
    code: "invalid_field",
    field: "bundle"
  })
  await expect(simplan.telcos.bundles({ telco: "another" }).toArray()).rejects.toMatchObject({ name: "NotFoundError" })
})

it("a plan becomes a bundle once under a key, with what differs (P5, W2)", async () => {
  const simplan = open()
  const { organizationId } = await stocked(simplan)
  const { planId } = await simplan.plans.createFromBundle({ ...FR, organizationId })
  const request = { organizationId, planId: planId ?? "", load: "sim_5GB_30D_FR" }
  const options = { idempotencyKey: "to a bundle" }
  const set = await simplan.plans.setBundle(request, options)
  expect(set).toMatchObject({ load: "sim_5GB_30D_FR", differences: [{ what: "data" }, { what: "days" }] })
  expect(await simplan.plans.setBundle(request, options)).toEqual(set)
})

it("a plan has a text and a price of its host, which can be set anew (P7, W2)", async () => {
  const simplan = open()
  const { organizationId } = await stocked(simplan)
  const [profile] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: profile?.coverageId ?? "", dataMegaBytes: 1_024, periodDays: 7 }
  const said = { metadata: "article 1200", price: "19.90", currency: "EUR" }
  const options = { idempotencyKey: "a plan" }
  const plan = await simplan.plans.create({ organizationId, ...terms, ...said }, options)
  expect(plan).toMatchObject(said)
  expect(await simplan.plans.create({ organizationId, ...terms, ...said }, options)).toEqual(plan)
  const of = { organizationId, planId: plan.planId }
  expect(await simplan.plans.setPrice({ ...of, price: "24.00", currency: "EUR" })).toEqual({
    ...of,
    price: "24.00",
    currency: "EUR"
  })
  expect(await simplan.plans.get(of)).toEqual({ ...plan, price: "24.00" })
  expect(await simplan.plans.create({ organizationId, ...terms })).toMatchObject({
    metadata: "",
    price: null,
    currency: null
  })
  await expect(simplan.plans.create({ organizationId, ...terms, price: "1" })).rejects.toMatchObject({
    name: "InvalidFieldError",
    field: "currency",
    message: "plans.create: currency must be three capital letters, not null"
  })
  const made = await simplan.plans.createFromBundle({ ...FR, organizationId, metadata: "article 1300" })
  expect(await simplan.plans.get({ organizationId, planId: made.planId ?? "" })).toMatchObject({
    metadata: "article 1300",
    price: null
  })
})
