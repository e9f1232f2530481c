/** The deliveries of an organization, with filters, and all that a filter takes sent again. */
import { useState } from "preact/hooks"
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import { List } from "../List.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Replay from "../Replay.ts"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Delivery = Types.Item<"webhooks", "deliveries">

const columns =
  (of: string) =>
  (again: () => void): ReadonlyArray<View.Column<Delivery>> => [
    { title: "Created", of: ({ created_at }) => <View.Time at={created_at} /> },
    {
      title: "Event",
      of: ({ delivery_id, event }) => (
        <View.Link to={{ page: "delivery", of, delivery: delivery_id }}>{event.type}</View.Link>
      )
    },
    {
      title: "Status",
      of: ({ status }) => <View.State tone={Words.state(status).tone}>{Words.state(status).words}</View.State>
    },
    { title: "Attempts", of: ({ attempts }) => attempts },
    {
      title: "Answer",
      of: ({ last_error, response_status }) => <View.Text>{last_error ?? String(response_status ?? "–")}</View.Text>
    },
    { title: "Next", of: ({ next_attempt_at }) => <View.Time at={next_attempt_at} /> },
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

type Endpoint = Types.Item<"webhooks", "list">

const Chosen = ({ of }: { readonly of: string }) => {
  const organization = `/organizations/${encodeURIComponent(of)}`
  const status = Location.field("status")
  const endpoints = View.useReading(`${organization}/webhook-endpoints`, () =>
    Api.all<Endpoint>(`${organization}/webhook-endpoints`)
  )
  const filter = {
    status,
    type: Location.field("type"),
    iccid: Location.field("iccid"),
    webhook_endpoint_id: Location.field("endpoint"),
    from: Filters.instant("since"),
    to: Filters.instant("until")
  }
  const query = Replay.queryOf(filter)
  const [said, say] = useState("")
  const task: Task.Task = {
    title: "Replay all that match",
    about: status === "" ? "Also those that have arrived: choose a status for fewer." : `Those that are ${status}.`,
    preview: async () => [await Replay.count(organization, filter)],
    does: () => Replay.all(organization, filter)
  }
  return (
    <>
      <Filters.Bar>
        <Filters.Choice label="Status" name="status" choices={STATUSES.map((one) => [one, one === "" ? "any" : one])} />
        <Filters.Choice
          label="Endpoint"
          name="endpoint"
          choices={[
            ["", "any"],
            ...(endpoints.data ?? []).map(({ url, webhook_endpoint_id }) => [webhook_endpoint_id, url] as const)
          ]}
        />
        <Filters.Input label="Event" name="type" />
        <Filters.Input label="ICCID" name="iccid" />
        <Filters.Input label="Since (UTC)" name="since" isTime />
        <Filters.Input label="Until (UTC)" name="until" isTime />
      </Filters.Bar>
      <View.Failure>{endpoints.failure}</View.Failure>
      {Api.allows("support") &&
        (status === "pending" ? (
          <View.Action
            label="Send all now"
            does={async () => say(await Replay.pending(organization, filter))}
            done={View.refresh}
          />
        ) : (
          <Task.Buttons tasks={[task]} again={() => undefined} />
        ))}
      <p role="status" data-said>
        {said}
      </p>
      <List
        label="Deliveries"
        path={`${organization}/deliveries${query === "" ? "" : `?${query}`}`}
        columns={columns(of)}
        empty="There are no such deliveries. Empty the filters; if there never are any, see whether it has an endpoint."
      />
    </>
  )
}

export default () => <OfOrganization title="Deliveries" Chosen={Chosen} />
