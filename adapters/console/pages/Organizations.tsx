/** The organizations. */
import * as View from "../View.tsx"

interface Organization {
  readonly organization_id: string
  readonly name: string
  readonly created_at: string
}

const columns = (): ReadonlyArray<View.Column<Organization>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "Since (UTC)", of: ({ created_at }) => <View.Time at={created_at} /> },
  {
    title: "SIMs",
    of: ({ organization_id }) => <View.Link to={{ page: "sims", of: organization_id }}>SIMs</View.Link>
  },
  {
    title: "Deliveries",
    of: ({ organization_id }) => <View.Link to={{ page: "deliveries", of: organization_id }}>Deliveries</View.Link>
  },
  {
    title: "Changes",
    of: ({ organization_id }) => <View.Link to={{ page: "audit", of: organization_id }}>Audit log</View.Link>
  },
  { title: "Id", of: ({ organization_id }) => <code>{organization_id}</code> }
]

export default () => (
  <>
    <h1>Organizations</h1>
    <View.List label="Organizations" path="/organizations" columns={columns} empty="There are none yet." />
  </>
)
