/**
 * The rows of operations, for adapters that are faces. They load no service.
 */
export * as AuditLog from "./AuditLog.ts"
export * as Clock from "./Clock.ts"
export * as Jobs from "./Jobs.ts"
export * as Operation from "./Operation.ts"
export * as Organizations from "./Organizations.ts"
export * as Overview from "./Overview.ts"
export * as ServiceOperators from "./ServiceOperators.ts"
export * as Telcos from "./Telcos.ts"
export * as Webhooks from "./Webhooks.ts"
