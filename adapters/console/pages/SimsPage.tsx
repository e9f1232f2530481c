/** The SIMs of an organization, with filters, columns to choose, and as a file. */
import { Sim as Statuses, Tags } from "simplan/ports"
import { Acting } from "../Acting.tsx"
import * as Bulk from "../Bulk.ts"
import * as Columns from "../Columns.tsx"
import * as Filters from "../Filters.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Sim = Types.Item<"organizationSims", "list">

const kind = ({ is_esim }: Sim): string => (is_esim ? "eSIM" : "SIM card")

const taken = ({ used }: Sim): string => (used ? "yes" : "no")

const columns = (of: string) =>
  [
    {
      name: "iccid",
      title: "ICCID",
      of: ({ iccid }: Sim) => <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>,
      text: ({ iccid }: Sim) => iccid
    },
    {
      name: "label",
      title: "Label",
      of: ({ label }: Sim) => <View.Text>{label}</View.Text>,
      text: ({ label }: Sim) => label
    },
    { name: "kind", title: "Kind", of: kind, text: kind },
    {
      name: "tags",
      title: "Tags",
      of: ({ tags }: Sim) => <View.Tags of={tags} />,
      text: ({ tags }: Sim) => tags.join(Tags.SEPARATOR)
    },
    { name: "taken", title: "Taken", of: taken, text: taken },
    {
      name: "created_at",
      title: "Since",
      of: ({ created_at }: Sim) => <View.Time at={created_at} />,
      text: ({ created_at }: Sim) => created_at
    },
    {
      name: "esim_id",
      title: "Id",
      of: ({ esim_id }: Sim) => <View.Id>{esim_id}</View.Id>,
      text: ({ esim_id }: Sim) => String(esim_id),
      isExtra: true
    }
  ] as const

const KINDS = [
  ["", "any"],
  ["true", "eSIMs"],
  ["false", "SIM cards"]
] as const

const Chosen = ({ of }: { readonly of: string }) => {
  const fields = {
    ...Filters.fieldsOfSims(),
    status: Location.field("status"),
    is_esim: Location.field("kind")
  }
  const query = new URLSearchParams(Bulk.filled(fields))
  const organization = `/organizations/${encodeURIComponent(of)}`
  const path = `${organization}/sims${query.size === 0 ? "" : `?${query}`}`
  return (
    <>
      <Filters.Bar>
        <Filters.OfSims />
        <Filters.Choice
          label="Status"
          name="status"
          choices={[["", "any"], ...Statuses.statuses.map((one) => [one, Words.spaced(one)] as const)]}
        />
        <Filters.Choice label="Kind" name="kind" choices={KINDS} />
      </Filters.Bar>
      <Acting key={path} organization={organization} things={Bulk.sims} filter={fields} />
      <Columns.Listing
        label="SIMs"
        order="By the order of their import."
        path={path}
        columns={columns(of)}
        empty="There are no such SIMs. Empty the filters, or have a file of them imported."
      />
    </>
  )
}

export default () => <OfOrganization title="SIMs" Chosen={Chosen} />
