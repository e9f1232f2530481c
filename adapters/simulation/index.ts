/**
 * The simulation for other adapters: scenarios that are played on it.
 */
export * as Scenarios from "./scenario/index.ts"
