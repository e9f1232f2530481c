/** The SIMs that a search has found. */
import * as Location from "../Location.ts"
import * as Search from "../Search.tsx"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

const columns: ReadonlyArray<View.Column<Search.Hit>> = [
  { title: "SIM", of: (hit) => <View.Link to={Search.simOf(hit)}>{hit.iccid}</View.Link> },
  { title: "Organization", of: ({ organization_name }) => <View.Text>{organization_name}</View.Text> },
  {
    title: "State",
    of: ({ paused, status }) => (
      <View.State tone={paused ? "waits" : status === "in_use" ? "good" : "idle"}>
        {Words.spaced(status)}
        {paused ? ", paused" : ""}
      </View.State>
    )
  },
  { title: "Plan", of: ({ plan_name }) => <View.Text>{plan_name}</View.Text> },
  { title: "Note", of: ({ metadata }) => <View.Text>{metadata === "" ? null : metadata}</View.Text> },
  { title: "Label", of: ({ label }) => <View.Text>{label}</View.Text> },
  { title: "Found by", of: ({ matched }) => (matched === "metadata" ? "note" : Words.spaced(matched)) }
]

const NONE =
  "No SIM has this. Try a whole ICCID or its first or last digits, an IMSI, a phone number, the id of a subscription, the beginning of its note, or whole words of it."

export default () => {
  const text = Location.field("q")
  const { data, failure } = View.useReading(`search ${text}`, () => Search.find(text))
  return (
    <>
      <h1>
        Search: <View.Text>{text}</View.Text>
      </h1>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && <View.Table label="SIMs" columns={columns} items={data.data} empty={NONE} />}
      {data?.has_more === true && <p class="note">There are more: type more of it.</p>}
    </>
  )
}
