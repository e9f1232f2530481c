/** The deliveries of an organization, with filters. */
import * as Api from "../Api.ts"
import * as Location from "../Location.ts"
import * as View from "../View.tsx"

interface Delivery {
  readonly delivery_id: string
  readonly status: string
  readonly attempts: number
  readonly response_status: number | null
  readonly last_error: string | null
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly event: { readonly type: string }
}

const columns =
  (of: string) =>
  (again: () => void): ReadonlyArray<View.Column<Delivery>> => [
    { title: "Created (UTC)", of: ({ created_at }) => <View.Time at={created_at} /> },
    { title: "Event", of: ({ event }) => event.type },
    { title: "Status", of: ({ status }) => status },
    { title: "Attempts", of: ({ attempts }) => attempts },
    {
      title: "Answer",
      of: ({ last_error, response_status }) => <View.Text>{last_error ?? String(response_status ?? "–")}</View.Text>
    },
    { title: "Next (UTC)", of: ({ next_attempt_at }) => <View.Time at={next_attempt_at} /> },
    ...(Api.allows("support")
      ? [
          {
            title: "What to do",
            of: ({ delivery_id }: Delivery) => (
              <View.Action
                label="Replay"
                does={() =>
                  Api.call("POST", `/organizations/${encodeURIComponent(of)}/deliveries/${delivery_id}/replay`)
                }
                done={again}
              />
            )
          }
        ]
      : [])
  ]

const STATUSES = ["", "pending", "delivered", "failed"]

export default () => {
  const of = Location.field("of") || (Api.operator.value?.organization_id ?? "")
  const status = Location.field("status")
  if (of === "") {
    return (
      <>
        <h1>Deliveries</h1>
        <p>
          Deliveries are an organization's: choose it among the{" "}
          <View.Link to={{ page: "organizations" }}>organizations</View.Link>.
        </p>
      </>
    )
  }
  const path = `/organizations/${encodeURIComponent(of)}/deliveries`
  return (
    <>
      <h1>Deliveries</h1>
      <p>
        Of <code>{of}</code>, newest first.
      </p>
      <label class="field">
        Status
        <select
          value={status}
          onChange={({ currentTarget }) => Location.change({ status: currentTarget.value, from: "" })}
        >
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {one === "" ? "any" : one}
            </option>
          ))}
        </select>
      </label>
      <View.List
        label="Deliveries"
        path={status === "" ? path : `${path}?status=${status}`}
        columns={columns(of)}
        empty="There are no such deliveries."
      />
    </>
  )
}
