/** The SIMs of an organization, with filters, and as a file. */
import { Sim as Statuses } from "simplan/ports"
import { Acting } from "../Acting.tsx"
import * as Bulk from "../Bulk.ts"
import { Download } from "../Download.tsx"
import * as Filters from "../Filters.tsx"
import { List } from "../List.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Sim = Types.Item<"organizationSims", "list">

const kind = ({ is_esim }: Sim): string => (is_esim ? "eSIM" : "SIM card")

const columns = (of: string) => (): ReadonlyArray<View.Column<Sim>> => [
  {
    title: "ICCID",
    of: ({ iccid }) => <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
  },
  { title: "Label", of: ({ label }) => <View.Text>{label}</View.Text> },
  { title: "Kind", of: kind },
  { title: "Taken", of: ({ used }) => (used ? "yes" : "no") },
  { title: "Since (UTC)", of: ({ created_at }) => <View.Time at={created_at} /> }
]

const HEADER = ["iccid", "label", "kind", "taken", "created_at"]

const rowOf = (sim: Sim): ReadonlyArray<string> => [
  sim.iccid,
  sim.label,
  kind(sim),
  sim.used ? "yes" : "no",
  sim.created_at
]

const KINDS = [
  ["", "any"],
  ["true", "eSIMs"],
  ["false", "SIM cards"]
] as const

const Chosen = ({ of }: { readonly of: string }) => {
  const fields = {
    search: Location.field("find"),
    label: Location.field("label"),
    status: Location.field("status"),
    is_esim: Location.field("kind")
  }
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""))
  const organization = `/organizations/${encodeURIComponent(of)}`
  const path = `${organization}/sims${query.size === 0 ? "" : `?${query}`}`
  return (
    <>
      <p>By the order of their import.</p>
      <div class="filters">
        <Filters.Input label="Find" name="find" />
        <Filters.Input label="Label" name="label" />
        <Filters.Choice
          label="Status"
          name="status"
          choices={[["", "any"], ...Statuses.statuses.map((one) => [one, one.replace("_", " ")] as const)]}
        />
        <Filters.Choice label="Kind" name="kind" choices={KINDS} />
      </div>
      <Acting key={path} organization={organization} things={Bulk.sims} filter={fields} />
      <Download name="sims.csv" path={path} header={HEADER} rowOf={rowOf} />
      <List label="SIMs" path={path} columns={columns(of)} empty="There are no such SIMs." />
    </>
  )
}

export default () => <OfOrganization title="SIMs" Chosen={Chosen} />
