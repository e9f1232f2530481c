/**
 * The first page: is it us, the telco, or one customer?
 */
import * as Api from "../Api.ts"
import * as Problems from "../Problems.tsx"
import * as View from "../View.tsx"

interface Job {
  readonly kind: string
  readonly reason: string
  readonly since: string
  readonly next_try_at: string
}

interface Waiting extends Job {
  readonly count: number
}

/** The jobs by kind and reason, those that wait longest first. */
const grouped = (jobs: ReadonlyArray<Job>): ReadonlyArray<Waiting> => {
  const groups = new Map<string, Waiting>()
  for (const job of jobs) {
    const key = `${job.kind} ${job.reason}`
    const { count, next_try_at, since } = groups.get(key) ?? { ...job, count: 0 }
    groups.set(key, {
      kind: job.kind,
      reason: job.reason,
      count: count + 1,
      since: since < job.since ? since : job.since,
      next_try_at: next_try_at < job.next_try_at ? next_try_at : job.next_try_at
    })
  }
  return [...groups.values()].toSorted((left, right) => (left.since < right.since ? -1 : 1))
}

const SHOWN = 100

const Jobs = () => {
  const { again, data, failure } = View.useReading("jobs", () => Api.page<Job>(`/jobs?page_size=${SHOWN}`))
  const columns: ReadonlyArray<View.Column<Waiting>> = [
    { title: "Work", of: ({ kind }) => kind },
    { title: "Reason", of: ({ reason }) => reason },
    { title: "How many", of: ({ count }) => count },
    { title: "Since (UTC)", of: ({ since }) => <View.Time at={since} /> },
    { title: "Next try (UTC)", of: ({ next_try_at }) => <View.Time at={next_try_at} /> },
    ...(Api.allows("support")
      ? [
          {
            title: "What to do",
            of: ({ kind, reason }: Waiting) => (
              <View.Action
                label="Retry all now"
                does={() => Api.call("POST", "/jobs/retry", { body: { kind, reason } })}
                done={again}
              />
            )
          }
        ]
      : [])
  ]
  return (
    <section aria-labelledby="jobs">
      <h2 id="jobs">Work that waits for its next try</h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <View.Table label="Work that waits" columns={columns} items={grouped(data.data)} empty="None waits." />
      )}
      {typeof data?.next_page === "string" && <p class="note">Of the {SHOWN} oldest; there are more.</p>}
    </section>
  )
}

const Refusals = () => {
  const { again, data, failure } = View.useReading("problems", () =>
    Api.page<Problems.Problem>("/problems?page_size=10")
  )
  return (
    <section aria-labelledby="problems">
      <h2 id="problems">Problems</h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <View.Table label="Problems" columns={Problems.columns(again)} items={data.data} empty={Problems.NONE} />
      )}
      {typeof data?.next_page === "string" && <View.Link to={{ page: "problems" }}>All problems</View.Link>}
    </section>
  )
}

interface Clock {
  readonly now: string
  readonly virtual: boolean
}

const Service = () => {
  const { data, failure } = View.useReading("clock", () => Api.read<Clock>("/clock"))
  return (
    <section aria-labelledby="service">
      <h2 id="service">The service</h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <p>
          It answers. Its business time is <View.Time at={data.now} /> UTC{data.virtual ? ", on a virtual clock." : "."}
        </p>
      )}
    </section>
  )
}

export default () => (
  <>
    <h1>Overview</h1>
    {Api.operator.value?.organization_id === null && <Service />}
    <Refusals />
    <Jobs />
  </>
)
