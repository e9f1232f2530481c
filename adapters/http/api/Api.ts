/**
 * The whole HTTP API. Routes, clients, `/openapi.json` and `/docs` all come from this one
 * definition. It is the entry point `simplan/http-api`, for clients and documents, and loads no
 * server.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { CoverageApi, OperatorsApi } from "./CoverageApi.ts"
import { ImportsApi } from "./ImportsApi.ts"
import { AuditApi, OrganizationsApi } from "./OrganizationsApi.ts"
import {
  BulkApi,
  OrganizationCoverageApi,
  OrganizationNetworksApi,
  OrganizationPlansApi,
  OrganizationSimsApi,
  OrganizationSubscriptionsApi,
  OrganizationCostsApi,
  OrganizationUsageApi,
  SearchApi
} from "./OrganizationOperationsApi.ts"
import { BoughtSimsApi, BundlesApi, PlansApi } from "./PlansApi.ts"
import { ReportsApi } from "./ReportsApi.ts"
import { ServiceOperatorsApi } from "./ServiceOperatorsApi.ts"
import { SimsApi, WalletApi } from "./SimsApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { ClockApi, JobsApi, OverviewApi, ProblemsApi, SystemApi } from "./SystemApi.ts"
import { NotificationsApi, TelcosApi } from "./TelcosApi.ts"
import { CostsApi, ServiceCostsApi, UsageApi } from "./UsageApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

/** The whole API: routes, document and client follow from it. */
export class Api extends HttpApi.make("simplan")
  .add(SubscriptionsApi)
  .add(UsageApi)
  .add(CostsApi)
  .add(PlansApi)
  .add(CoverageApi)
  .add(SimsApi)
  .add(OperatorsApi)
  .add(WalletApi)
  .add(ServiceOperatorsApi)
  .add(OrganizationsApi)
  .add(ImportsApi)
  .add(OrganizationSimsApi)
  .add(OrganizationSubscriptionsApi)
  .add(OrganizationUsageApi)
  .add(OrganizationCostsApi)
  .add(ServiceCostsApi)
  .add(OrganizationPlansApi)
  .add(BundlesApi)
  .add(BoughtSimsApi)
  .add(OrganizationCoverageApi)
  .add(OrganizationNetworksApi)
  .add(BulkApi)
  .add(OverviewApi)
  .add(SearchApi)
  .add(WebhooksApi)
  .add(AuditApi)
  .add(JobsApi)
  .add(ProblemsApi)
  .add(ClockApi)
  .add(TelcosApi)
  .add(ReportsApi)
  .add(NotificationsApi)
  .add(SystemApi)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "simplan",
      version: "1.0.0",
      description: "Subscription and plan management for eSIMs and physical SIM cards"
    })
  ) {}
