/**
 * What operators do for organizations: the search over all of them (rule L4), the reads and the
 * day's tasks of `/v3`, with the organization in the path where a key names it there (rule W14),
 * and actions on all subscriptions or SIMs that a filter takes (rule W15).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { BulkAction, Operator, Refusal, Sim, SimSearch } from "simplan/ports"
import * as AttachmentsApi from "./AttachmentsApi.ts"
import * as CoverageApi from "./CoverageApi.ts"
import * as PlansApi from "./PlansApi.ts"
import * as Roles from "./Roles.ts"
import { Bulk, Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as SimsApi from "./SimsApi.ts"
import * as SubscriptionsApi from "./SubscriptionsApi.ts"
import * as UsageApi from "./UsageApi.ts"
import * as Views from "./Views.ts"
import { type Codes, Fields } from "../../fields/index.ts"

/** By what a SIM was found. */
export const matches = ["subscription_id", "imsi", "phone_number", "iccid", "metadata"] as const

export const SearchHit = Schema.Struct({
  organization_id: Schemas.organizationId,
  organization_name: Schemas.organizationName,
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
  ),
  status: Schemas.field(
    Fields.oneOf(Sim.statuses),
    "Whether nobody has it, somebody has, it is on its way back to stock, or it is withdrawn",
    "in_use"
  ),
  paused: Schemas.field(Schema.Boolean, "Whether its subscription is paused", false),
  plan_name: Schemas.field(
    Schema.NullOr(Schema.String),
    "The plan of its newest plan attachment; null: none",
    "Sweden 5 GB"
  ),
  metadata: Schemas.field(
    Schema.NullOr(Schema.String),
    `The first ${SimSearch.WORDS} characters of the metadata that it was found by, that of its subscription or of its newest plan ` +
      "attachment; else of its subscription's. Null: nobody has it",
    "order 4711"
  )
}).annotate({ identifier: "SearchHit" })

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/search", {
      query: {
        q: Schemas.field(
          Schemas.SearchParameter,
          "The first or last digits of an ICCID, an IMSI, a phone number, also as in its country, the id of a subscription, or the first " +
            "characters of a metadata or words in it, in any case",
          "order 4711"
        )
      },
      success: Schema.Struct({
        ...Schemas.data(Schema.Array(SearchHit)).fields,
        has_more: Schemas.field(Schema.Boolean, "Whether it finds more: a longer text finds fewer", false)
      }).annotate({ identifier: "SearchHits" }),
      error: Schemas.problems(...Schemas.managing)
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
    SimsApi.setStockLevels.managed,
    SimsApi.reads.qrCode.managed,
    SimsApi.update.managed,
    SimsApi.updateMany.managed,
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

export class OrganizationCostsApi extends HttpApiGroup.make("organizationCosts")
  .add(UsageApi.costReads.ofOrganization.managed)
  .annotateMerge(group("costs", "What eSIMs and top-ups of suppliers cost"))
  .prefix("/admin/v1") {}

export class OrganizationPlansApi extends HttpApiGroup.make("organizationPlans")
  .add(
    PlansApi.reads.list.managed,
    PlansApi.writes.create.managed,
    PlansApi.reads.get.managed,
    PlansApi.writes.remove.managed,
    PlansApi.writes.archive.managed,
    PlansApi.writes.unarchive.managed
  )
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

export const SubscriptionAction = Views.body(Bulk.SubscriptionAction)

export const SimAction = Views.body(Bulk.SimAction)

/** The codes of what may be refused of one subscription. */
const refusals = [
  "subscription_not_found",
  "plan_attachment_not_found",
  ...Refusal.codesOf("suspension"),
  ...Refusal.codesOf("deletion")
] as const satisfies ReadonlyArray<Codes.Code>

/** What came of one, with the codes that its refusal may have. */
const resultOf = (codes: ReadonlyArray<Codes.Code>, code: Codes.Code, message: string) => ({
  result: Schemas.field(
    Fields.oneOf(BulkAction.outcomes),
    "What came of it, or would; `unchanged`: it was so already",
    "changed"
  ),
  code: Schemas.optional(
    Schemas.errorCode(codes),
    "Only where it is refused, or with `changed` a part of it: the name of the error",
    code
  ),
  message: Schemas.optional(Schema.String, "Only with `code`: why", message)
})

