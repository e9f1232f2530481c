/**
 * The webhook endpoints of an organization: how they fare, and what operators do with them. A
 * signing key is shown once.
 */
import { useState } from "preact/hooks"
import { TextLimit } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Conflicts from "../Conflicts.ts"
import { List } from "../List.tsx"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Replay from "../Replay.ts"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as EventTypes from "../printed/EventTypes.ts"
import * as View from "../View.tsx"

type Endpoint = Types.Item<"webhooks", "list">

type Made = Types.Answer<"webhooks", "create">

const ONCE = "The key that signs its calls is shown once."

const events = (initial: ReadonlyArray<string>): Task.Field => ({
  name: "events",
  label: "Events",
  choices: EventTypes.types.map((type) => ({ value: type, title: type })),
  takesMany: true,
  initial: initial.join(",")
})

const about = (initial: string): Task.Field => ({
  name: "description",
  label: "Description",
  optional: true,
  longest: TextLimit.DESCRIPTION,
  initial
})

const creation = (path: string): Task.Task => ({
  title: "Add an endpoint",
  fields: () =>
    Promise.resolve([
      { name: "url", label: "URL", longest: TextLimit.URL, initial: "https://" },
      about(""),
      events(EventTypes.standardTypes)
    ]),
  preview: () => Promise.resolve([`The events are sent there from now on. ${ONCE}`]),
  does: async ({ description, events: chosen = "", url }) => {
    const body = { url, description, events: chosen.split(",") }
    const { data } = await Api.call<Made>("POST", path, { body })
    return { sentence: "The endpoint is added. Its signing key:", secret: data.signing_key }
  }
})

/** The endpoint as it is now; null if it is gone. */
const present = async (path: string, { webhook_endpoint_id }: Endpoint): Promise<Endpoint | null> =>
  (await Api.all<Endpoint>(path)).find((one) => one.webhook_endpoint_id === webhook_endpoint_id) ?? null

const editable = ({ description, events: chosen, url }: Endpoint) => ({ url, description, events: [...chosen].sort() })

/** What the form asks for. */
const wantedIn = (
  before: Endpoint,
  { description = "", events: types = "", url = "" }: Readonly<Record<string, string>>
) => ({ url: url === "" ? before.url : url, description, events: types.split(",").sort() })

const change = (path: string, endpoint: Endpoint): Task.Task => {
  const began = editable(endpoint)
  const checked = async (values: Readonly<Record<string, string>>) => {
    const now = await present(path, endpoint)
    const wanted = wantedIn(endpoint, values)
    Conflicts.refuse(began, now && editable(now), wanted)
    return { wanted, version: now?.version ?? 0 }
  }
  return {
    title: "Change",
    about: endpoint.url,
    fields: () =>
      Promise.resolve([
        { name: "url", label: "Another URL; it stays where this is empty", longest: TextLimit.URL, optional: true },
        about(endpoint.description),
        events(endpoint.events)
      ]),
    preview: async (values) => {
      await checked(values)
      return ["What waits to be delivered goes to the URL that it has then."]
    },
    does: async (values) => {
      await Conflicts.edit(
        () => checked(values),
        ({ version: ifVersion, wanted }) => {
          // What the form leaves stays as somebody else may have changed it.
          const names = Conflicts.changedIn(began, wanted)
          const body = Object.fromEntries(Object.entries(wanted).filter(([name]) => names.includes(name)))
          return Api.call("PATCH", `${path}/${endpoint.webhook_endpoint_id}`, { body, ifVersion })
        }
      )
      return "The endpoint is changed."
    }
  }
}

const pending = (count: number): string => (count === 1 ? "1 delivery waits" : `${count} deliveries wait`)

const switching = (own: string, { enabled, pending_deliveries, url }: Endpoint): Task.Task => ({
  title: enabled ? "Disable" : "Enable",
  about: url,
  preview: () =>
    Promise.resolve([
      enabled
        ? `Nothing is sent there until it is enabled; ${pending(pending_deliveries)} for it now.`
        : "Events are sent there from now on. What it missed since the service itself disabled it is among the failed deliveries, to be replayed."
    ]),
  does: async () => {
    await Api.call("PATCH", own, { body: { enabled: !enabled } })
    return enabled ? "The endpoint is disabled." : "The endpoint is enabled."
  }
})

