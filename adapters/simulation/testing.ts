/**
 * The entry point `simplan/testing`.
 */
export * from "../../src/testing/index.ts"
