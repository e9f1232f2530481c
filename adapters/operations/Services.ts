/**
 * What operations call: the services, and what a face does with the URLs of webhooks. A test names each method of the services
 * that neither an operation nor a method of the library calls, with the reason.
 */
import { Effect } from "effect"
import {
  ApiKeys,
  AuditLog,
  Organizations,
  Problems,
  type Refusal,
  ServiceOperators,
  type Services as Simplan,
  Webhooks
} from "simplan"

/** The URLs of webhook endpoints, which may hold secrets. */
export interface Urls {
  /** Refuses one that webhooks may not go to. */
  readonly check: (url: string) => Effect.Effect<unknown, Refusal.Plain>
  /** As answers have it. */
  readonly shown: (url: string) => string
}

const tags = {
  apiKeys: ApiKeys.ApiKeys,
  auditLog: AuditLog.AuditLog,
  organizations: Organizations.Organizations,
  problems: Problems.Problems,
  serviceOperators: ServiceOperators.ServiceOperators,
  waitingJobs: Problems.WaitingJobs,
  webhooks: Webhooks.Webhooks
}

/** The services by their names, and the URLs of webhooks. */
export type Services = { readonly [Name in keyof typeof tags]: (typeof tags)[Name]["Service"] } & { readonly urls: Urls }

/** Finds the services of the process. */
export const services = (urls: Urls): Effect.Effect<Services, never, Simplan.Services> =>
  Effect.map(Effect.all(tags), (found) => ({ ...found, urls }))
