/** The API keys of an organization: those that there are, and what admins do with them. A secret is shown once, when it is made. */
import * as Api from "../Api.ts"
import { List } from "../List.tsx"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import * as View from "../View.tsx"

interface Key {
  readonly api_key_id: string
  readonly name: string
  readonly scope: string
  readonly hint: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

interface Made {
  readonly data: { readonly key: string }
}

const ONCE = "The key is shown once: only its hash is kept."

const made = async (path: string, body?: object): Promise<Task.Secret> => {
  const { data } = await Api.call<Made>("POST", path, body === undefined ? {} : { body })
  return { sentence: "The key is made.", secret: data.key }
}

const creation = (path: string): Task.Task => ({
  title: "Create a key",
  fields: () =>
    Promise.resolve([
      { name: "name", label: "Name, such as the program that has it", longest: 255 },
      {
        name: "scope",
        label: "It may",
        choices: [
          { value: "full", title: "do everything" },
          { value: "read", title: "only read" }
        ]
      },
      { name: "expires_at", label: "It ends (UTC); never where this is empty", isTime: true, optional: true }
    ]),
  preview: () => Promise.resolve([ONCE]),
  does: ({ expires_at = "", ...values }) =>
    made(path, { ...values, expires_at: expires_at === "" ? null : `${expires_at}:00Z` })
})

const tasksOf = (path: string, { api_key_id, expires_at, name, scope }: Key): ReadonlyArray<Task.Task> => {
  const own = `${path}/${api_key_id}`
  const about = `The key "${name}".`
  return [
    {
      title: "Make a successor",
      about,
      preview: () =>
        Promise.resolve([
          `Another key of this name, scope and end is made. ${ONCE}`,
          "The one before goes on: revoke it once nobody uses it any more."
        ]),
      does: () => made(path, { name, scope, expires_at })
    },
    {
      title: "Replace the secret",
      about,
      preview: () =>
        Promise.resolve([
          `The key gets another secret. ${ONCE}`,
          "The one before ends at once, within 5 s in all processes."
        ]),
      does: () => made(`${own}/rotate`)
    },
    {
      title: "Revoke",
      about,
      preview: () => Promise.resolve(["It ends at once, within 5 s in all processes, and for good."]),
      does: async () => {
        await Api.call("DELETE", own)
        return "The key is revoked."
      }
    }
  ]
}

const columns = (path: string, tasks: Task.Tasks): ReadonlyArray<View.Column<Key>> => [
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "May", of: ({ scope }) => (scope === "full" ? "do everything" : "only read") },
  { title: "Ends in", of: ({ hint }) => <code>{hint}</code> },
  { title: "Made (UTC)", of: ({ created_at }) => <View.Time at={created_at} /> },
  { title: "Expires (UTC)", of: ({ expires_at }) => <View.Time at={expires_at} /> },
  { title: "Revoked (UTC)", of: ({ revoked_at }) => <View.Time at={revoked_at} /> },
  ...(Api.allows("admin")
    ? [
        {
          title: "What to do",
          of: (key: Key) => (key.revoked_at === null ? <Task.Openers tasks={tasksOf(path, key)} with={tasks} /> : null)
        }
      ]
    : [])
]

const Chosen = ({ of }: { readonly of: string }) => {
  const path = `/organizations/${encodeURIComponent(of)}/api-keys`
  const tasks = Task.useTasks(View.refresh)
  return (
    <>
      {Api.allows("admin") && <Task.Openers tasks={[creation(path)]} with={tasks} />}
      {tasks.shown}
      <List
        label="Keys"
        path={path}
        columns={() => columns(path, tasks)}
        empty="There are none: nothing can call the API for it."
      />
    </>
  )
}

export default () => <OfOrganization title="Keys" Chosen={Chosen} />
