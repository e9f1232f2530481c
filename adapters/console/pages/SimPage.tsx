/**
 * One SIM: why it works or does not, its plans with their packages, what it used, and what has
 * happened to it.
 */
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import { List } from "../List.tsx"
import { Name } from "../OfOrganization.tsx"
import * as Location from "../Location.ts"
import * as Search from "../Search.tsx"
import * as Task from "../Task.tsx"
import * as View from "../View.tsx"
import { Installation } from "./SimInstallation.tsx"
import { Timeline } from "./SimTimeline.tsx"
import * as SimTasks from "./SimTasks.ts"
import type * as Types from "../Types.ts"

type Sim = Types.Data<"organizationSims", "get">

type Subscription = Types.Data<"organizationSubscriptions", "get">

type Attachment = Types.Item<"organizationSubscriptions", "attachments">

type Package = Attachment["packages"][number]

type Usage = Types.Item<"organizationUsage", "ofSim">

type Entry = Types.Item<"organizationSubscriptions", "history">

const MEGABYTE = 1_048_576

const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`

const orNull = <A,>(read: Promise<A>): Promise<A | null> =>
  read.catch((error: unknown) => {
    if (error instanceof Api.Refused && error.status === 404) return null
    throw error
  })

interface All {
  readonly sim: Sim
  readonly subscription: Subscription | null
  readonly attachments: ReadonlyArray<Attachment>
}

const readAll = async (path: (folder: string) => string): Promise<All> => {
  const sim = await Api.read<Sim>(path("sims"))
  const isSold = sim.used && sim.status !== "withdrawn"
  const subscription = isSold ? await orNull(Api.read<Subscription>(path("subscriptions"))) : null
  const attachments =
    subscription === null
      ? null
      : await orNull(Api.read<ReadonlyArray<Attachment>>(`${path("subscriptions")}/plan-attachments`))
  return { sim, subscription, attachments: attachments ?? [] }
}

const plans: ReadonlyArray<View.Column<Attachment>> = [
  { title: "Plan", of: ({ plan }) => <View.Text>{plan.name}</View.Text> },
  { title: "Note", of: ({ metadata }) => <View.Text>{metadata === "" ? null : metadata}</View.Text> },
  { title: "State", of: ({ state }) => state },
  { title: "Why no service", of: ({ reason }) => <View.Text>{reason?.message ?? null}</View.Text> },
  { title: "Active (UTC)", of: ({ activation_at }) => <View.Time at={activation_at} /> },
  { title: "Ends (UTC)", of: ({ expiration_at }) => <View.Time at={expiration_at} /> },
  { title: "Used", of: ({ used_allowance }) => megabytes(used_allowance.dataBytes) }
]

interface Row {
  readonly plan: Attachment["plan"]
  readonly one: Package
}

/** What a move has assumed, as a sentence. */
const assumptionOf = ({ assumed_used_allowance }: Package): string =>
  assumed_used_allowance === undefined
    ? ""
    : `. The telco could not say how much was used before the move: ${megabytes(assumed_used_allowance.dataBytes)} by the last report`

const packages: ReadonlyArray<View.Column<Row>> = [
  { title: "Plan", of: ({ plan }) => <View.Text>{plan.name}</View.Text> },
  { title: "Active (UTC)", of: ({ one }) => <View.Time at={one.activation_at} /> },
  { title: "Ends (UTC)", of: ({ one }) => <View.Time at={one.expiration_at} /> },
  {
    title: "Used",
    of: ({ one, plan }) =>
      `${megabytes(one.used_allowance.dataBytes)} of ${plan.data_mega_bytes} MB${assumptionOf(one)}`
  },
  { title: "Package", of: ({ one }) => <code>{one.package_id}</code> }
]

const usage: ReadonlyArray<View.Column<Usage>> = [
  { title: "Day (UTC)", of: ({ day }) => day ?? "before" },
  { title: "Country", of: ({ country_alpha_2 }) => country_alpha_2 ?? "not known" },
  { title: "Used", of: ({ used_bytes }) => megabytes(used_bytes) }
]

type Attempt = NonNullable<Entry["attempts"]>[number]

/** What an attempt met, and how long that took. */
const attemptOf = ({ duration_ms, error, response_status }: Attempt): string =>
  [error ?? `status ${response_status}`, ...(duration_ms === null ? [] : [`${duration_ms} ms`])].join(", ")

const simLink = (of: string, iccid: string) => (
  <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
)

const history = (of: string, own: string, isAcross: boolean) => (): ReadonlyArray<View.Column<Entry>> => [
  { title: "When (UTC)", of: ({ at }) => <View.Time at={at} /> },
  ...(isAcross ? [{ title: "SIM", of: ({ iccid }: Entry) => (iccid === own ? "this one" : simLink(of, iccid)) }] : []),
  { title: "Kind", of: ({ type }) => type },
  { title: "What", of: ({ what }) => what },
  {
    title: "Detail",
    of: ({ attempts = [], deliveries = [], detail }) => (
      <>
        <View.Text>{detail}</View.Text>
        {deliveries.map(({ delivery_id, endpoint }) => (
          <p key={delivery_id}>
            <View.Link to={{ page: "delivery", of, delivery: delivery_id }}>
              To <View.Text>{endpoint}</View.Text>
            </View.Link>
          </p>
        ))}
        {attempts.length > 0 && (
          <ol class="attempts" aria-label="Attempts, newest first">
            {attempts.map((one) => (
              <li key={one.number} value={one.number}>
                <View.Time at={one.at} /> <View.Text>{attemptOf(one)}</View.Text>
              </li>
            ))}
          </ol>
        )}
      </>
    )
  },
  { title: "By", of: ({ by }) => <View.Text>{by}</View.Text> }
]

type Move = NonNullable<Sim["replaces"]>

/** The SIMs that subscriptions have come from and left for, for good. */
const Moves = ({ of, sim: { replaced_by, replaces } }: { readonly of: string; readonly sim: Sim }) => {
  const sentence = (words: string, { at, iccid, subscription_id }: Move) => (
    <p data-moved={iccid}>
      {words} {simLink(of, iccid)} since <View.Time at={at} />, by the move of the subscription{" "}
      <code>{subscription_id}</code>.
    </p>
  )
  return (
    <>
      {replaces !== null && sentence("It replaces the SIM", replaces)}
      {replaced_by !== null && sentence("It is replaced by the SIM", replaced_by)}
    </>
  )
}

const WHOSE = [
  ["", "the subscription, on all of its SIMs"],
  ["sim", "this SIM alone"]
] as const

/** The history: if a subscription has moved, over all SIMs that it was on. */
const History = ({ of, path, sim }: { readonly of: string; readonly path: string; readonly sim: Sim }) => {
  const hasMoved = sim.replaces !== null || sim.replaced_by !== null
  const isAcross = hasMoved && Location.field("history") === ""
  return (
    <>
      <h2>History</h2>
      {hasMoved && (
        <div class="filters">
          <Filters.Choice label="Of" name="history" choices={WHOSE} />
        </div>
      )}
      <List
        label="History"
        path={`${path}/history${isAcross ? "?across_sims=true" : ""}`}
        columns={history(of, sim.iccid, isAcross)}
        empty="Nothing has happened to it."
      />
    </>
  )
}

/** Why no data is no alarm: nobody pays for the SIM. */
const CALM = ["free", "withdrawn", "replaced", "provisioning"]

const toneOf = ({ reason, works }: Sim): string => {
  if (works === true) return "verdict works"
  return works === null || CALM.includes(reason.code) ? "verdict" : "verdict broken"
}

const Verdict = ({ of, sim }: { readonly of: string; readonly sim: Sim }) => {
  const { code, message, moved_to: moved } = sim.reason
  return (
    <p class={toneOf(sim)} data-verdict={code}>
      <View.Text>{message}</View.Text>
      {moved !== null && (
        <>
          {" "}
          <View.Link to={Search.simOf({ iccid: moved, organization_id: of })}>Open it</View.Link>
        </>
      )}
    </p>
  )
}

const Summary = ({
  all,
  of,
  organization,
  path
}: {
  readonly all: All
  readonly of: string
  readonly organization: string
  readonly path: string
}) => {
  const { attachments, sim, subscription } = all
  const rows = attachments.flatMap((one) => one.packages.map((part) => ({ plan: one.plan, one: part })))
  return (
    <>
      <Verdict of={of} sim={sim} />
      <Moves of={of} sim={sim} />
      <p>
        {sim.is_esim ? "An eSIM" : "A SIM card"} of the label <View.Text>{sim.label}</View.Text>
        {subscription !== null && (
          <>
            , of the subscription <code>{subscription.subscription_id}</code> since{" "}
            <View.Time at={subscription.created_at} />: <View.Text>{subscription.metadata}</View.Text>
          </>
        )}
      </p>
      <p data-identity>
        Of <Name of={of} />. Phone number: {sim.msisdn === null ? "not known" : <code>+{sim.msisdn}</code>}. IMSI:{" "}
        {sim.imsi === null ? "not known" : <code>{sim.imsi}</code>}.
      </p>
      <h2>Plans</h2>
      {attachments.length > 0 && (
        <Timeline iccid={sim.iccid} organization={organization} path={path} attachments={attachments} />
      )}
      <View.Table label="Plans" columns={plans} items={attachments} empty="There are none." />
      <h2>Packages</h2>
      <View.Table label="Packages" columns={packages} items={rows} empty="The telco has none." />
    </>
  )
}

type LastOperator = Types.Answer<"organizationSubscriptions", "location">

/** Where it was seen last. */
const Network = ({ isSold, path }: { readonly path: string; readonly isSold: boolean }) => {
  const { data, failure } = View.useReading(`${path}/location ${isSold}`, async () =>
    isSold ? ((await orNull(Api.call<LastOperator>("GET", `${path}/location`)))?.last_operator ?? null) : null
  )
  if (!isSold) return null
  return (
    <>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <p data-network>
          {data === null ? (
            "It was seen in no network in the last 7 days."
          ) : (
            <>
              Last network:{" "}
              <View.Text>{`${data.operator}, ${data.country}, ${data.rat}, in the device ${data.imei}`}</View.Text>
            </>
          )}
        </p>
      )}
    </>
  )
}

type Smdp = Types.Data<"organizationSims", "smdpInfo">

const profileStates: ReadonlyArray<View.Column<Smdp["state_history"][number]>> = [
  { title: "When (UTC)", of: ({ modified_at }) => <View.Time at={modified_at} /> },
  { title: "State", of: ({ state }) => state },
  { title: "Result", of: ({ modification_result }) => <View.Text>{modification_result}</View.Text> }
]

/** The states of its profile, and what installs it. */
const Profile = ({ iccid, path }: { readonly path: string; readonly iccid: string }) => {
  const { data, failure } = View.useReading(`${path}/smdp-info`, () => Api.read<Smdp>(`${path}/smdp-info`))
  return (
    <>
      <h2>Profile</h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <View.Table
          label="Profile states"
          columns={profileStates}
          items={data.state_history.toReversed()}
          empty="The SM-DP+ has reported nothing: it was perhaps never downloaded."
        />
      )}
      {Api.allows("support") && <Installation iccid={iccid} path={path} />}
    </>
  )
}

export default () => {
  const iccid = Location.field("iccid")
  const organization = `/organizations/${encodeURIComponent(Location.field("of"))}`
  const path = (folder: string): string => `${organization}/${folder}/${encodeURIComponent(iccid)}`
  const used = `${path("subscriptions")}/usage?by=day,country`
  const found = View.useReading(path("sims"), () => readAll(path))
  const days = View.useReading(used, () => Api.read<ReadonlyArray<Usage>>(used))
  return (
    <>
      <h1>
        SIM <code>{iccid}</code>
      </h1>
      <View.Failure>{found.failure}</View.Failure>
      {found.data === undefined ? (
        found.failure === null ? (
          <p class="empty">Reading …</p>
        ) : (
          Api.lostSince.value === null && (
            <p>
              It may be another organization's, or be written otherwise:{" "}
              <View.Link to={{ page: "search", q: iccid }}>search for it</View.Link>.
            </p>
          )
        )
      ) : (
        <>
          <Summary
            all={found.data}
            of={Location.field("of")}
            organization={organization}
            path={path("subscriptions")}
          />
          <Network path={path("subscriptions")} isSold={found.data.subscription !== null} />
          {found.data.sim.is_esim && <Profile path={path("sims")} iccid={iccid} />}
          {Api.allows("support") && (
            <>
              <h2>What can be done</h2>
              <Task.Buttons
                tasks={SimTasks.of({ of: Location.field("of"), organization, path, ...found.data })}
                again={() => {
                  found.again()
                  days.again()
                }}
              />
            </>
          )}
          <h2>Usage of the last 30 days</h2>
          <View.Failure>{days.failure}</View.Failure>
          {days.data !== undefined && (
            <View.Table label="Usage" columns={usage} items={days.data} empty="It used nothing." />
          )}
          <History of={Location.field("of")} path={path("subscriptions")} sim={found.data.sim} />
        </>
      )}
    </>
  )
}
