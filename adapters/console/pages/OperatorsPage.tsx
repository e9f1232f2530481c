/**
 * Who may use the management API, and what admins do with it. A token is shown once, when it is
 * made.
 */
import { TextLimit } from "simplan/ports"
import * as Api from "../Api.ts"
import { List } from "../List.tsx"
import { Name } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Operator = Types.Item<"serviceOperators", "list">

type Made = Types.Answer<"serviceOperators", "create">

type Organization = Types.Item<"organizations", "list">

const ROLES = [
  { value: "read", title: "only read" },
  { value: "support", title: "do the day's tasks" },
  { value: "admin", title: "do everything" }
]

/** All, or one, by their names. */
const organizations = async () => [
  { value: "", title: "all organizations" },
  ...(await Api.all<Organization>("/organizations"))
    .map(({ name, organization_id }) => ({ value: organization_id, title: name }))
    .toSorted((one, other) => one.title.localeCompare(other.title))
]

const ONCE = "The token is shown once: only its hash is kept."

const creation: Task.Task = {
  title: "Create an operator",
  fields: async () => [
    { name: "name", label: "Name, which the audit log shows", longest: TextLimit.NAME },
    { name: "role", label: "It may", choices: ROLES },
    { name: "organization_id", label: "It sees", choices: await organizations(), optional: true },
    { name: "expires_at", label: "It ends (UTC); never where this is empty", isTime: true, optional: true }
  ],
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

const tasksOf = ({ name, operator_id, role }: Operator): ReadonlyArray<Task.Task> => [
  {
    title: "Change the role",
    about: `Of ${name}.`,
    fields: () => Promise.resolve([{ name: "role", label: "It may", choices: ROLES, initial: role }]),
    preview: ({ role: chosen }) =>
      Promise.resolve([
        chosen === role
          ? "It may do that already: nothing would change."
          : "It may do that within 5 s in all processes. Its token and its sessions go on."
      ]),
    does: async (body) => {
      await Api.call("PUT", `/operators/${operator_id}/role`, { body })
      return "The role is changed."
    }
  },
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
  {
    title: "Sees",
    of: ({ organization_id }) => (organization_id === null ? "all organizations" : <Name of={organization_id} />)
  },
  { title: "Token ends in", of: ({ hint }) => <code>{hint}</code> },
  { title: "Expires", of: ({ expires_at }) => <View.Time at={expires_at} /> },
  { title: "Deleted", of: ({ deleted_at }) => <View.Time at={deleted_at} /> },
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
