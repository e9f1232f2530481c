/**
 * Scenarios: an engineer's question of the form "what happens to this plan if …", and its answer as a table, a picture,
 * a page, or JSON. Nothing of it needs Node.
 */
export * as Changes from "./Changes.ts"
export * as Drawing from "./drawing/Drawing.ts"
export * as History from "./History.ts"
export * as Json from "./Json.ts"
export * as Page from "./Page.ts"
export * as Play from "./Play.ts"
export * as Rules from "./Rules.ts"
export * as Scenario from "./Scenario.ts"
export * as ScenarioFile from "./ScenarioFile.ts"
export * as Table from "./Table.ts"
export * as Tooltip from "./Tooltip.ts"
