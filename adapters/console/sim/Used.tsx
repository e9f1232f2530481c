/** What a SIM used: how much of its plans, and by day. */
import * as Api from "../Api.ts"
import * as Plot from "../Plot.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Attachment = Types.Item<"organizationSubscriptions", "attachments">

type Usage = Types.Item<"organizationUsage", "ofSim">

const MEGABYTE = 1_048_576

const { allowance, megabytes } = Words

/** The package that is used now, else the next one. */
const currentOf = ({ packages }: Attachment, now: number) =>
  packages.find(({ expiration_at }) => expiration_at === null || Date.parse(expiration_at) > now)

const ENDED = ["EXPIRED", "SUSPENDED"]

const Bar = ({ of }: { readonly of: Attachment }) => {
  const current = currentOf(of, Api.now())
  if (current === undefined) return null
  const all = of.plan.data_mega_bytes * MEGABYTE
  const used = current.used_allowance.dataBytes
  const part = all === 0 ? 0 : Math.min(100, (used * 100) / all)
  const said = `${megabytes(used)} of ${allowance(of.plan.data_mega_bytes)} used, ${megabytes(Math.max(0, all - used))} left`
  return (
    <div class="used">
      <p>
        <strong>
          <View.Text>{of.plan.name}</View.Text>
        </strong>
        {": "}
        {said}
        {current.usage_as_of !== undefined && (
          <>
            {" "}
            as of <View.Time at={current.usage_as_of} />
          </>
        )}
        {current.expiration_at !== null && (
          <>
            , ends <View.Time at={current.expiration_at} />
          </>
        )}
      </p>
      <svg
        class={part >= 90 ? "bar full" : "bar"}
        role="img"
        aria-label={said}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
      >
        <rect width={part} height="1" />
      </svg>
    </div>
  )
}

/** How much is used of what is going on. */
export const Bars = ({ attachments }: { readonly attachments: ReadonlyArray<Attachment> }) => (
  <>
    {attachments
      .filter(({ state }) => !ENDED.includes(state))
      .map((one) => (
        <Bar key={one.plan_attachment_id} of={one} />
      ))}
  </>
)

const columns: ReadonlyArray<View.Column<Usage>> = [
  { title: "Day (UTC)", of: ({ day }) => day ?? "before" },
  {
    title: "Country",
    of: ({ country_alpha_2 }) => (country_alpha_2 == null ? "not known" : Words.country(country_alpha_2))
  },
  { title: "Used", of: ({ used_bytes }) => megabytes(used_bytes) }
]

const DAY = 86_400_000

/** How many days are drawn. */
const DAYS = 30

const byDay = (found: ReadonlyArray<Usage>): ReadonlyArray<Plot.Place> => {
  const today = Math.floor(Api.now() / DAY) * DAY
  return Array.from({ length: DAYS }, (_, at) => {
    const name = new Date(today - (DAYS - 1 - at) * DAY).toISOString().slice(0, 10)
    const value = found.filter(({ day }) => day === name).reduce((sum, { used_bytes }) => sum + used_bytes, 0)
    return { name, value }
  })
}

/** What it used on each of the last days. */
export const Days = ({ data }: { readonly data: ReadonlyArray<Usage> }) =>
  data.length === 0 ? (
    <p class="empty">It used nothing in the last 30 days.</p>
  ) : (
    <>
      <Plot.Days title="Used by day (UTC)" places={byDay(data)} says={megabytes} />
      <details>
        <summary>By day and country</summary>
        <View.Table label="Usage" isSlim columns={columns} items={data} empty="" />
      </details>
    </>
  )
