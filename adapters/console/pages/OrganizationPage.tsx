/**
 * An organization at a glance: what it has in stock, sells, uses and is notified by, what is wrong,
 * and who may act for it.
 */
import { UsageBook } from "simplan/ports"
import * as Api from "../Api.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Problems from "../Problems.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"
import { Standing } from "./EndpointsPage.tsx"

type Stock = Types.Item<"organizationSims", "stock">

type Plan = Types.Item<"organizationPlans", "list">

type Endpoint = Types.Item<"webhooks", "list">

type Key = Types.Item<"organizations", "keys">

type Operator = Types.Item<"serviceOperators", "list">

type Usage = Types.Item<"organizationUsage", "ofOrganization">

const stock: ReadonlyArray<View.Column<Stock>> = [
  { title: "Label", of: ({ label }) => <View.Text>{label}</View.Text> },
  {
    title: "Free eSIMs",
    of: ({ free, level }) =>
      level !== null && free < level ? (
        <View.State tone="bad">{`${free}, below the level of ${level}`}</View.State>
      ) : (
        free
      )
  },
  { title: "In use", of: ({ in_use }) => in_use },
  { title: "On their way back", of: ({ releasing }) => releasing },
  { title: "Free SIM cards", of: ({ physical }) => physical.free }
]

const plans: ReadonlyArray<View.Column<Plan>> = [
  { title: "Plan", of: ({ plan_name }) => <View.Text>{plan_name}</View.Text> },
  { title: "Label", of: ({ label }) => <View.Text>{label}</View.Text> },
  { title: "Data", of: ({ data_mega_bytes }) => Words.allowance(data_mega_bytes) },
  { title: "Days", of: ({ period_days }) => period_days }
]

const endpoints: ReadonlyArray<View.Column<Endpoint>> = [
  { title: "URL", of: ({ url }) => <View.Text>{url}</View.Text> },
  { title: "Standing", of: (endpoint) => <Standing of={endpoint} /> },
  { title: "Pending", of: ({ pending_deliveries }) => pending_deliveries }
]

const problems: ReadonlyArray<View.Column<Problems.Problem>> = [
  { title: "Since", of: ({ since }) => <View.Time at={since} /> },
  { title: "Work", of: ({ kind }) => Words.work(kind) },
  {
    title: "SIM",
    of: ({ iccid, organization_id }) =>
      iccid === null ? null : <View.Link to={Search.simOf({ iccid, organization_id })}>{iccid}</View.Link>
  },
  { title: "The telco said", of: ({ last_message }) => <View.Text>{last_message}</View.Text> }
]

/** Somebody or something that may act for it. */
interface Acting {
  readonly name: string
  readonly what: string
  readonly until: string | null
}

const people: ReadonlyArray<View.Column<Acting>> = [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "What it may", of: ({ what }) => what },
  { title: "Ends", of: ({ until }) => <View.Time at={until} /> }
]

/** How many rows each table has: the page of each thing has all. */
const SHOWN = 5

const Section = <Item,>({
  columns,
  empty,
  key,
  of,
  page,
  read,
  title
}: {
  readonly title: string
  readonly key: string
  readonly of: string
  readonly page: string
  readonly read: () => Promise<ReadonlyArray<Item>>
  readonly columns: ReadonlyArray<View.Column<Item>>
  readonly empty: string
}) => {
  const { data, failure } = View.useReading(key, read, View.SELDOM)
  return (
    <section>
      <h2>
        <View.Link to={{ page, of }}>{title}</View.Link>
      </h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <>
          <View.Table label={title} columns={columns} items={data.slice(0, SHOWN)} empty={empty} />
          {data.length > SHOWN && <p class="note">There are more.</p>}
        </>
      )}
    </section>
  )
}

/** What was used in the UTC month so far, and in the one before. */
const readUsage = async (path: string): Promise<ReadonlyArray<Usage>> => {
  const month = UsageBook.monthOf(Api.now())
  const then = UsageBook.monthOf(month - 1)
  return Api.read<ReadonlyArray<Usage>>(
    `${path}/usage?by=month&from=${UsageBook.dateOf(then)}&to=${UsageBook.dateOf(Api.now())}`
  )
}

const usage: ReadonlyArray<View.Column<Usage>> = [
  { title: "Month (UTC)", of: ({ month }) => (month === undefined ? null : Words.month(Date.parse(month))) },
  { title: "Used", of: ({ used_bytes }) => Words.megabytes(used_bytes) }
]

const readPeople = async (of: string, path: string): Promise<ReadonlyArray<Acting>> => {
  const isWhole = Api.allows("admin") && Api.operator.value?.organization_id === null
  const [keys, operators] = await Promise.all([
    Api.all<Key>(`${path}/api-keys`),
    isWhole ? Api.all<Operator>("/operators") : []
  ])
  return [
    ...operators
      .filter(({ deleted_at, organization_id }) => deleted_at === null && organization_id === of)
      .map(({ expires_at, name, role }) => ({ name, what: `an operator: ${role}`, until: expires_at })),
    ...keys
      .filter(({ revoked_at }) => revoked_at === null)
      .map(({ expires_at, name, scope }) => ({ name, what: `an API key: ${scope}`, until: expires_at }))
  ]
}

const Chosen = ({ of }: { readonly of: string }) => {
  const path = `/organizations/${encodeURIComponent(of)}`
  const common = { of }
  return (
    <>
      <Section
        {...common}
        title="Problems"
        page="problems"
        key={`${path} problems`}
        read={async () =>
          (await Api.page<Problems.Problem>(`/problems?organization_id=${encodeURIComponent(of)}`)).data
        }
        columns={problems}
        empty={Problems.NONE}
      />
      <Section
        {...common}
        title="Stock"
        page="sims"
        key={`${path} stock`}
        read={() => Api.read<ReadonlyArray<Stock>>(`${path}/sims/stock`)}
        columns={stock}
        empty="It has no SIMs yet."
      />
      <Section
        {...common}
        title="Usage"
        page="usage"
        key={`${path} usage`}
        read={() => readUsage(path)}
        columns={usage}
        empty="Nothing was used this month or the one before."
      />
      <Section
        {...common}
        title="Plans"
        page="plans"
        key={`${path} plans`}
        read={async () => (await Api.page<Plan>(`${path}/plans?archived=false`)).data}
        columns={plans}
        empty="It sells no plans yet."
      />
      <Section
        {...common}
        title="Endpoints"
        page="endpoints"
        key={`${path} endpoints`}
        read={async () => (await Api.page<Endpoint>(`${path}/webhook-endpoints`)).data}
        columns={endpoints}
        empty="Its events are sent nowhere."
      />
      <Section
        {...common}
        title="People and keys"
        page="keys"
        key={`${path} people`}
        read={() => readPeople(of, path)}
        columns={people}
        empty="Nobody may act for it but operators of the service."
      />
    </>
  )
}

export default () => <OfOrganization title="Organization" Chosen={Chosen} />
