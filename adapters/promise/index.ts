/**
 * simplan for hosts that use plain Promises: the services as objects whose methods return Promises and AsyncIterables.
 */
export type { CallOptions, Promised, Source } from "./Promised.ts"
export * as Simplan from "./Simplan.ts"
export type { PromisedTelco } from "./Telco.ts"
