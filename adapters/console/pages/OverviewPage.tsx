/**
 * The first page: is it us, the telco, or one customer? All but the problems is one reading of the
 * API.
 */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Overview as Rules } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Levels from "../Levels.ts"
import { organization } from "../OfOrganization.tsx"
import * as Plot from "../Plot.tsx"
import * as Problems from "../Problems.tsx"
import * as Replay from "../Replay.ts"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Overview = Types.Data<"overview", "read">

type Telco = Overview["telcos"][number]

type Waiting = Overview["waiting"][number]

type Endpoint = Overview["failing_endpoints"][number]

type Stock = Overview["stock"][number]

type Service = NonNullable<Overview["service"]>

type Load = Service["loads"][number]

type Running = Service["processes"][number]

const Section = ({
  children,
  id,
  title
}: {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section aria-labelledby={id}>
    <h2 id={id} tabIndex={-1}>
      {title}
    </h2>
    {children}
  </section>
)

const { upTo } = View

const nameOf = (telco: string | null) => <View.Text>{telco ?? "the telco"}</View.Text>

/** A column that only those have who may do what it offers. */
const offered = <Item,>(of: (item: Item) => ComponentChildren): ReadonlyArray<View.Column<Item>> =>
  Api.allows("support") ? [{ title: "What to do", of }] : []

/** What a page says of what was done, since the row that offered it may be gone. */
type Say = (sentence: string) => void

const retryAll = async (filter: object, say: Say): Promise<void> => {
  let retried = 0
  await Api.doAll<Types.Data<"jobs", "retryAll">>("/jobs/retry", filter, (done) => {
    retried += done.retried
  })
  if (retried === 0) say("None of them waits any more: what is being tried now is not tried again.")
  else say(`${View.counted(retried, "job is", "jobs are")} tried now.`)
}

const telcos = (again: () => void, say: Say): ReadonlyArray<View.Column<Telco>> => [
  { title: "Telco", of: ({ name }) => nameOf(name) },
  {
    title: "State",
    of: ({ answers }) => (
      <View.State tone={answers ? "good" : "bad"}>{answers ? "answers" : "does not answer"}</View.State>
    )
  },
  { title: "Since", of: ({ since }) => <View.Time at={since} /> },
  { title: "Waiting work", of: ({ waiting_jobs }) => upTo(Rules.COUNTED, waiting_jobs) },
  { title: "Oldest", of: ({ oldest_since }) => <View.Time at={oldest_since} /> },
  { title: "Next try", of: ({ next_try_at }) => <View.Time at={next_try_at} /> },
  ...offered(({ name, waiting_jobs }: Telco) =>
    waiting_jobs === 0 ? null : (
      <View.Action label="Try all at it now" does={() => retryAll({ telco: name ?? "" }, say)} done={again} />
    )
  )
]

const waiting = (again: () => void, say: Say): ReadonlyArray<View.Column<Waiting>> => [
  { title: "Work", of: ({ kind }) => Words.work(kind) },
  { title: "Reason", of: ({ reason }) => reason },
  { title: "Telco", of: ({ telco }) => nameOf(telco) },
  { title: "How many", of: ({ count }) => upTo(Rules.COUNTED, count) },
  { title: "Since", of: ({ since }) => <View.Time at={since} /> },
  { title: "Next try", of: ({ next_try_at }) => <View.Time at={next_try_at} /> },
  ...offered(({ kind, reason, telco }: Waiting) => (
    <View.Action label="Retry all now" does={() => retryAll({ kind, reason, telco: telco ?? "" }, say)} done={again} />
  ))
]

const endpoints = (again: () => void, say: Say): ReadonlyArray<View.Column<Endpoint>> => [
  organization,
  { title: "URL", of: ({ url }) => <View.Text>{url}</View.Text> },
  {
    title: "What it missed",
    of: ({ organization_id: of, webhook_endpoint_id: endpoint }) => (
      <View.Link to={{ page: "deliveries", of, endpoint, status: "failed" }}>Failed deliveries</View.Link>
    )
  },
  { title: "Fails since", of: ({ since }) => <View.Time at={since} /> },
  {
    title: "Disabled",
    of: ({ disabled_at, organization_id: of }) =>
      disabled_at === null ? null : (
        <>
          <View.State tone="bad">
            <View.Time at={disabled_at} />
          </View.State>{" "}
          <View.Link to={{ page: "endpoints", of }}>Enable it there</View.Link>
        </>
      )
  },
  {
    title: "Pending",
    of: ({ organization_id: of, pending_deliveries, webhook_endpoint_id: endpoint }) => (
      <View.Link to={{ page: "deliveries", of, endpoint, status: "pending" }}>
        {upTo(Rules.COUNTED_OF_ENDPOINT, pending_deliveries)}
      </View.Link>
    )
  },
  ...offered(({ organization_id, pending_deliveries, webhook_endpoint_id }: Endpoint) =>
    pending_deliveries === 0 ? null : (
      <View.Action
        label="Send all now"
        does={async () =>
          say(await Replay.pending(`/organizations/${encodeURIComponent(organization_id)}`, { webhook_endpoint_id }))
        }
        done={again}
      />
    )
  )
]

/** Up to how many are counted, where no level is higher. */
const FREE = 1_000

const stocks = (tasks: Task.Tasks): ReadonlyArray<View.Column<Stock>> => [
  organization,
  { title: "Label", of: ({ label }) => label },
  {
    title: "Free",
    of: ({ free, is_low, level }) =>
      is_low ? <View.State tone="bad">{free}, which is low</View.State> : upTo(Math.max(FREE, level ?? 0), free)
  },
  { title: "Level", of: ({ level }) => level },
  { title: "Sold a day", of: ({ sold_a_day }) => sold_a_day },
  { title: "Days left", of: ({ days_left }) => days_left },
  ...offered((stock: Stock) => <Task.Openers tasks={[Levels.task(stock.organization_id, stock)]} with={tasks} />)
]

const loads: ReadonlyArray<View.Column<Load>> = [
  organization,
  { title: "Jobs that wait", of: ({ waiting_jobs }) => upTo(Rules.COUNTED, waiting_jobs) },
  {
    title: "Deliveries that wait",
    of: ({ organization_id: of, pending_deliveries }) => (
      <View.Link to={{ page: "deliveries", of, status: "pending" }}>
        {upTo(Rules.COUNTED, pending_deliveries)}
      </View.Link>
    )
  }
]

type Refusals = View.Reading<Api.Page<Problems.Problem>>

const Refusals = ({ of: { again, data, failure } }: { readonly of: Refusals }) => {
  const tasks = Task.useTasks(again)
  return (
    <Section id="problems" title="Problems">
      <View.Failure>{failure}</View.Failure>
      {tasks.shown}
      {data !== undefined && (
        <View.Table
          label="The oldest problems"
          columns={Problems.columns(again, tasks)}
          items={data.data}
          empty={Problems.NONE}
        />
      )}
      {typeof data?.next_page === "string" && <View.Link to={{ page: "problems" }}>All problems</View.Link>}
    </Section>
  )
}

/** How one thing is, at a glance. */
interface Glance {
  /** The section that says more. */
  readonly id: string
  readonly title: string
  /** What is wrong, and what that hits; null: nothing. */
  readonly trouble: string | null
  /** Since when. */
  readonly since?: string | null
  /** What is said if nothing is wrong. */
  readonly well: string
}

/** The first of some times. */
const oldest = (times: ReadonlyArray<string | null>): string | null =>
  times.filter((at) => at !== null).toSorted()[0] ?? null

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, one) => total + one, 0)

