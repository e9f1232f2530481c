/** The plans of an organization, with filters, and what is done with them. */
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import { List } from "../List.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as PlanTasks from "../PlanTasks.ts"
import type { Plan } from "../Selling.ts"
import * as Task from "../Task.tsx"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

const columns = (of: string, tasks: Task.Tasks): ReadonlyArray<View.Column<Plan>> => [
  { title: "Name", of: ({ plan_name }) => <View.Text>{plan_name}</View.Text> },
  { title: "Data", of: ({ data_mega_bytes }) => Words.allowance(data_mega_bytes) },
  {
    title: "For",
    of: ({ nb_occurrence, period_days, recurring }) =>
      `${period_days} days${recurring ? `, ${nb_occurrence ?? "several"} times` : ""}`
  },
  { title: "Price", of: ({ currency, price }) => (price === undefined ? null : `${price} ${currency}`) },
  { title: "Label", of: ({ label }) => label },
  {
    title: "Region",
    of: ({ label, region_code }) => (
      <View.Link to={{ page: "coverage", of, label, region: region_code }}>{region_code}</View.Link>
    )
  },
  { title: "Throttled", of: ({ throttling }) => (throttling ? "yes" : "no") },
  { title: "Archived", of: ({ archived_at }) => <View.Time at={archived_at} /> },
  ...(Api.allows("support")
    ? [{ title: "What to do", of: (plan: Plan) => <Task.Openers tasks={PlanTasks.of(of, plan)} with={tasks} /> }]
    : []),
  { title: "Id", of: ({ plan_id }) => <View.Id>{plan_id}</View.Id> }
]

const STATES = [
  ["", "any"],
  ["false", "for sale"],
  ["true", "archived"]
] as const

const Chosen = ({ of }: { readonly of: string }) => {
  const fields = {
    search_query: Location.field("find"),
    label: Location.field("label"),
    country_iso_2: Location.field("country").toUpperCase(),
    archived: Location.field("archived")
  }
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""))
  const organization = `/organizations/${encodeURIComponent(of)}`
  const tasks = Task.useTasks(View.refresh)
  return (
    <>
      {Api.allows("admin") && <Task.Openers tasks={[PlanTasks.creation(organization, fields.label)]} with={tasks} />}
      {Api.makesOfBundles() && (
        <p>
          <View.Link to={{ page: "bundles", of }}>Make a plan from a bundle</View.Link>
        </p>
      )}
      {tasks.shown}
      <Filters.Bar>
        <Filters.Input label="Name" name="find" />
        <Filters.Input label="Country, such as FR" name="country" />
        <Filters.Input label="Label" name="label" />
        <Filters.Choice label="Which" name="archived" choices={STATES} />
      </Filters.Bar>
      <List
        label="Plans"
        path={`${organization}/plans?page_size=25&${query}`}
        columns={() => columns(of, tasks)}
        empty="There are no such plans. Empty the filters, or have one made."
      />
    </>
  )
}

export default () => <OfOrganization title="Plans" Chosen={Chosen} />
