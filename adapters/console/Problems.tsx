/** The problems, with what can be done about them. */
import * as Api from "./Api.ts"
import { organization } from "./OfOrganization.tsx"
import * as Search from "./Search.tsx"
import type { Task, Tasks } from "./Task.tsx"
import type * as Types from "./Types.ts"
import * as View from "./View.tsx"
import * as Words from "./Words.ts"

export type Problem = Types.Item<"problems", "list">

const act = (does: "retry" | "correct" | "resolve", { problem_id }: Problem): Promise<unknown> =>
  Api.call("POST", `/problems/${encodeURIComponent(problem_id)}/${does}`)

/** What a problem is of, for the dialog. */
const resolution = (problem: Problem): Task => ({
  title: "Resolve",
  about: problem.last_message,
  preview: () =>
    Promise.resolve([
      "It would be off the list, as something that was done at the telco by hand. The SIM's history keeps who has said so, and why."
    ]),
  does: async () => {
    await act("resolve", problem)
    return "The problem is resolved."
  }
})

/** The columns of a table of problems. */
export const columns = (again: () => void, tasks: Tasks): ReadonlyArray<View.Column<Problem>> => [
  { title: "Since", of: ({ since }) => <View.Time at={since} /> },
  { title: "Work", of: ({ kind }) => Words.work(kind) },
  organization,
  {
    title: "SIM",
    of: ({ iccid, organization_id }) =>
      iccid === null ? null : <View.Link to={Search.simOf({ iccid, organization_id })}>{iccid}</View.Link>
  },
  { title: "Attempts", of: ({ attempts }) => attempts },
  { title: "The telco said", of: ({ last_message }) => <View.Text>{last_message}</View.Text> },
  { title: "Ours", of: ({ ours }) => ours },
  { title: "Theirs", of: ({ theirs }) => theirs },
  ...(Api.allows("support")
    ? [
        {
          title: "What to do",
          of: (problem: Problem) => (
            <span class="actions">
              <View.Action label="Retry" does={() => act("retry", problem)} done={again} />
              {problem.can_correct ? (
                <View.Action label="Make it ours" does={() => act("correct", problem)} done={again} />
              ) : null}
              <button type="button" onClick={() => tasks.open(resolution(problem))}>
                Resolve
              </button>
            </span>
          )
        }
      ]
    : [])
]

export const NONE = "There are none: the telco refuses nothing for good."