/** How many endpoints fail, and how many the service has disabled. */
const standing = (endpoints: ReadonlyArray<Endpoint>): string => {
  const disabled = endpoints.filter(({ disabled_at }) => disabled_at !== null).length
  const tried = endpoints.length - disabled
  return [
    ...(tried === 0 ? [] : [`${View.counted(tried, "fails", "fail")}.`]),
    ...(disabled === 0 ? [] : [`${View.counted(disabled, "is", "are")} disabled for failing.`])
  ].join(" ")
}

/** What is wrong with the database, and what that hits; null: nothing. */
const databaseTrouble = ({ dead_servers: dead, takes_writes }: Service["database"]): string | null => {
  if (!takes_writes) return "It takes no writes: nothing can be sold or changed."
  if (dead.length === 0) return null
  const which = dead.length === 1 ? "does not answer: organizations on it" : "do not answer: organizations on them"
  return `${dead.join(", ")} ${which} are not served.`
}

const glances = (
  { failing_endpoints: failing, service, stock, telcos: all, waiting: waits }: Overview,
  { data: problems, next_page }: Api.Page<Problems.Problem>
): ReadonlyArray<Glance> => {
  const silent = all.filter(({ answers }) => !answers)
  const low = stock.filter(({ is_low }) => is_low)
  const sims = new Set(problems.map(({ iccid }) => iccid)).size
  const of = (count: number) => upTo(Rules.COUNTED, count)
  const pending = sum(failing.map(({ pending_deliveries }) => pending_deliveries))
  return [
    {
      id: "telcos",
      title: "Telcos",
      trouble:
        silent.length === 0
          ? null
          : `${silent.map(({ name }) => name ?? "The telco").join(", ")} gives no answer. ${View.counted(sum(silent.map(({ waiting_jobs }) => waiting_jobs)), "job waits", "jobs wait")}.`,
      since: oldest(silent.map(({ since }) => since)),
      well: "All answer."
    },
    {
      id: "jobs",
      title: "Work",
      trouble: waits.length === 0 ? null : `${of(sum(waits.map(({ count }) => count)))} to be tried again.`,
      since: oldest(waits.map(({ since }) => since)),
      well: "None is tried again."
    },
    {
      id: "problems",
      title: "Problems",
      trouble:
        problems.length === 0
          ? null
          : `${problems.length}${next_page === null ? "" : "+"} to see to, on ${View.counted(sims, "SIM", "SIMs")}.`,
      since: oldest(problems.map(({ since }) => since)),
      well: "Nothing is refused."
    },
    {
      id: "endpoints",
      title: "Endpoints",
      trouble:
        failing.length === 0
          ? null
          : `${standing(failing)} ${pending === 0 ? "Nothing is pending" : View.counted(pending, "delivery is pending", "deliveries are pending")}.`,
      since: oldest(failing.map(({ since }) => since)),
      well: "All take what is sent."
    },
    {
      id: "stock",
      title: "Free eSIMs",
      trouble:
        low.length === 0
          ? null
          : `${View.counted(low.length, "stock is", "stocks are")} low: ${low.map(({ free, label }) => `${free} ${label}`).join(", ")}.`,
      well: "Enough are free."
    },
    ...(service === null
      ? []
      : [
          {
            id: "service",
            title: "Database",
            trouble: databaseTrouble(service.database),
            well: "It answers and takes writes."
          }
        ])
  ]
}