const rotation = (own: string, { url }: Endpoint): Task.Task => ({
  title: "Make another signing key",
  about: url,
  preview: () => Promise.resolve([`For 24 h each call has a signature by either key. ${ONCE}`]),
  does: async () => {
    const { data } = await Api.call<Made>("POST", `${own}/rotate-key`)
    return { sentence: "The signing key is made; the one before signs along for 24 h.", secret: data.signing_key }
  }
})

const removal = (own: string, { pending_deliveries, url }: Endpoint): Task.Task => ({
  title: "Delete",
  about: url,
  typed: () => new URL(url).host,
  preview: () =>
    Promise.resolve([`It ends for good; ${pending(pending_deliveries)} for it now, and would not be sent any more.`]),
  does: async () => {
    await Api.call("DELETE", own)
    return "The endpoint is deleted."
  }
})

const why: Readonly<Record<string, string>> = {
  organization: "disabled by its organization",
  gone: "disabled: it answered 410",
  failing: "disabled: it failed for five days"
}

/** Whether it is enabled, and if so, whether it fails. */
export const Standing = ({ of }: { readonly of: Endpoint }) =>
  of.enabled ? (
    of.failing_since === null ? (
      <View.State tone="good">enabled</View.State>
    ) : (
      <View.State tone="bad">
        began to fail <View.Time at={of.failing_since} />
      </View.State>
    )
  ) : (
    <View.State tone="bad">
      {why[of.disabled_reason ?? ""] ?? "disabled"}, <View.Time at={of.disabled_at} />
    </View.State>
  )

const Actions = ({
  again,
  endpoint,
  of,
  path,
  say,
  tasks
}: {
  readonly of: string
  readonly say: (sentence: string) => void
  readonly path: string
  readonly endpoint: Endpoint
  readonly tasks: Task.Tasks
  readonly again: () => void
}) => {
  const own = `${path}/${endpoint.webhook_endpoint_id}`
  return (
    <>
      {endpoint.enabled && endpoint.pending_deliveries > 0 && (
        <View.Action
          label="Send all now"
          does={async () => {
            const { webhook_endpoint_id } = endpoint
            say(await Replay.pending(`/organizations/${encodeURIComponent(of)}`, { webhook_endpoint_id }))
          }}
          done={again}
        />
      )}
      {endpoint.enabled && <View.Action label="Test" does={() => Api.call("POST", `${own}/test`)} done={again} />}
      {Api.allows("admin") && (
        <Task.Openers
          tasks={[change(path, endpoint), switching(own, endpoint), rotation(own, endpoint), removal(own, endpoint)]}
          with={tasks}
        />
      )}
    </>
  )
}

const columns = (
  of: string,
  path: string,
  tasks: Task.Tasks,
  say: (sentence: string) => void,
  again: () => void
): ReadonlyArray<View.Column<Endpoint>> => [
  { title: "URL", of: ({ url }) => <View.Text>{url}</View.Text> },
  { title: "Standing", of: (endpoint) => <Standing of={endpoint} /> },
  {
    title: "Pending",
    of: ({ pending_deliveries, webhook_endpoint_id: endpoint }) => (
      <View.Link to={{ page: "deliveries", of, endpoint, status: "pending" }}>{pending_deliveries}</View.Link>
    )
  },
  { title: "Last success", of: ({ last_success_at }) => <View.Time at={last_success_at} /> },
  { title: "Events", of: ({ events: types }) => types.join(", ") },
  { title: "Description", of: ({ description }) => <View.Text>{description}</View.Text> },
  ...(Api.allows("support")
    ? [
        {
          title: "What to do",
          of: (endpoint: Endpoint) => (
            <Actions of={of} path={path} endpoint={endpoint} tasks={tasks} say={say} again={again} />
          )
        }
      ]
    : [])
]

const Chosen = ({ of }: { readonly of: string }) => {
  const path = `/organizations/${encodeURIComponent(of)}/webhook-endpoints`
  const tasks = Task.useTasks(View.refresh)
  const [said, say] = useState("")
  return (
    <>
      <p role="status" data-said>
        {said}
      </p>
      {Api.allows("admin") && <Task.Openers tasks={[creation(path)]} with={tasks} />}
      {tasks.shown}
      <List
        label="Endpoints"
        path={path}
        columns={(again) => columns(of, path, tasks, say, again)}
        empty="There are none: its events are sent nowhere until one is added."
      />
    </>
  )
}

export default () => <OfOrganization title="Endpoints" Chosen={Chosen} />
