/**
 * What simplan publishes for tests: the conformance suites that its own adapters pass, and the kit
 * for random runs of a simulated service: arbitraries, commands, histories, what must hold of them,
 * and a model of the timing rules.
 */
export * as Arbitraries from "./Arbitraries.ts"
export * as Commands from "./Commands.ts"
export * as History from "./History.ts"
export * as Invariants from "./Invariants.ts"
export * as JsonText from "./JsonText.ts"
export * as Simulated from "./Simulated.ts"
export * as StorageSuite from "./StorageSuite.ts"
export * as Suite from "./Suite.ts"
export * as TelcoSuite from "./TelcoSuite.ts"
export * as TimingModel from "./TimingModel.ts"
