/**
 * The API keys of an organization: those that there are, and what admins do with them. A secret is
 * shown once, when it is made.
 */
import * as Api from "../Api.ts"
import { List } from "../List.tsx"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Key = Types.Item<"organizations", "keys">

type Made = Types.Answer<"organizations", "createKey">

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

/** For how many hours the secret before goes on. */
const OVERLAPS = [
  { value: "24", title: "for a day" },
  { value: "1", title: "for an hour" },
  { value: "168", title: "for a week" },
  { value: "0", title: "not at all" }
]

const titleOf = (overlap: string | undefined): string => OVERLAPS.find(({ value }) => value === overlap)?.title ?? ""

const tasksOf = (path: string, { api_key_id, name }: Key): ReadonlyArray<Task.Task> => {
  const own = `${path}/${api_key_id}`
  const about = `The key "${name}".`
  return [
    {
      title: "Replace the secret",
      about,
      fields: () => Promise.resolve([{ name: "overlap", label: "The secret before goes on", choices: OVERLAPS }]),
      preview: ({ overlap }) =>
        Promise.resolve([
          `The key gets another secret. ${ONCE}`,
          overlap === "0"
            ? "The secret before ends at once, within 5 s in all processes."
            : `The secret before goes on ${titleOf(overlap)}, and one before that ends at once.`
        ]),
      does: ({ overlap }) => made(`${own}/rotate?overlap_hours=${overlap}`)
    },
    {
      title: "Revoke",
      about,
      typed: () => name,
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
  {
    title: "Ends in",
    of: ({ hint, previous_key_until }) => (
      <>
        <code>{hint}</code>
        {previous_key_until !== null && Date.parse(previous_key_until) > Api.now() && (
          <p>
            The secret before goes on until <View.Time at={previous_key_until} />
          </p>
        )}
      </>
    )
  },
  {
    title: "Last used",
    of: ({ last_used_at }) => (last_used_at === null ? "never" : <View.Time at={last_used_at} />)
  },
  { title: "Made", of: ({ created_at }) => <View.Time at={created_at} /> },
  { title: "Expires", of: ({ expires_at }) => <View.Time at={expires_at} /> },
  { title: "Revoked", of: ({ revoked_at }) => <View.Time at={revoked_at} /> },
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
        empty="There are none: nothing can call the API for it until one is created."
      />
    </>
  )
}

export default () => <OfOrganization title="Keys" Chosen={Chosen} />