/** Whether all is well, and if not, what is wrong since when. */
const AtAGlance = ({ all }: { readonly all: ReadonlyArray<Glance> }) => {
  const troubles = all.filter(({ trouble }) => trouble !== null)
  const go = (id: string): void => {
    const heading = document.getElementById(id)
    heading?.scrollIntoView()
    heading?.focus({ preventScroll: true })
  }
  return (
    <section aria-label="At a glance">
      <p class={troubles.length === 0 ? "verdict works" : "verdict broken"} data-glance>
        {troubles.length === 0
          ? "All is well."
          : `${View.counted(troubles.length, "thing needs", "things need")} somebody: ${troubles.map(({ title }) => title).join(", ")}.`}
      </p>
      <div class="glances">
        {all.map(({ id, since = null, title, trouble, well }) => (
          <div key={id} class={trouble === null ? "glance" : "glance troubled"}>
            <View.State tone={trouble === null ? "good" : "bad"}>{title}</View.State>
            <p>{trouble ?? well}</p>
            {trouble !== null && (
              <p>
                {since !== null && (
                  <span>
                    Began <View.Time at={since} />
                  </span>
                )}
                <button type="button" aria-label={`What to do: ${title}`} onClick={() => go(id)}>
                  What to do
                </button>
              </p>
            )}
          </div>
        ))}
      </div>
    </section>
  )
}

const MEBIBYTE = 1_048_576

const databaseOf = ({
  bytes,
  connections,
  dead_servers,
  most_connections,
  takes_writes
}: Service["database"]): string =>
  [
    takes_writes ? "The database answers and takes writes" : "The database answers, but takes no writes",
    ...(dead_servers.length === 0 ? [] : [`of its servers ${dead_servers.join(", ")} give no answer`]),
    ...(bytes === null ? [] : [`it has ${(bytes / MEBIBYTE).toFixed(1)} MiB`]),
    ...(connections === null ? [] : [`${connections} of ${most_connections} connections are used`])
  ].join("; ")

/** What tells processes apart: ids are random. */
const SHOWN_OF_ID = 8

