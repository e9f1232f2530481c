/**
 * What can be done to all that a list's filter takes, what came of each, and what was cut before it
 * had ended.
 */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Bulk from "./Bulk.ts"
import * as Runs from "./Runs.ts"
import * as Task from "./Task.tsx"
import * as View from "./View.tsx"
import * as Words from "./Words.ts"

const FIELDS = ["action", "all"]

/** The filter of a run in words, such as `label Green`. */
const filterOf = ({ body }: Runs.Run): string => {
  const named = Object.entries(body).filter(([name]) => !FIELDS.includes(name))
  return named.map(([name, value]) => `${Words.spaced(name)} ${value}`).join(", ")
}

type See = (results: ReadonlyArray<Bulk.Result>) => void

const columns = (things: Bulk.Things, tasks: Task.Tasks, see: See): ReadonlyArray<View.Column<Runs.Run>> => [
  { title: "What", of: ({ title }) => title },
  { title: "Of which", of: (run) => <View.Text>{filterOf(run)}</View.Text> },
  { title: "Begun", of: ({ begunAt }) => <View.Time at={new Date(begunAt).toISOString()} /> },
  { title: "Done", of: ({ changed }) => changed.length },
  { title: "What to do", of: (run) => <Task.Openers tasks={Bulk.resumption(run, things, see)} with={tasks} /> }
]

export const Acting = ({
  before = [],
  filter,
  organization,
  things
}: {
  /** What is done to one of them, before what is done to all. */
  readonly before?: ReadonlyArray<Task.Task>
  readonly organization: string
  readonly things: Bulk.Things
  readonly filter: Bulk.Filter
}) => {
  const [results, see] = useState<ReadonlyArray<Bulk.Result>>([])
  const tasks = Task.useTasks(View.refresh)
  if (!Api.allows("support")) return null
  const runs = Runs.unfinished(Bulk.pathOf(organization, things))
  return (
    <>
      <Task.Openers tasks={[...before, ...Bulk.tasks(organization, things, filter, see)]} with={tasks} />
      {tasks.shown}
      {results.length > 0 && (
        <View.Action
          label="Download what came of each"
          does={async () => View.download("results.csv", Bulk.fileOf(results))}
          done={() => undefined}
        />
      )}
      {runs.length > 0 && (
        <>
          <h2>Begun, and not ended</h2>
          <View.Table label="Begun, and not ended" columns={columns(things, tasks, see)} items={runs} empty="" />
        </>
      )}
    </>
  )
}
