/**
 * What operators read of one organization (rule W14): the reads of `/v3`, with the organization in the path where a key names it
 * there.
 */
import { HttpApiGroup } from "effect/http-api"
import * as AttachmentsApi from "./AttachmentsApi.ts"
import * as CoverageApi from "./CoverageApi.ts"
import * as PlansApi from "./PlansApi.ts"
import * as Schemas from "./Schemas.ts"
import * as SimsApi from "./SimsApi.ts"
import * as SubscriptionsApi from "./SubscriptionsApi.ts"
import * as UsageApi from "./UsageApi.ts"

const group = (title: string, what: string) =>
  Schemas.group(`Management: ${title}`, `${what} of any organization that the operator sees, as \`/v3\` shows them.`)

export class OrganizationSimsApi extends HttpApiGroup.make("organizationSims")
  .add(
    SimsApi.reads.list.managed,
    SimsApi.reads.get.managed,
    SimsApi.reads.stock.managed,
    SimsApi.reads.qrCode.managed,
    SimsApi.reads.smdpInfo.managed
  )
  .annotateMerge(group("SIMs", "The inventories"))
  .prefix("/admin/v1") {}

export class OrganizationSubscriptionsApi extends HttpApiGroup.make("organizationSubscriptions")
  .add(
    SubscriptionsApi.reads.list.managed,
    SubscriptionsApi.reads.get.managed,
    AttachmentsApi.list.managed,
    AttachmentsApi.get.managed,
    SubscriptionsApi.reads.history.managed,
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
