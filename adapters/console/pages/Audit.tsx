/** Who changed what: of an organization, or of what belongs to none, and as a file. */
import { Download } from "../Download.tsx"
import { List } from "../List.tsx"
import * as Location from "../Location.ts"
import { Name } from "../OfOrganization.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Entry = Types.Item<"audit", "list">

const columns = (): ReadonlyArray<View.Column<Entry>> => [
  { title: "When (UTC)", of: ({ created_at }) => <View.Time at={created_at} /> },
  { title: "Who", of: ({ actor }) => <View.Text>{actor}</View.Text> },
  { title: "What", of: ({ action }) => action },
  { title: "Of", of: ({ resource_id }) => <code>{resource_id}</code> },
  { title: "Why", of: ({ reason }) => <View.Text>{reason}</View.Text> },
  { title: "Address", of: ({ address }) => address ?? "–" }
]

const FILE = [
  { name: "created_at", text: ({ created_at }: Entry) => created_at },
  { name: "actor", text: ({ actor }: Entry) => actor },
  { name: "action", text: ({ action }: Entry) => action },
  { name: "resource_id", text: ({ resource_id }: Entry) => resource_id },
  { name: "iccid", text: ({ iccid }: Entry) => iccid ?? "" },
  { name: "reason", text: ({ reason }: Entry) => reason ?? "" },
  { name: "address", text: ({ address }: Entry) => address ?? "" },
  { name: "request_id", text: ({ request_id }: Entry) => request_id ?? "" }
]

export default () => {
  const chosen = Location.field("of")
  const actor = Location.field("q")
  const list = chosen === "" ? "/audit" : `/organizations/${encodeURIComponent(chosen)}/audit`
  const path = actor === "" ? list : `${list}?actor=${encodeURIComponent(actor)}`
  return (
    <>
      <h1>Audit log</h1>
      <p>
        {chosen === "" ? (
          "Changes of what belongs to no organization, newest first."
        ) : (
          <>
            Changes in <Name of={chosen} />, newest first.
          </>
        )}
      </p>
      <label class="field">
        Only by
        <input
          type="search"
          value={actor}
          onChange={({ currentTarget }) => Location.change({ q: currentTarget.value, rows: "" })}
        />
      </label>
      <Download name="audit.csv" path={path} columns={FILE} />
      <List label="Audit log" path={path} columns={columns} empty="There are no such changes." />
    </>
  )
}
