/**
 * simplan for hosts that use plain Promises: `createSimplan`, the types of its methods, and the errors that they reject
 * with.
 */
export { toNodeHandler } from "./http/NodeHandler.ts"
export { createSimplan } from "./Simplan.ts"
export { createSimulator, journaledTelco, telcoLayer } from "./ports/Telcos.ts"
export * from "./errors/Errors.ts"
export type * from "./Options.ts"
export type * from "./types/Calls.ts"
export type * from "./types/Coverage.ts"
export type * from "./types/Http.ts"
export type * from "./types/Handlers.ts"
export type * from "./types/Operation.ts"
export type * from "./types/Organizations.ts"
export type * from "./types/Plans.ts"
export type * from "./types/Simplan.ts"
export type * from "./types/Sims.ts"
export type * from "./types/Telcos.ts"
export type * from "./types/Subscriptions.ts"
export type * from "./types/Usage.ts"
export type * from "./types/Webhooks.ts"
export type * from "./types/Within.ts"
export * from "./within/Connections.ts"
