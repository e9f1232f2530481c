/**
 * Who may use the management API, and what admins do with it. A token is shown once, when it is
 * made.
 */
import { TextLimit } from "simplan/ports"
import * as Api from "../Api.ts"
import { List } from "../List.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Operator = Types.Item<"serviceOperators", "list">

type Made = Types.Answer<"serviceOperators", "create">

const ONCE = "The token is shown once: only its hash is kept."

const creation: Task.Task = {
  title: "Create an operator",
  fields: () =>
    Promise.resolve([
      { name: "name", label: "Name, which the audit log shows", longest: TextLimit.NAME },
      {
        name: "role",
        label: "It may",
        choices: [
          { value: "read", title: "only read" },
          { value: "support", title: "do the day's tasks" },
          { value: "admin", title: "do everything" }
        ]
      },
      {
        name: "organization_id",
        label: "Id of the only organization that it sees",
        optional: true,
        longest: TextLimit.ID
      },
      { name: "expires_at", label: "It ends (UTC); never where this is empty", isTime: true, optional: true }
    ]),
  preview: ({ organization_id }) =>
    Promise.resolve([`${organization_id === "" ? "It sees all organizations." : "It sees one organization."} ${ONCE}`]),
  does: async ({ expires_at = "", organization_id = "", ...values }) => {
    const body = {
      ...values,
      organization_id: organization_id === "" ? null : organization_id,
      expires_at: expires_at === "" ? null : `${expires_at}:00Z`
    }
    const { data } = await Api.call<Made>("POST", "/operators", { body })
    return { sentence: "The operator is made. Its token:", secret: data.token }
  }
}

const tasksOf = ({ name, operator_id }: Operator): ReadonlyArray<Task.Task> => [
  {
    title: "Replace the token",
    about: `Of ${name}.`,
    preview: () =>
      Promise.resolve([
        `The operator gets another token, and the one before goes on for 24 h. ${ONCE}`,
        "Where others know the token, delete the operator: that ends it at once."
      ]),
    does: async () => {
      const { data } = await Api.call<Made>("POST", `/operators/${operator_id}/rotate`)
      return { sentence: "The token is made; the one before goes on for 24 h.", secret: data.token }
    }
  },
  {
    title: "Delete",
    about: `The operator ${name}.`,
    typed: () => name,
    preview: () =>
      Promise.resolve(["Its tokens and sessions end, within 5 s in all processes. Its name is free again."]),
    does: async () => {
      await Api.call("DELETE", `/operators/${operator_id}`)
      return "The operator is deleted."
    }
  }
]

const columns = (tasks: Task.Tasks): ReadonlyArray<View.Column<Operator>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "Role", of: ({ role }) => role },
  { title: "Sees", of: ({ organization_id }) => organization_id ?? "all organizations" },
  { title: "Token ends in", of: ({ hint }) => <code>{hint}</code> },
  { title: "Expires (UTC)", of: ({ expires_at }) => <View.Time at={expires_at} /> },
  { title: "Deleted (UTC)", of: ({ deleted_at }) => <View.Time at={deleted_at} /> },
  {
    title: "What to do",
    of: (operator) => (operator.deleted_at === null ? <Task.Openers tasks={tasksOf(operator)} with={tasks} /> : null)
  }
]

export default () => {
  const tasks = Task.useTasks(View.refresh)
  return (
    <>
      <h1>Operators</h1>
      <Task.Openers tasks={[creation]} with={tasks} />
      {tasks.shown}
      <List label="Operators" path="/operators" columns={() => columns(tasks)} empty="There are none but bootstrap." />
    </>
  )
}
