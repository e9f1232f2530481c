/** What can be done to all that a list's filter takes, and what came of each. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Bulk from "./Bulk.ts"
import * as Task from "./Task.tsx"
import * as View from "./View.tsx"

export const Acting = ({
  filter,
  organization,
  things
}: {
  readonly organization: string
  readonly things: Bulk.Things
  readonly filter: Bulk.Filter
}) => {
  const [results, see] = useState<ReadonlyArray<Bulk.Result>>([])
  if (!Api.allows("support")) return null
  return (
    <>
      <Task.Buttons tasks={Bulk.tasks(organization, things, filter, see)} again={View.refresh} />
      {results.length > 0 && (
        <View.Action
          label="Download what came of each"
          does={async () => View.download("results.csv", Bulk.fileOf(results))}
          done={() => undefined}
        />
      )}
    </>
  )
}
