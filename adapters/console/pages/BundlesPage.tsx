/** What telcos sell, and plans that are made of it for an organization. */
import { Label, TextLimit } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import { List } from "../List.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Seller = Types.Item<"telcos", "sellers">
type Bundle = Types.Item<"telcos", "bundles">
type Made = Types.Data<"bundles", "createFromBundle">

const priceOf = ({ currency, price }: Pick<Bundle, "price" | "currency">): string =>
  price === null ? "not said" : `${price} ${currency}`

/** Makes a plan of a bundle. */
const making = (of: string, telco: string, bundle: Bundle): Task.Task => {
  const path = `/organizations/${encodeURIComponent(of)}/plans/from-bundle`
  const bodyOf = ({ label, limit = "", name }: Readonly<Record<string, string>>) => ({
    ...{ telco, bundle: bundle.code, label, name },
    ...(limit.trim() !== "" && { price_limit: limit.trim(), currency: bundle.currency ?? "USD" })
  })
  return {
    title: "Make a plan",
    about: `${bundle.name}, ${priceOf(bundle)}`,
    fields: async () => [
      { name: "name", label: "Name", longest: TextLimit.NAME, initial: bundle.name.slice(0, TextLimit.NAME) },
      { name: "label", label: "Label of its SIMs", choices: Label.labels.map((one) => ({ value: one, title: one })) },
      {
        name: "limit",
        label: `What an eSIM may cost at most, in ${bundle.currency ?? "USD"}; anything if this is empty`,
        optional: true
      }
    ],
    preview: async (values) => {
      const made = await Api.call<{ readonly data: Made }>("POST", `${path}?dry_run=true`, { body: bodyOf(values) })
      const { coverage_id, data_mega_bytes, notes, period_days, region_name } = made.data
      const terms = `${Words.allowance(data_mega_bytes)} for ${View.counted(period_days, "day", "days")}`
      const region = coverage_id === null ? ", which would be made as a region of its own" : ""
      return [`It would give ${terms} in ${region_name}${region}.`, ...notes.map((note) => `${note}.`)]
    },
    does: async (values, key) => {
      await Api.call("POST", path, { body: bodyOf(values), key })
      return { sentence: "The plan is made.", link: "Open the plans", to: { page: "plans", of } }
    }
  }
}

const columns = (of: string, telco: string, tasks: Task.Tasks): ReadonlyArray<View.Column<Bundle>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  {
    title: "Countries",
    of: ({ countries }) => (
      <View.Text>{countries.length > 8 ? `${countries.slice(0, 8).join(", ")} …` : countries.join(", ")}</View.Text>
    )
  },
  { title: "Data", of: ({ data_bytes }) => (data_bytes === null ? "unlimited" : Words.megabytes(data_bytes)) },
  { title: "For", of: ({ days }) => (days === null ? "not said" : View.counted(days, "day", "days")) },
  { title: "Price", of: priceOf },
  {
    title: "What to do",
    of: (bundle) =>
      bundle.kind === "topUp" ? "only a top-up" : <Task.Openers tasks={[making(of, telco, bundle)]} with={tasks} />
  },
  { title: "Code", of: ({ code }) => <View.Text>{code}</View.Text> },
  { title: "Read", of: ({ read_at }) => <View.Time at={read_at} /> }
]

const Sold = ({
  of,
  sellers: [first, ...others]
}: {
  readonly of: string
  readonly sellers: ReadonlyArray<Seller>
}) => {
  const tasks = Task.useTasks(View.refresh)
  if (first === undefined) return <p class="empty">No telco of this service sells bundles.</p>
  const telco = Location.field("telco") || first.telco
  const fields = { search: Location.field("find"), country: Location.field("country") }
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""))
  return (
    <>
      {tasks.shown}
      <Filters.Bar>
        <Filters.Choice
          label="Telco"
          name="telco"
          choices={[["", first.telco], ...others.map((one) => [one.telco, one.telco] as const)]}
        />
        <Filters.Input label="Name or code" name="find" />
        <Filters.Input label="Country, such as FR" name="country" />
      </Filters.Bar>
      <List
        label="Bundles"
        path={`/telcos/${encodeURIComponent(telco)}/bundles?${query}`}
        columns={() => columns(of, telco, tasks)}
        empty="The telco sells no such bundles."
      />
    </>
  )
}

const Chosen = ({ of }: { readonly of: string }) => {
  const { data, failure } = View.useReading("sellers", () => Api.read<ReadonlyArray<Seller>>("/telcos/sellers"), null)
  return (
    <>
      <View.Failure>{failure}</View.Failure>
      {data === undefined ? failure === null && <p class="empty">Reading …</p> : <Sold of={of} sellers={data} />}
    </>
  )
}

export default () => <OfOrganization title="Make a plan from a bundle" Chosen={Chosen} />