const processes: ReadonlyArray<View.Column<Running>> = [
  { title: "Machine", of: ({ host }) => <View.Text>{host}</View.Text> },
  { title: "Version", of: ({ version }) => <View.Text>{version}</View.Text> },
  { title: "It runs", of: ({ answers, runs }) => `${runs.join(", ") || "nothing"}${answers ? ", and this page" : ""}` },
  {
    title: "Under way",
    of: ({ held_deliveries, held_jobs }) =>
      `${View.counted(held_jobs, "job", "jobs")}, ${View.counted(held_deliveries, "webhook", "webhooks")}`
  },
  { title: "Started", of: ({ started_at }) => <View.Time at={started_at} isReal /> },
  { title: "Last heartbeat", of: ({ last_heartbeat_at }) => <View.Time at={last_heartbeat_at} isReal /> },
  { title: "Process", of: ({ process_id }) => <code>{process_id.slice(0, SHOWN_OF_ID)}</code> }
]

const isMixed = (all: ReadonlyArray<Running>): boolean => new Set(all.map(({ version }) => version)).size > 1

const plots = [
  ["requests", "Requests"],
  ["telco_calls", "Calls of telcos"],
  ["deliveries", "Webhooks"],
  ["jobs", "Jobs"]
] as const

const Process = ({ now, service }: { readonly service: Service; readonly now: string }) => {
  const { database, due_jobs, held_jobs, oldest_due_at, started_at, version } = service
  return (
    <Section id="service" title="The service">
      <p>
        It answers. Its business time is <View.Time at={now} isExact />
        {Api.clock.value?.virtual === true ? ", on a virtual clock." : "."}
      </p>
      <p>
        {version === null ? "The process that answers" : `Version ${version}`} started{" "}
        <View.Time at={started_at} isReal />. Processes hold {View.counted(held_jobs, "job", "jobs")};{" "}
        {due_jobs === 1 ? "1 is" : `${due_jobs} are`} due and held by none
        {oldest_due_at !== null && (
          <>
            , the oldest was due <View.Time at={oldest_due_at} />
          </>
        )}
        .
      </p>
      <p class={databaseTrouble(database) === null ? "" : "failure"}>{databaseOf(database)}.</p>
      <h3>Processes</h3>
      {isMixed(service.processes) && <p>They are of several versions: an upgrade is under way, or was left halfway.</p>}
      <View.Table label="Processes" columns={processes} items={service.processes} empty="None is known." />
      <h3>The last hours of these processes</h3>
      <div class="plots">
        {plots.map(([name, title]) => (
          <Plot.Plot key={name} title={title} from={service.rates.from} counts={service.rates[name]} />
        ))}
      </div>
      <h3>Organizations with the most work that waits</h3>
      <View.Table label="Load" columns={loads} items={service.loads} empty="No work waits." />
    </Section>
  )
}

export default () => {
  const { again, data, failure } = View.useReading("overview", () => Api.read<Overview>("/overview"), View.SELDOM)
  const [said, say] = useState("")
  const refusals: Refusals = View.useReading(
    "problems",
    () => Api.page<Problems.Problem>("/problems?page_size=10"),
    View.SELDOM
  )
  const tasks = Task.useTasks(again)
  return (
    <>
      <h1>Overview</h1>
      <p role="status" data-said>
        {said}
      </p>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && refusals.data !== undefined && <AtAGlance all={glances(data, refusals.data)} />}
      {data !== undefined && (
        <>
          <Section id="telcos" title="Telcos">
            <View.Table
              label="How telcos answer"
              columns={telcos(again, say)}
              items={data.telcos}
              empty="Nothing waits for a telco."
            />
          </Section>
          <Section id="jobs" title="Work that waits for its next try">
            <View.Table
              label="Work that waits"
              columns={waiting(again, say)}
              items={data.waiting}
              empty="None waits."
            />
          </Section>
        </>
      )}
      <Refusals of={refusals} />
      {data !== undefined && (
        <>
          <Section id="endpoints" title="Endpoints that fail, or are disabled for it">
            <View.Table
              label="Failing endpoints"
              columns={endpoints(again, say)}
              items={data.failing_endpoints}
              empty="None fails."
            />
          </Section>
          <Section id="stock" title="Free eSIMs">
            {tasks.shown}
            <View.Table label="Stock" columns={stocks(tasks)} items={data.stock} empty="No organization has eSIMs." />
          </Section>
          {data.service !== null && <Process service={data.service} now={data.now} />}
        </>
      )}
    </>
  )
}
