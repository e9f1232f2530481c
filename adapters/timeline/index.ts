/**
 * Plays a scenario of a plan, and shows its history as a table, a drawing, a page, or JSON. Runs in
 * Node and in browsers.
 */
export * as Drawing from "./drawing/Drawing.ts"
export * as History from "./play/History.ts"
export * as Page from "./output/Page.ts"
export * as Play from "./play/Play.ts"
export * as Rules from "./play/Rules.ts"
export * as Scenario from "./scenario/Scenario.ts"
export * as Text from "./output/Text.ts"
