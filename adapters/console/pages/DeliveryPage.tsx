/** A delivery: what is sent, and what each attempt met. */
import * as Api from "../Api.ts"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Delivery = Types.Data<"webhooks", "delivery">

type Endpoint = Types.Item<"webhooks", "list">

const headers: ReadonlyArray<View.Column<Delivery["headers"][number]>> = [
  { title: "Header", of: ({ name }) => <code>{name}</code> },
  { title: "Value", of: ({ value }) => (value === null ? "of each attempt" : <code>{value}</code>) }
]

const attempts: ReadonlyArray<View.Column<Delivery["attempt_log"][number]>> = [
  { title: "Attempt", of: ({ number }) => number },
  { title: "When", of: ({ at }) => <View.Time at={at} /> },
  { title: "Took", of: ({ duration_ms }) => (duration_ms === null ? null : `${duration_ms} ms`) },
  { title: "Status", of: ({ response_status }) => response_status },
  { title: "Error", of: ({ error }) => <View.Text>{error}</View.Text> },
  {
    title: "Answer",
    of: ({ response_body }) => (response_body === null || response_body === "" ? null : <pre>{response_body}</pre>)
  }
]

/** The JSON of a body, line by line. */
const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)

/** The SIM that an event is about; null: none. */
const simOf = ({ event: { data } }: Delivery): string | null => {
  const of = typeof data === "object" && data !== null ? { ...data } : {}
  const named: unknown = "esim" in of ? of.esim : "sim" in of ? of.sim : null
  return typeof named === "string" ? named : null
}

const Shown = ({
  again,
  delivery,
  of,
  url
}: {
  readonly again: () => void
  readonly delivery: Delivery
  readonly of: string
  readonly url: string
}) => {
  const { attempt_log, body, created_at, delivery_id, event, next_attempt_at, status } = delivery
  const iccid = simOf(delivery)
  const path = `/organizations/${encodeURIComponent(of)}/deliveries/${encodeURIComponent(delivery_id)}`
  return (
    <>
      <p data-summary>
        <code>{event.type}</code>, {status}, to <View.Text>{url}</View.Text>, created <View.Time at={created_at} />
        {next_attempt_at !== null && (
          <>
            , next attempt <View.Time at={next_attempt_at} />
          </>
        )}
        {iccid !== null && (
          <>
            , about the SIM <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
          </>
        )}
        .
      </p>
      {Api.allows("support") && status !== "pending" && (
        <View.Action label="Replay" does={() => Api.call("POST", `${path}/replay`)} done={again} />
      )}
      <h2>Body</h2>
      <View.Scrolls label="Body">
        <pre>{pretty(body)}</pre>
      </View.Scrolls>
      <h2>Headers</h2>
      <View.Table label="Headers" columns={headers} items={delivery.headers} empty="" />
      <h2>Attempts, newest first</h2>
      <View.Table label="Attempts" columns={attempts} items={attempt_log} empty="There was none yet." />
    </>
  )
}

const Chosen = ({ of }: { readonly of: string }) => {
  const id = Location.field("delivery")
  const organization = `/organizations/${encodeURIComponent(of)}`
  const path = `${organization}/deliveries/${encodeURIComponent(id)}`
  const { again, data, failure } = View.useReading(path, () => Api.read<Delivery>(path))
  const endpoints = View.useReading(
    `${organization} endpoints`,
    () => Api.all<Endpoint>(`${organization}/webhook-endpoints`),
    null
  )
  const at = data?.webhook_endpoint_id
  const url = endpoints.data?.find(({ webhook_endpoint_id }) => webhook_endpoint_id === at)?.url
  return (
    <>
      <View.Failure>{failure ?? endpoints.failure}</View.Failure>
      {data === undefined || endpoints.data === undefined ? (
        failure === null && <p class="empty">Reading …</p>
      ) : (
        <Shown again={again} delivery={data} of={of} url={url ?? "an endpoint that was deleted"} />
      )}
    </>
  )
}

export default () => <OfOrganization title="Delivery" Chosen={Chosen} />
