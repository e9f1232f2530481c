/**
 * The whole HTTP API. Routes, clients, `/openapi.json` and `/docs` all come from this one definition.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AuditApi } from "./management/AuditApi.ts"
import { ClockApi } from "./management/ClockApi.ts"
import { CoverageApi, OperatorsApi } from "./CoverageApi.ts"
import { ImportsApi } from "./management/ImportsApi.ts"
import { OrganizationsApi } from "./management/OrganizationsApi.ts"
import { PlansApi } from "./PlansApi.ts"
import { JobsApi, ProblemsApi } from "./management/JobsApi.ts"
import { ReportsApi } from "./ReportsApi.ts"
import { SimsApi, WalletApi } from "./SimsApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { NotificationsApi, TelcosApi } from "./TelcosApi.ts"
import { WebhooksApi } from "./management/WebhooksApi.ts"

/** The whole API: routes, document and client follow from it. */
export class Api extends HttpApi.make("simplan")
  .add(SubscriptionsApi)
  .add(PlansApi)
  .add(CoverageApi)
  .add(SimsApi)
  .add(OperatorsApi)
  .add(WalletApi)
  .add(OrganizationsApi)
  .add(ImportsApi)
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
