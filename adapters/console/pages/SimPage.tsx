/**
 * One SIM: why it works or does not, its plans with their packages, what it used, and what has
 * happened to it.
 */
import * as Api from "../Api.ts"
import { Name } from "../OfOrganization.tsx"
import * as Location from "../Location.ts"
import * as Search from "../Search.tsx"
import { Doing } from "../sim/Doing.tsx"
import { History, simLink } from "../sim/History.tsx"
import { useInstallation } from "../sim/Installation.tsx"
import * as Used from "../sim/Used.tsx"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"
import { Timeline } from "./SimTimeline.tsx"
import * as SimTasks from "./SimTasks.ts"
import type * as Types from "../Types.ts"

type Sim = Types.Data<"organizationSims", "get">

type Subscription = Types.Data<"organizationSubscriptions", "get">

type Attachment = Types.Item<"organizationSubscriptions", "attachments">

type Package = Attachment["packages"][number]

type Usage = Types.Item<"organizationUsage", "ofSim">

const { allowance, megabytes } = Words

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
  {
    title: "Plan",
    of: ({ metadata, plan }) => (
      <>
        <View.Text>{plan.name}</View.Text>
        {metadata !== "" && (
          <p class="note">
            <View.Text>{metadata}</View.Text>
          </p>
        )}
      </>
    )
  },
  {
    title: "State",
    of: ({ reason, state }) => {
      const { tone, words } = Words.state(state)
      return (
        <>
          <View.State tone={tone}>{words}</View.State>
          {reason !== null && (
            <p class="note">
              <View.Text>{reason.message}</View.Text>
            </p>
          )}
        </>
      )
    }
  },
  { title: "Active", of: ({ activation_at }) => <View.Time at={activation_at} /> },
  { title: "Ends", of: ({ expiration_at }) => <View.Time at={expiration_at} /> },
  { title: "Used", of: ({ used_allowance }) => <span class="whole-line">{megabytes(used_allowance.dataBytes)}</span> }
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
  { title: "Active", of: ({ one }) => <View.Time at={one.activation_at} /> },
  { title: "Ends", of: ({ one }) => <View.Time at={one.expiration_at} /> },
  {
    title: "Used",
    of: ({ one, plan }) => (
      <>
        {`${megabytes(one.used_allowance.dataBytes)} of ${allowance(plan.data_mega_bytes)}${assumptionOf(one)}`}
        {one.usage_as_of !== undefined && (
          <>
            , as of <View.Time at={one.usage_as_of} />
          </>
        )}
      </>
    )
  },
  { title: "Package", of: ({ one }) => <View.Id>{one.package_id}</View.Id> }
]

type Move = NonNullable<Sim["replaces"]>

