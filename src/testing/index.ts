/**
 * What simplan publishes for tests: the conformance suites that its own adapters pass.
 */
export * as Simulated from "./Simulated.ts"
export * as StorageSuite from "./StorageSuite.ts"
export * as Suite from "./Suite.ts"
export * as TelcoSuite from "./TelcoSuite.ts"
