/**
 * The ledger of costs (rule C1), with what was bought before there was one. Nobody knows any more
 * which supplier that was of, nor to whom it was given.
 */
import { type Change, Step } from "./Step.ts"

export const steps: ReadonlyArray<Change> = [
  Step.Table({
    name: "cost",
    columns: {
      organization_id: `text collate "C" not null`,
      cost_id: `text collate "C" not null`,
      kind: "text not null",
      at: "bigint not null",
      telco: `text collate "C"`,
      load: `text collate "C"`,
      label: `text collate "C" not null`,
      region_code: `text collate "C"`,
      iccid: "text not null",
      amount: "numeric",
      currency: `text collate "C"`,
      attachment_id: "text",
      plan_id: `text collate "C"`,
      occurrence: "bigint"
    },
    key: "(organization_id, cost_id)",
    indexes: { cost_charged: "(organization_id, at)", cost_charged_to_all: "(at)" }
  }),
  Step.Statement({
    ...{ does: "books what was bought before", tables: ["sim"], blocks: "nothing", work: "scan" },
    text: `insert into simplan.cost (organization_id, cost_id, kind, at, load, label, iccid, amount, currency)
  select sim.organization_id, 'purchase:' || (sim.purchase->>'purchaseId'), 'purchase',
    (sim.purchase->>'boughtAt')::bigint, sim.purchase->>'load', sim.label, sim.iccid,
    round((sim.purchase->'cost'->>'units')::numeric / 10::numeric ^ (sim.purchase->'cost'->>'scale')::integer, 6),
    sim.purchase->'cost'->>'currency'
  from simplan.sim
  where sim.purchase is not null`
  })
]