/** The SIMs that subscriptions have come from and left for, for good. */
const Moves = ({ of, sim: { replaced_by, replaces } }: { readonly of: string; readonly sim: Sim }) => {
  const sentence = (words: string, { at, iccid, subscription_id }: Move) => (
    <p data-moved={iccid}>
      {words} {simLink(of, iccid)} (<View.Time at={at} />
      ), by the move of the subscription <View.Id>{subscription_id}</View.Id>.
    </p>
  )
  return (
    <>
      {replaces !== null && sentence("It replaces the SIM", replaces)}
      {replaced_by !== null && sentence("It is replaced by the SIM", replaced_by)}
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

/** What it is, and whose. */
const Identity = ({ all, of, path }: { readonly all: All; readonly of: string; readonly path: string }) => {
  const { sim, subscription } = all
  return (
    <dl data-identity>
      <dt>Organization</dt>
      <dd>
        <Name of={of} />
      </dd>
      <dt>Kind</dt>
      <dd>
        {sim.is_esim ? "An eSIM" : "A SIM card"} of the label <View.Text>{sim.label}</View.Text>
      </dd>
      {sim.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <View.Tags of={sim.tags} />
          </dd>
        </>
      )}
      {subscription !== null && (
        <>
          <dt>Note</dt>
          <dd>
            <View.Text>{subscription.metadata === "" ? null : subscription.metadata}</View.Text>
          </dd>
          <dt>Subscription</dt>
          <dd>
            <View.Id>{subscription.subscription_id}</View.Id> created <View.Time at={subscription.created_at} />
          </dd>
        </>
      )}
      <dt>Phone number</dt>
      <dd>{sim.msisdn == null ? "not known" : <View.Id>{`+${sim.msisdn}`}</View.Id>}</dd>
      <dt>IMSI</dt>
      <dd>{sim.imsi == null ? "not known" : <View.Id>{sim.imsi}</View.Id>}</dd>
      <Network path={path} isSold={subscription !== null} />
    </dl>
  )
}

/** Its plans: drawn over time, how much of them is used, and their packages. */
const Plans = ({
  all: { attachments, sim },
  organization,
  path
}: {
  readonly all: All
  readonly organization: string
  readonly path: string
}) => {
  const rows = attachments.flatMap((one) => one.packages.map((part) => ({ plan: one.plan, one: part })))
  if (attachments.length === 0)
    return (
      <section>
        <h2>Plans</h2>
        <p class="empty">It has no plan{sim.reason.code === "free" ? " yet: sell one on it" : ""}.</p>
      </section>
    )
  return (
    <section>
      <h2>Plans</h2>
      <Used.Bars attachments={attachments} />
      <Timeline iccid={sim.iccid} organization={organization} path={path} attachments={attachments} />
      <View.Table label="Plans" columns={plans} items={attachments} empty="There are none." />
      <h3>Packages at the telco</h3>
      <View.Table label="Packages" columns={packages} items={rows} empty="The telco has none." />
    </section>
  )
}

type LastOperator = Types.Answer<"organizationSubscriptions", "location">

/** The network that it was seen in last. */
const Network = ({ isSold, path }: { readonly path: string; readonly isSold: boolean }) => {
  const { data, failure } = View.useReading(`${path}/location ${isSold}`, async () =>
    isSold ? ((await orNull(Api.call<LastOperator>("GET", `${path}/location`)))?.last_operator ?? null) : null
  )
  if (!isSold) return null
  return (
    <>
      <dt>Last network</dt>
      <dd data-network>
        <View.Failure>{failure}</View.Failure>
        {data === null && "none in the last 7 days"}
        {data != null && (
          <View.Text>{`${data.operator}, ${data.country}, ${data.rat}, in the device ${data.imei}`}</View.Text>
        )}
      </dd>
    </>
  )
}

type Smdp = Types.Data<"organizationSims", "smdpInfo">

const profileStates: ReadonlyArray<View.Column<Smdp["state_history"][number]>> = [
  { title: "When", of: ({ modified_at }) => <View.Time at={modified_at} /> },
  { title: "State", of: ({ state }) => state },
  { title: "Result", of: ({ modification_result }) => <View.Text>{modification_result}</View.Text> }
]

/** What is said of a profile of which nothing is reported. */
const unreported = ({ attachments, sim }: All): string => {
  const nothing = "The SM-DP+ has reported nothing of it"
  if (sim.reason.next_step === "install_esim")
    return `${nothing}: it was perhaps never downloaded. Have its QR code scanned.`
  return attachments.some(({ used_allowance }) => used_allowance.dataBytes > 0)
    ? `${nothing}, but the SIM was used: it is installed.`
    : `${nothing}.`
}

/** The states of its profile. */
const Profile = ({ all, path }: { readonly all: All; readonly path: string }) => {
  const { data, failure } = View.useReading(`${path}/smdp-info`, () => Api.read<Smdp>(`${path}/smdp-info`))
  return (
    <section>
      <h2>Profile</h2>
      <View.Failure>{failure}</View.Failure>
      {data !== undefined && (
        <View.Table
          label="Profile states"
          columns={profileStates}
          items={data.state_history.toReversed()}
          empty={unreported(all)}
        />
      )}
    </section>
  )
}

const Page = ({
  again,
  all,
  days
}: {
  readonly all: All
  readonly days: View.Reading<ReadonlyArray<Usage>>
  readonly again: () => void
}) => {
  const { sim } = all
  const of = Location.field("of")
  const organization = `/organizations/${encodeURIComponent(of)}`
  const path = (folder: string): string => `${organization}/${folder}/${encodeURIComponent(sim.iccid)}`
  const installation = useInstallation(sim.iccid, path("sims"))
  const { tone, words } = Words.standing(sim.reason.code)
  return (
    <div class="sim">
      <div class="facts">
        <p>
          <View.State tone={tone}>{words}</View.State>
        </p>
        <Verdict of={of} sim={sim} />
        {Api.allows("support") && (
          <Doing
            tasks={SimTasks.of({ of, organization, path, ...all })}
            next={sim.reason.next_step}
            installation={sim.is_esim ? installation : null}
            again={again}
          />
        )}
        {installation.picture}
        <Moves of={of} sim={sim} />
        <Identity all={all} of={of} path={path("subscriptions")} />
        {sim.is_esim && <Profile all={all} path={path("sims")} />}
      </div>
      <div class="course">
        <Plans all={all} organization={organization} path={path("subscriptions")} />
        <section>
          <h2>Usage</h2>
          <View.Failure>{days.failure}</View.Failure>
          {days.data !== undefined && <Used.Days data={days.data} />}
        </section>
        <History of={of} path={path("subscriptions")} sim={sim} />
      </div>
    </div>
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
      <div class="title">
        <h1>
          SIM <code>{iccid}</code>
        </h1>
        <View.Copy of={iccid} name="ICCID" />
      </div>
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
        <Page
          key={iccid}
          all={found.data}
          days={days}
          again={() => {
            found.again()
            days.again()
          }}
        />
      )}
    </>
  )
}
