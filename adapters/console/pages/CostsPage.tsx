/**
 * What suppliers have charged and what was earned in a UTC month, beside the month before
 * (rule C3): of all organizations or of one, by supplier, plan, label or country; as a file too.
 */
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import * as Location from "../Location.ts"
import * as Months from "../Months.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Costs = Types.Item<"serviceCosts", "ofService">

/** How many months can be shown. */
const MONTHS = 25

const { before, text } = Months

/** What costs are listed by, and what its column is called; the first is the one at the start. */
const groups = [
  ["supplier", "Supplier", ({ supplier }: Costs) => supplier ?? "not known"],
  ["plan", "Plan", ({ plan_id }: Costs) => plan_id ?? "not claimed"],
  ["label", "Label", ({ label }: Costs) => label ?? ""],
  ["country", "Country", ({ region_code }: Costs) => (region_code == null ? "not known" : Words.country(region_code))]
] as const

type Group = (typeof groups)[number]

/** What was charged and earned in a month and in the one before, in one currency. */
interface Row {
  readonly key: string
  readonly of: string
  readonly currency: string | null
  readonly now: Costs | undefined
  readonly then: Costs | undefined
}

/** It stays in one line, on a phone too. */
const shown = (amount: string | null | undefined) => <span class="whole-line">{amount ?? "–"}</span>

const columns = (title: string, now: number, then: number): ReadonlyArray<View.Column<Row>> => [
  { title, of: (row) => row.of },
  { title: "Currency", of: ({ currency }) => currency ?? "no amount named" },
  { title: `Cost ${text(now)}`, of: (row) => shown(row.now?.cost) },
  { title: text(then), of: (row) => shown(row.then?.cost) },
  { title: `Price ${text(now)}`, of: (row) => shown(row.now?.price) },
  { title: text(then), of: (row) => shown(row.then?.price) },
  { title: `Margin ${text(now)}`, of: (row) => shown(row.now?.margin) },
  { title: text(then), of: (row) => shown(row.then?.margin) },
  { title: "eSIMs bought", of: (row) => row.now?.purchases ?? 0 },
  { title: "Top-ups", of: (row) => row.now?.top_ups ?? 0 },
  { title: "Sold", of: (row) => row.now?.sales ?? 0 }
]

const rowsOf = (found: ReadonlyArray<Costs>, [, , nameOf]: Group, month: number): ReadonlyArray<Row> => {
  const keyOf = (one: Costs): string => JSON.stringify([nameOf(one), one.currency])
  return [...new Map(found.map((one) => [keyOf(one), one]))].map(([key, one]) => {
    const at = (of: number) => found.find((other) => keyOf(other) === key && other.month === text(of))
    return { key, of: nameOf(one), currency: one.currency, now: at(month), then: at(before(month)) }
  })
}

const Shown = ({ group, month, path }: { readonly path: string; readonly month: number; readonly group: Group }) => {
  const [by, title] = group
  const months = (from: number) => `${path}?from=${text(from)}&to=${text(month)}&by=${by}`
  const { data, failure } = View.useReading(
    months(before(month)),
    () => Api.read<ReadonlyArray<Costs>>(months(before(month))),
    null
  )
  if (data === undefined)
    return failure === null ? <p class="empty">Reading …</p> : <View.Failure>{failure}</View.Failure>
  return (
    <>
      <p>
        What suppliers have charged counts in the month of the charge, and a price in the month of the sale. Months are
        of UTC.
      </p>
      <p class="actions">
        <Months.File label="Month as CSV" name={`costs-${text(month)}-${by}.csv`} path={months(month)} />
        <Months.File
          label="Both months as CSV"
          name={`costs-${text(month)}-${by}-months.csv`}
          path={months(before(month))}
        />
      </p>
      <View.Table
        label="Costs"
        columns={columns(title, month, before(month))}
        items={rowsOf(data, group, month)}
        empty="Nothing was charged or sold."
      />
    </>
  )
}

/** The organizations that can be chosen, the oldest first. */
const CHOICES = 100

export default () => {
  const month = Months.chosen(MONTHS)
  const group = groups.find(([by]) => by === Location.field("by")) ?? groups[0]
  const { data = [] } = View.useReading(
    "organizations",
    async () => (await Api.page<Types.Item<"organizations", "list">>(`/organizations?page_size=${CHOICES}`)).data,
    null
  )
  const of = Location.field("of")
  return (
    <>
      <h1>Costs</h1>
      <div class="filters">
        <Filters.Choice
          label="Organization"
          name="of"
          choices={[["", "All"], ...data.map(({ name, organization_id }) => [organization_id, name] as const)]}
        />
        <Months.Choice count={MONTHS} />
        <Filters.Choice
          label="By"
          name="by"
          choices={groups.map(([by, title]) => [by === groups[0][0] ? "" : by, title])}
        />
      </div>
      <Shown
        key={`${of} ${month} ${group[0]}`}
        group={group}
        month={month}
        path={of === "" ? "/costs" : `/organizations/${encodeURIComponent(of)}/costs`}
      />
    </>
  )
}
