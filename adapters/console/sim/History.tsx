/** What has happened to a SIM, with the same kind of thing in one row that opens. */
import * as Filters from "../Filters.tsx"
import { Grouped } from "../List.tsx"
import * as Location from "../Location.ts"
import { Actor } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Sim = Types.Data<"organizationSims", "get">

type Entry = Types.Item<"organizationSubscriptions", "history">

type Attempt = NonNullable<Entry["attempts"]>[number]

/** What is of one kind in a row, newest first. */
type Group = readonly [Entry, ...ReadonlyArray<Entry>]

/** What is said in a row of its own, each time. */
const ALONE = ["change", "event", "profile", "problem"]

const isAlike = (one: Entry, other: Entry): boolean =>
  !ALONE.includes(one.type) && one.type === other.type && one.iccid === other.iccid

const together =
  (kind: string) =>
  (entries: ReadonlyArray<Entry>): ReadonlyArray<Group> => {
    const groups: Array<[Entry, ...Array<Entry>]> = []
    for (const entry of entries) {
      const last = groups.at(-1)
      if (kind !== "" && entry.type !== kind) continue
      if (last !== undefined && isAlike(last[0], entry)) last.push(entry)
      else groups.push([entry])
    }
    return groups
  }

/** What an attempt met, and how long that took. */
const attemptOf = ({ duration_ms, error, response_status }: Attempt): string =>
  [error ?? `status ${response_status}`, ...(duration_ms === null ? [] : [`${duration_ms} ms`])].join(", ")

const Attempts = ({ attempts }: { readonly attempts: ReadonlyArray<Attempt> }) =>
  attempts.length === 0 ? null : (
    <details>
      <summary>{View.counted(attempts.length, "attempt", "attempts")}</summary>
      <ol class="attempts" aria-label="Attempts, newest first">
        {attempts.map((one) => (
          <li key={one.number} value={one.number}>
            <View.Time at={one.at} /> <View.Text>{attemptOf(one)}</View.Text>
          </li>
        ))}
      </ol>
    </details>
  )

const whatOf = ({ type, what }: Entry): string => {
  if (type === "change") return Words.action(what)
  if (type === "job" || type === "problem") return Words.work(what)
  if (type === "usage" || type === "network") return Words.country(what)
  return what
}

const detailOf = (of: string, { attempts = [], deliveries = [], detail }: Entry) => (
  <>
    <View.Text>{detail}</View.Text>
    {deliveries.map(({ delivery_id, endpoint }) => (
      <p key={delivery_id}>
        <View.Link to={{ page: "delivery", of, delivery: delivery_id }}>
          {deliveries.length === 1 ? (
            "Its delivery"
          ) : (
            <>
              To <View.Text>{endpoint}</View.Text>
            </>
          )}
        </View.Link>
      </p>
    ))}
    <Attempts attempts={attempts} />
  </>
)

/** The whole group, opened by a click. */
const Opened = ({ group }: { readonly group: Group }) => (
  <details>
    <summary>{group.length} entries</summary>
    <ul class="attempts">
      {group.map((one, at) => (
        <li key={at}>
          <View.Time at={one.at} /> {whatOf(one)} <View.Text>{one.detail}</View.Text>
        </li>
      ))}
    </ul>
  </details>
)

/** What the entries of a group are, each named once. */
const namesOf = (group: Group): string => [...new Set(group.map(whatOf))].join(", ")

export const simLink = (of: string, iccid: string) => (
  <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
)

const columns = (of: string, own: string, isAcross: boolean) => (): ReadonlyArray<View.Column<Group>> => [
  { title: "When", of: ([{ at }]) => <View.Time at={at} /> },
  ...(isAcross
    ? [{ title: "SIM", of: ([{ iccid }]: Group) => (iccid === own ? "this one" : simLink(of, iccid)) }]
    : []),
  { title: "Kind", of: ([{ type }]) => <span class={`kind ${type}`}>{type}</span> },
  { title: "What", of: namesOf },
  {
    title: "Detail",
    of: (group) => (group.length === 1 ? detailOf(of, group[0]) : <Opened group={group} />)
  },
  { title: "By", of: ([{ by }]) => <Actor by={by} of={of} /> }
]

const WHOSE = [
  ["", "the subscription, on all of its SIMs"],
  ["sim", "this SIM alone"]
] as const

const KINDS = [
  ["", "everything"],
  ["change", "changes and notes"],
  ["event", "events to endpoints"],
  ["profile", "states of the profile"],
  ["package", "packages"],
  ["network", "networks"],
  ["usage", "usage"],
  ["job", "work that waits"],
  ["problem", "problems"]
] as const

/** The history: if a subscription has moved, over all SIMs that it was on. */
export const History = ({ of, path, sim }: { readonly of: string; readonly path: string; readonly sim: Sim }) => {
  const hasMoved = sim.replaces !== null || sim.replaced_by !== null
  const isAcross = hasMoved && Location.field("history") === ""
  const kind = Location.field("kind")
  return (
    <section>
      <h2>History</h2>
      <div class="filters">
        <Filters.Choice label="Show" name="kind" choices={KINDS} />
        {hasMoved && <Filters.Choice label="Of" name="history" choices={WHOSE} />}
      </div>
      <Grouped
        label="History"
        path={`${path}/history${isAcross ? "?across_sims=true" : ""}`}
        columns={columns(of, sim.iccid, isAcross)}
        together={together(kind)}
        empty={
          kind === ""
            ? "Nothing has happened to it."
            : "There is none of this among what is read: show more, or everything."
        }
      />
    </section>
  )
}
