/** The stock of an organization by label, and the levels of it. */
import * as Api from "../Api.ts"
import * as Levels from "../Levels.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Item = Types.Item<"organizationSims", "stock">

const columns = (of: string, tasks: Task.Tasks): ReadonlyArray<View.Column<Item>> => [
  {
    title: "Label",
    of: ({ label }) => <View.Link to={{ page: "sims", of, label, status: "free" }}>{label}</View.Link>
  },
  {
    title: "Free eSIMs",
    of: ({ free, level }) => (free < (level ?? 0) ? <View.State tone="bad">{free}, which is low</View.State> : free)
  },
  { title: "Level", of: ({ level }) => level },
  { title: "In use", of: ({ in_use }) => in_use },
  { title: "On their way back", of: ({ releasing }) => releasing },
  { title: "Downloaded, and free", of: ({ downloaded }) => downloaded },
  { title: "Lapsed", of: ({ lapsed }) => lapsed },
  { title: "Withdrawn", of: ({ withdrawn }) => withdrawn },
  {
    title: "SIM cards",
    of: ({ physical: { free, in_use, releasing, withdrawn } }) =>
      `${free} free, ${in_use} in use${releasing === 0 ? "" : `, ${releasing} on their way back`}${withdrawn === 0 ? "" : `, ${withdrawn} withdrawn`}`
  },
  ...(Api.allows("support")
    ? [{ title: "What to do", of: (item: Item) => <Task.Openers tasks={[Levels.task(of, item)]} with={tasks} /> }]
    : [])
]

const Chosen = ({ of }: { readonly of: string }) => {
  const path = `/organizations/${encodeURIComponent(of)}/sims/stock`
  const { again, data, failure } = View.useReading(path, () => Api.read<ReadonlyArray<Item>>(path))
  const tasks = Task.useTasks(again)
  return (
    <>
      <View.Failure>{failure}</View.Failure>
      {tasks.shown}
      {data !== undefined && (
        <View.Table
          label="Stock"
          columns={columns(of, tasks)}
          items={data}
          empty="There are no SIMs. Have a file of them imported."
        />
      )}
    </>
  )
}

export default () => <OfOrganization title="Stock" Chosen={Chosen} />
