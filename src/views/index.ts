/**
 * The entry point `simplan/views`, for adapters that are faces: what hosts, callers and pages see
 * and send, and the values that examples share.
 */
export * as AuditLog from "./AuditLog.ts"
export * as Bulk from "./Bulk.ts"
export * as Bundles from "./Bundles.ts"
export * as Clock from "./Clock.ts"
export * as Copy from "./Copy.ts"
export * as Coverage from "./Coverage.ts"
export * as Jobs from "./Jobs.ts"
export * as Moves from "./Moves.ts"
export * as Organizations from "./Organizations.ts"
export * as Overview from "./Overview.ts"
export * as Samples from "./Samples.ts"
export * as ServiceOperators from "./ServiceOperators.ts"
export * as Telcos from "./Telcos.ts"
export * as Verdicts from "./Verdicts.ts"
export * as View from "./View.ts"
export * as Webhooks from "./Webhooks.ts"
