/**
 * All problems, and the comparison of all SIMs with the books of their telcos, which finds some.
 */
import * as Api from "../Api.ts"
import { List } from "../List.tsx"
import * as Problems from "../Problems.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Comparison = Types.Item<"telcos", "comparisons">

const stateOf = ({ compared, done_at, requested_at, unanswered }: Comparison): string => {
  if (requested_at === null) return "never asked for"
  const missed = unanswered === 0 ? "" : `, no answer of ${unanswered}`
  return `${View.counted(compared, "SIM", "SIMs")} compared${missed}${done_at === null ? " so far" : ""}`
}

const columns: ReadonlyArray<View.Column<Comparison>> = [
  { title: "Telco", of: ({ telco }) => telco },
  { title: "Begun", of: ({ requested_at }) => <View.Time at={requested_at} /> },
  { title: "How far it is", of: stateOf },
  { title: "Ended", of: ({ done_at }) => <View.Time at={done_at} /> }
]

/** Nothing is shown if no telco has books. */
const Comparisons = () => {
  const path = "/telcos/comparisons"
  const { again, data } = View.useReading(path, () => Api.read<ReadonlyArray<Comparison>>(path))
  if (data === undefined || data.length === 0) return null
  return (
    <section>
      <h2>Comparison of all SIMs</h2>
      <p>
        Compares all SIMs with what the telcos have, those in stock too. Do it after a restore, before anything is sold.
      </p>
      <View.Table label="Comparisons" columns={columns} items={data} empty="" />
      {Api.allows("support") ? (
        <View.Action label="Compare all now" does={() => Api.call("POST", path)} done={again} />
      ) : null}
    </section>
  )
}

export default () => {
  const tasks = Task.useTasks(View.refresh)
  return (
    <>
      <h1>Problems</h1>
      <p>
        Work that ended because the telco refuses it, packages that it refuses, where its books differ from ours, and
        balances below their level. It stays here until it is retried, corrected or resolved.
      </p>
      {tasks.shown}
      <List
        label="Problems"
        path="/problems"
        columns={(again) => Problems.columns(again, tasks)}
        empty={Problems.NONE}
      />
      {Api.operator.value?.organization_id === null && <Comparisons />}
    </>
  )
}
