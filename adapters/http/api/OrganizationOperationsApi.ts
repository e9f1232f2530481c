/**
 * What operators do for organizations: the search over all of them (rule L4), and the reads and the day's tasks of `/v3`, with the
 * organization in the path where a key names it there (rule W14).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SimSearch } from "simplan/ports"
import * as AttachmentsApi from "./AttachmentsApi.ts"
import * as CoverageApi from "./CoverageApi.ts"
import * as PlansApi from "./PlansApi.ts"
import * as Roles from "./Roles.ts"
import * as Samples from "./Samples.ts"
import * as Schemas from "./Schemas.ts"
import * as SimsApi from "./SimsApi.ts"
import * as SubscriptionsApi from "./SubscriptionsApi.ts"
import * as UsageApi from "./UsageApi.ts"
import { Fields } from "../../fields/index.ts"

/** By what a SIM was found. */
export const matches = ["subscription_id", "imsi", "phone_number", "iccid", "metadata"] as const

export const SearchHit = Schema.Struct({
  organization_id: Schemas.organizationId,
  organization_name: Schemas.string("The organization's name", "Acme"),
  iccid: Schemas.iccid,
  label: Schemas.label,
  subscription_id: Schemas.field(
    Schema.NullOr(Schema.String),
    "The subscription that has the SIM; null: none",
    Samples.subscriptionId
  ),
  matched: Schemas.field(
    Fields.oneOf(matches),
    "By what it was found; where that is more than one thing, the first of these",
    "metadata"
  )
}).annotate({ identifier: "SearchHit" })

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/search", {
      query: {
        q: Schemas.field(
          Schemas.SearchParameter,
          "The first or last digits of an ICCID, an IMSI, a phone number with or without a plus sign, the id of a subscription, or the " +
            "first characters of a metadata, in any case",
          "order 4711"
        )
      },
      success: Schema.Struct({
        ...Schemas.data(Schema.Array(SearchHit)).fields,
        has_more: Schemas.field(Schema.Boolean, "Whether it finds more: a longer text finds fewer", false)
      }).annotate({ identifier: "SearchHits" }),
      error: Schemas.problems(...Schemas.reviewing)
    }).annotateMerge(
      Roles.operation(
        "read",
        "Find SIMs of all organizations",
        `At most ${SimSearch.MOST_HITS} SIMs of the organizations that the operator sees, as \`search\` of \`GET /v3/sims\` finds them, those ` +
          "first that the text names alone. A blank text finds none."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: search", "What a customer names, in all organizations."))
  .prefix("/admin/v1") {}

const group = (title: string, what: string) =>
  Schemas.group(`Management: ${title}`, `${what} of any organization that the operator sees, as \`/v3\` shows them.`)

export class OrganizationSimsApi extends HttpApiGroup.make("organizationSims")
  .add(
    SimsApi.reads.list.managed,
    SimsApi.reads.get.managed,
    SimsApi.reads.stock.managed,
    SimsApi.reads.qrCode.managed,
    SimsApi.update.managed,
    SimsApi.reads.smdpInfo.managed
  )
  .annotateMerge(group("SIMs", "The inventories"))
  .prefix("/admin/v1") {}

export class OrganizationSubscriptionsApi extends HttpApiGroup.make("organizationSubscriptions")
  .add(
    SubscriptionsApi.reads.list.managed,
    SubscriptionsApi.writes.create.managed,
    SubscriptionsApi.reads.get.managed,
    SubscriptionsApi.writes.remove.managed,
    SubscriptionsApi.writes.replace.managed,
    SubscriptionsApi.writes.pause.managed,
    SubscriptionsApi.writes.resume.managed,
    AttachmentsApi.list.managed,
    AttachmentsApi.get.managed,
    SubscriptionsApi.reads.history.managed,
    AttachmentsApi.suspend.managed,
    SubscriptionsApi.writes.sendSms.managed,
    SubscriptionsApi.reads.location.managed
  )
  .annotateMerge(group("subscriptions", "SIMs in service and the plans attached to them,"))
  .prefix("/admin/v1") {}

export class OrganizationUsageApi extends HttpApiGroup.make("organizationUsage")
  .add(UsageApi.reads.ofSim.managed, UsageApi.reads.ofOrganization.managed)
  .annotateMerge(group("usage", "What was used by SIMs"))
  .prefix("/admin/v1") {}

export class OrganizationPlansApi extends HttpApiGroup.make("organizationPlans")
  .add(PlansApi.reads.list.managed, PlansApi.reads.get.managed)
  .annotateMerge(group("plans", "The plans"))
  .prefix("/admin/v1") {}

export class OrganizationCoverageApi extends HttpApiGroup.make("organizationCoverage")
  .add(CoverageApi.reads.list.managed, CoverageApi.reads.get.managed)
  .annotateMerge(group("coverage", "Standard coverage profiles and the custom regions"))
  .prefix("/admin/v1") {}

export class OrganizationNetworksApi extends HttpApiGroup.make("organizationNetworks")
  .add(CoverageApi.readsOfOperators.list.managed, CoverageApi.readsOfOperators.get.managed)
  .annotateMerge(
    Schemas.group("Management: mobile networks", "The operators of the catalogue, as `/v3/operators` shows them.")
  )
  .prefix("/admin/v1") {}
