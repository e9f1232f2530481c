/** The organizations, with the way to all that each has, and as a file. */
import { TextLimit } from "simplan/ports"
import * as Api from "../Api.ts"
import { Download } from "../Download.tsx"
import { List } from "../List.tsx"
import * as OfOrganization from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Organization = Types.Item<"organizations", "list">

const columns = (): ReadonlyArray<View.Column<Organization>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "Since", of: ({ created_at }) => <View.Time at={created_at} /> },
  { title: "What it has", of: ({ organization_id }) => <OfOrganization.Links of={organization_id} /> },
  { title: "Id", of: ({ organization_id }) => <View.Id>{organization_id}</View.Id> }
]

const FILE = [
  { name: "name", text: ({ name }: Organization) => name },
  { name: "organization_id", text: ({ organization_id }: Organization) => organization_id },
  { name: "created_at", text: ({ created_at }: Organization) => created_at }
]

const creation: Task.Task = {
  title: "Create an organization",
  fields: () => Promise.resolve([{ name: "name", label: "Name", longest: TextLimit.NAME }]),
  preview: () => Promise.resolve(["It begins with no keys, SIMs or plans."]),
  does: async (body) => {
    await Api.call("POST", "/organizations", { body })
    return "The organization is made."
  }
}

export default () => (
  <>
    <h1>Organizations</h1>
    {Api.allows("admin") && Api.operator.value?.organization_id === null && (
      <Task.Buttons tasks={[creation]} again={View.refresh} />
    )}
    <Download name="organizations.csv" path="/organizations" columns={FILE} />
    <List label="Organizations" path="/organizations" columns={columns} empty="There are none yet." />
  </>
)
