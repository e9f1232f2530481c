/**
 * What is done to many subscriptions or SIMs of an organization at once, as hosts and callers see
 * it (rule W15).
 */
import { Result } from "effect"
import * as Rules from "../domain/BulkAction.ts"
import { InvalidField } from "../domain/Refusal.ts"
import { statuses } from "../domain/Sim.ts"
import { serviceStatuses } from "../domain/Subscription.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import { reasons } from "../domain/Withdrawal.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { boolean, field, instant, integer, optional } = View

/** What lists of SIMs and of subscriptions filter by. */
const filter = {
  search: optional(
    View.limited(TextLimit.NAME),
    "Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in its country, the id of " +
      "a subscription, or the first characters of a metadata or words in it, in any case",
    "order 4711"
  ),
  label: optional(View.text, "Only those of this label", "Green"),
  tag: optional(View.limited(TextLimit.TAG), "Only those whose SIM has this tag, in any case", "VIP"),
  createdAfter: optional(instant, "Only those that were made after this instant", Samples.bought)
}

const status = optional(View.oneOf(serviceStatuses), "Only those that are paused, or only those that are not", "active")

export const SubscriptionFilter = View.request(
  "SubscriptionFilter",
  "Which subscriptions a list has. An absent field filters nothing",
  { ...filter, label: optional(View.label, "Only those on SIMs of this label", "Green"), status },
  OfOrganization
)

const ofSims = {
  status: optional(
    View.oneOf(statuses),
    "Only those that stand so: `free`, `in_use` by a subscription or a creation under way, `releasing`, which are on " +
      "their way back to stock, or `withdrawn`",
    "free"
  ),
  isEsim: optional(boolean, "Only eSIMs, or only physical SIMs", true)
}

export const SimFilter = View.request(
  "SimFilter",
  "Which SIMs a list has. An absent field filters nothing",
  { ...filter, label: optional(View.label, "Only those of this label", "Green"), ...ofSims },
  OfOrganization
)

const acted = {
  ...filter,
  createdUntil: optional(instant, "Only those that were made at this instant or before it", Samples.end)
}

const ofSubscriptions = {
  ...acted,
  status,
  planId: optional(
    View.id,
    "Only those with an attachment of this plan that has neither expired nor been suspended",
    Samples.planId
  )
}

const all = optional(boolean, "Has to be true where nothing else says which", false)

export const SubscriptionSelection = View.request(
  "SubscriptionSelection",
  "Which subscriptions are meant. An absent field filters nothing",
  ofSubscriptions,
  OfOrganization
)

export const SubscriptionAction = View.request(
  "SubscriptionAction",
  "What is done to all subscriptions that the other fields take",
  {
    action: field(
      View.oneOf(Rules.actions),
      "What is done to each; `suspend` suspends the attachments of the plan that the filter names",
      "pause"
    ),
    ...ofSubscriptions,
    all
  },
  OfOrganization
)

export const SimAction = View.exampled(
  { action: "withdraw", reason: "broken", search: "894450" },
  View.request(
    "SimAction",
    "What is done to all SIMs that the other fields take",
    {
      action: field(
        View.oneOf(Rules.simActions),
        "What is done to each: it is withdrawn, put back into stock, or gets another label",
        "withdraw"
      ),
      reason: optional(View.oneOf(reasons), "Why they are withdrawn; only with that action", "broken"),
      newLabel: optional(View.label, "The label that is set; only with that action"),
      ...acted,
      ...ofSims,
      all
    },
    OfOrganization
  )
)

export const BulkActionPreview = View.answer("BulkActionPreview", "What would come of all that a filter takes", {
  matching: field(integer(), "How many there are", 812),
  changed: field(integer(), "How many would be changed", 800),
  unchanged: field(integer(), "How many are so already", 10),
  refused: field(integer(), "How many would be refused", 2),
  hasMore: field(boolean, "Whether there are more, which were not counted", false),
  createdUntil: field(
    instant,
    "With this in the request, nothing is acted on that is made after the preview",
    Samples.end
  )
})

export const previewOf = (of: Rules.Preview): View.Of<typeof BulkActionPreview> => ({
  ...of,
  matching: Rules.total(of),
  hasMore: !of.isWhole
})

/** Which subscriptions are meant, as the service takes it. */
export const selectionOf = ({ organizationId, ...given }: View.Of<typeof SubscriptionSelection>) => ({
  organizationId,
  filter: { planId: null, createdUntil: null, ...given }
})

const chosen = (all: boolean | undefined, given: object): Result.Result<void, InvalidField> =>
  all === true || Object.keys(given).length > 0
    ? Result.succeed(undefined)
    : Result.fail(new InvalidField({ field: "all", message: "must be true where nothing else says which" }))

/** What is asked for, as the service takes it. Refused if nothing says of which subscriptions. */
export const actionOf = ({
  action,
  all,
  organizationId,
  ...given
}: View.Of<typeof SubscriptionAction>): Result.Result<Rules.Request, InvalidField> =>
  Result.map(chosen(all, given), () => ({ ...selectionOf({ organizationId, ...given }), action }))

/** What is asked for, as the service takes it. Refused if nothing says of which SIMs. */
export const simActionOf = ({
  action,
  all,
  newLabel,
  organizationId,
  reason,
  ...given
}: View.Of<typeof SimAction>): Result.Result<Rules.SimRequest, InvalidField> =>
  Result.andThen(chosen(all, given), () =>
    Result.map(Rules.correctionOf(action, { label: newLabel, reason }), (correction) => ({
      organizationId,
      correction,
      filter: { isEsim: null, createdUntil: null, ...given }
    }))
  )
