/**
 * The rows of operations, for adapters that are faces. They load no service.
 */
export * as AuditLogOperations from "./AuditLogOperations.ts"
export * as BundlesOperations from "./BundlesOperations.ts"
export * as ClockOperations from "./ClockOperations.ts"
export * as JobsOperations from "./JobsOperations.ts"
export * as Operation from "./Operation.ts"
export * as OrganizationsOperations from "./OrganizationsOperations.ts"
export * as OverviewOperations from "./OverviewOperations.ts"
export * as ServiceOperatorsOperations from "./ServiceOperatorsOperations.ts"
export * as TelcosOperations from "./TelcosOperations.ts"
export * as WebhooksOperations from "./WebhooksOperations.ts"
