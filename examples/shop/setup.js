// `npm run setup`, once: makes the shop's tables, its organization, and its plans of bundles.
import { readFileSync } from "node:fs"
import * as schema from "./schema.js"
import { open } from "./service.js"

const { CURRENCY: currency = "USD", LABEL: label = "Green", PLANS = "plans.json" } = process.env

const { close, db, simplan } = open({ worker: false })
await schema.create(db)
const { organizationId } = await simplan.organizations.create({ name: "Shop" })
for (const { bundle, most, name, price } of JSON.parse(readFileSync(PLANS, "utf8"))) {
  const made = { organizationId, telco: "go", bundle, label, name, priceLimit: most, currency }
  const { planId } = await simplan.plans.createFromBundle(made)
  await simplan.plans.setPrice({ organizationId, planId, price, currency })
}
console.log(`ORGANIZATION_ID=${organizationId}`)
await close()
