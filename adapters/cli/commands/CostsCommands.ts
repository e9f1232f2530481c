/**
 * What suppliers have charged, and what was earned: `simplan costs`.
 */
import * as UsageCommands from "./UsageCommands.ts"

const columns = [
  ...["month", "plan_id", "label", "supplier", "region_code", "currency", "cost", "price", "margin"],
  ...["purchases", "top_ups", "refunds", "sales"]
]

export const command = UsageCommands.listing("costs", "costs.ofOrganization", columns, {
  says: "List what an organization was charged and what it earned, by month, plan, label, supplier, country or several of them. Months are UTC.",
  examples: [
    { command: "simplan costs --by supplier", description: "This month and the one before" },
    { command: "simplan costs --from 2026-11 --to 2026-11 --by supplier --csv > november.csv" }
  ]
})
