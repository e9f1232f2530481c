/**
 * The subscriptions of an organization, with filters, columns to choose, as a file, and what can be
 * done to all that match.
 */
import { useEffect, useState } from "preact/hooks"
import { Subscription as SubscriptionRules } from "simplan/ports"
import { Acting } from "../Acting.tsx"
import * as Bulk from "../Bulk.ts"
import * as Columns from "../Columns.tsx"
import * as Filters from "../Filters.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import * as Selling from "../Selling.ts"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Subscription = Types.Item<"bulk", "list">

const columns = (of: string) =>
  [
    {
      name: "iccid",
      title: "ICCID",
      of: ({ esim: { iccid } }: Subscription) => (
        <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
      ),
      text: ({ esim }: Subscription) => esim.iccid
    },
    {
      name: "label",
      title: "Label",
      of: ({ esim }: Subscription) => <View.Text>{esim.label}</View.Text>,
      text: ({ esim }: Subscription) => esim.label
    },
    {
      name: "subscription_id",
      title: "Id",
      of: ({ subscription_id }: Subscription) => <View.Id>{subscription_id}</View.Id>,
      text: ({ subscription_id }: Subscription) => subscription_id,
      isExtra: true
    },
    {
      name: "created_at",
      title: "Since",
      of: ({ created_at }: Subscription) => <View.Time at={created_at} />,
      text: ({ created_at }: Subscription) => created_at
    },
    {
      name: "paused_at",
      title: "Paused",
      of: ({ paused_at }: Subscription) => <View.Time at={paused_at} />,
      text: ({ paused_at }: Subscription) => paused_at ?? ""
    },
    {
      name: "metadata",
      title: "Note",
      of: ({ metadata }: Subscription) => <View.Text>{metadata}</View.Text>,
      text: ({ metadata }: Subscription) => metadata
    }
  ] as const

/** How many pages of plans are offered. */
const MOST_PAGES = 20

/**
 * The plans that the organization had when the page was opened; one that the URL names is always
 * among them.
 */
const usePlans = (organization: string): ReadonlyArray<readonly [value: string, title: string]> => {
  const [{ hasMore, plans }, set] = useState<Selling.Offered>({ plans: [], hasMore: false })
  useEffect(() => {
    let isOver = false
    Selling.plansOf(organization, {}, MOST_PAGES).then(
      (found) => {
        if (!isOver) set(found)
      },
      () => undefined
    )
    return () => {
      isOver = true
    }
  }, [organization])
  const chosen = Location.field("plan")
  const isKnown = chosen === "" || plans.some(({ plan_id }) => plan_id === chosen)
  return [
    ["", hasMore ? `any (the first ${plans.length} are listed)` : "any"],
    ...(isKnown ? [] : [[chosen, chosen] as const]),
    ...plans.map(({ plan_id, plan_name }) => [plan_id, plan_name] as const)
  ]
}

const Chosen = ({ of }: { readonly of: string }) => {
  const organization = `/organizations/${encodeURIComponent(of)}`
  const plans = usePlans(organization)
  const filter = {
    ...Filters.fieldsOfSims(),
    status: Location.field("status"),
    plan_id: Location.field("plan"),
    created_after: Filters.instant("since"),
    created_until: Filters.instant("until")
  }
  const query = new URLSearchParams(Bulk.filled(filter))
  const path = `${organization}/subscriptions${query.size === 0 ? "" : `?${query}`}`
  return (
    <>
      <Filters.Bar>
        <Filters.OfSims />
        <Filters.Choice
          label="Status"
          name="status"
          choices={[["", "any"], ...SubscriptionRules.serviceStatuses.map((one) => [one, one] as const)]}
        />
        <Filters.Choice label="Plan" name="plan" choices={plans} />
        <Filters.Input label="After (UTC)" name="since" isTime />
        <Filters.Input label="Until (UTC)" name="until" isTime />
      </Filters.Bar>
      <Acting
        key={path}
        before={[Selling.sale(of, null)]}
        organization={organization}
        things={Bulk.subscriptions}
        filter={filter}
      />
      <Columns.Listing
        label="Subscriptions"
        order="Oldest first."
        path={path}
        columns={columns(of)}
        empty="There are no such subscriptions. Empty the filters, or sell a plan."
      />
    </>
  )
}

export default () => <OfOrganization title="Subscriptions" Chosen={Chosen} />
