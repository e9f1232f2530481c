/** Who may use the management API. */
import * as View from "../View.tsx"

interface Operator {
  readonly operator_id: string
  readonly name: string
  readonly role: string
  readonly organization_id: string | null
  readonly hint: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly deleted_at: string | null
}

const columns = (): ReadonlyArray<View.Column<Operator>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "Role", of: ({ role }) => role },
  { title: "Sees", of: ({ organization_id }) => organization_id ?? "all organizations" },
  { title: "Token ends in", of: ({ hint }) => <code>{hint}</code> },
  { title: "Expires (UTC)", of: ({ expires_at }) => <View.Time at={expires_at} /> },
  { title: "Deleted (UTC)", of: ({ deleted_at }) => <View.Time at={deleted_at} /> }
]

export default () => (
  <>
    <h1>Operators</h1>
    <View.List label="Operators" path="/operators" columns={columns} empty="There are none but bootstrap." />
  </>
)