export const ActionResult = Schema.Struct({
  iccid: Schemas.iccid,
  subscription_id: Schemas.string("The subscription's id", Samples.subscriptionId),
  ...resultOf(refusals, "esim_installed", "The eSIM was downloaded")
}).annotate({ identifier: "SubscriptionActionResult" })

export const SimActionResult = Schema.Struct({
  iccid: Schemas.iccid,
  ...resultOf(
    ["sim_not_found", ...Refusal.codesOf("correction"), "invalid_field"],
    "sim_in_use",
    "A subscription holds the SIM"
  )
}).annotate({ identifier: "SimActionResult" })

const resultsOf = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({
    error: Schemas.hasFailed(false),
    data: Schemas.field(
      Schema.Array(item),
      `What came of each; where \`dry_run\` is true, the first ${BulkAction.MOST_REFUSALS} that would be refused`
    ),
    preview: Schemas.optional(Views.answer(Bulk.BulkActionPreview), Schemas.DRY_RUN)
  })

const Results = resultsOf(ActionResult).annotate({ identifier: "SubscriptionActionResults" })
const SimResults = resultsOf(SimActionResult).annotate({ identifier: "SimActionResults" })

const MANY = `More than ${Operator.FEW} at once take the role \`${Operator.ofMany}\`.`

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const acting = Schemas.problems(
  ...Schemas.restricted,
  "concurrency_limited",
  ...Schemas.withBody.filter((code) => code !== "invalid_field"),
  "organization_not_found"
)

export class BulkApi extends HttpApiGroup.make("bulk")
  .add(
    HttpApiEndpoint.get("list", "/organizations/:id/subscriptions", {
      params: Schemas.ofOrganization,
      query: { ...Views.query(Bulk.SubscriptionSelection.own), ...Schemas.keyset },
      success: Schemas.page(SubscriptionsApi.Subscription),
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "List the subscriptions that a filter takes, oldest first",
        "A page of them; it may be short, or empty, while another one follows. Operators of the role `read` get activation codes shortened."
      )
    ),
    HttpApiEndpoint.post("act", "/organizations/:id/subscriptions/actions", {
      params: Schemas.ofOrganization,
      query: Schemas.previewable,
      payload: SubscriptionAction,
      success: [Results, Schemas.jsonLines, text(UsageApi.CSV)],
      error: acting
    }).annotateMerge(
      Roles.operation(
        "support",
        "Pause, resume, suspend or delete all subscriptions that a filter takes",
        "Acts on each as a request about it alone does, and answers what came of each, while it goes on: one that is refused stops no " +
          "other. Those that are made meanwhile are left out. The same request again goes on where a broken one has ended, so an " +
          "`Idempotency-Key` is ignored. The telco is asked afterwards. " +
          `${MANY} To delete takes the role \`${Operator.ofDeletion}\`. With \`Accept: ` +
          `${Schemas.JSON_LINES}\` each result is a line of JSON, with \`Accept: ${UsageApi.CSV}\` a line of a table.`
      )
    ),
    HttpApiEndpoint.post("actOnSims", "/organizations/:id/sims/actions", {
      params: Schemas.ofOrganization,
      query: Schemas.previewable,
      payload: SimAction,
      success: [SimResults, Schemas.jsonLines, text(UsageApi.CSV)],
      error: acting
    }).annotateMerge(
      Roles.operation(
        "support",
        "Withdraw all SIMs that a filter takes, put them back into stock, or set their label",
        "Corrects each as a request about it alone does, by the order of their import, and answers as for subscriptions. " +
          MANY
      )
    )
  )
  .annotateMerge(
    Schemas.group("Management: bulk actions", "What is done to many subscriptions or SIMs of an organization at once.")
  )
  .prefix("/admin/v1") {}
